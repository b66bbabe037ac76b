import type { Config } from "./config.ts";
import type { RunningHub } from "./serve.ts";
import { serve, stopWithinMs } from "./serve.ts";
import { readyMessage } from "./supervise.ts";

export async function runServe(config: Config): Promise<void> {
  const starting = serve(config);
  let isStopping = false;

  async function stop(signal: string): Promise<void> {
    if (isStopping) return;
    isStopping = true;
    console.log(`${signal}: answering what was accepted, then stopping`);
    setTimeout(() => process.exit(1), stopWithinMs(config)).unref();
    // A start that fails meanwhile has tidied up by itself, and says why.
    const hub = await starting.catch(() => undefined);
    if (!hub) return;
    await hub.stop();
    process.exit(0);
  }
  // A closed terminal (SIGHUP) must not leave PostgreSQL behind either.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop(signal));

  // Whoever looks after this process is gone, with no time to say so: nobody would end it.
  if (process.connected) process.once("disconnect", () => void stop("The supervising process has ended"));

  const hub = await starting;
  // Before anything is printed: whoever reads that may already rely on it.
  if (process.connected) await new Promise((resolve) => process.send!(readyMessage, resolve));
  // In one piece, so that whoever waits for the address has the rest too; and the password also if it is stopping.
  console.log([...describeSurfaces(hub), ...describeFirstAdmin(hub, config)].join("\n"));
}

function describeSurfaces({ surfaces, healthUrl }: RunningHub): string[] {
  const health = healthUrl === undefined ? [] : [`health   ${healthUrl}`];
  const described = surfaces.map(({ environment, urls: [main, gateway] }) => {
    const where = main ?? "no HTTP: HUB_ROLES names neither api nor gateway";
    return `${environment.padEnd(8)} ${where}${gateway === undefined ? "" : `   gateway ${gateway}`}`;
  });
  return [...described, ...health];
}

function describeFirstAdmin({ firstAdmin, surfaces }: RunningHub, config: Config): string[] {
  if (!firstAdmin) return [];
  const { email, password, isGenerated, environments } = firstAdmin;
  const where = environments.length > 1 ? "both surfaces" : `the ${environments[0]} surface`;
  const url = surfaces.find(({ environment }) => environment === environments[0])?.urls[0];
  const lines = [
    "",
    `First start. The administrator of ${where} is ${email}`,
    isGenerated ? `with the password ${password} (shown this one time).` : "with the password of HUB_ADMIN_PASSWORD.",
    "",
  ];
  if (url === undefined || !config.roles.has("api")) return lines;
  return [
    ...lines,
    "Sign in:",
    `  curl -s ${url}/api/v1/auth/token -H 'Content-Type: application/json' \\`,
    `    -d '{"email":"${email}","password":"${isGenerated ? password : "..."}"}'`,
    "",
  ];
}
