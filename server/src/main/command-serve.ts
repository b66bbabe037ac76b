import type { Config } from "./config.ts";
import { serve } from "./serve.ts";

const exitMs = 9_500;

export async function runServe(config: Config): Promise<void> {
  const hub = await serve(config);
  let isStopping = false;

  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    console.log(`${signal}: answering what was accepted, then stopping`);
    setTimeout(() => process.exit(1), exitMs).unref();
    await hub.stop();
    process.exit(0);
  }
  process.on("SIGTERM", () => void stop("SIGTERM"));
  process.on("SIGINT", () => void stop("SIGINT"));

  for (const { environment, urls } of hub.surfaces) {
    const [main, gateway] = urls;
    if (main !== undefined) console.log(`${environment.padEnd(8)} ${main}${gateway ? `   gateway ${gateway}` : ""}`);
  }
  if (!hub.firstAdmin) return;
  const { email, password, isGenerated } = hub.firstAdmin;
  const url = hub.surfaces[0]?.urls[0] ?? "";
  console.log(
    [
      "",
      `First start. The administrator of both surfaces is ${email}`,
      isGenerated ? `with the password ${password} (shown this one time).` : "with the password of HUB_ADMIN_PASSWORD.",
      "",
      "Sign in:",
      `  curl -s ${url}/api/v1/auth/token -H 'Content-Type: application/json' \\`,
      `    -d '{"email":"${email}","password":"${isGenerated ? password : "..."}"}'`,
      "",
    ].join("\n"),
  );
}
