import { hubVersion } from "../core/hub-version.ts";
import type { Config } from "./config.ts";
import { createHubLog } from "./hub-log.ts";
import { isPretty } from "./pretty-log.ts";
import type { RunningHub } from "./serve.ts";
import { serve, stopWithinMs } from "./serve.ts";
import { newerSchemaExitCode, readyMessage } from "./supervise.ts";

export async function runServe(config: Config): Promise<void> {
  const log = createHubLog(config);
  if (isPretty(config)) console.log(`Order Operations Hub ${hubVersion}`);
  const stopping = new AbortController();

  async function stop(exitCode: number): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    setTimeout(() => process.exit(1), stopWithinMs(config)).unref();
    // A start that fails meanwhile has tidied up by itself.
    const hub = await starting.catch(() => undefined);
    await hub?.stop();
    process.exit(exitCode);
  }
  function stopFor(reason: string): void {
    if (!stopping.signal.aborted) console.log(`${reason}: answering what was accepted, then stopping`);
    void stop(0);
  }
  // A closed terminal (SIGHUP) must not leave PostgreSQL behind either.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopFor(signal));

  const starting = serve(config, {
    log,
    stopping: stopping.signal,
    onNewerSchema(environment, migration) {
      const what = `the ${environment} database was migrated by a newer hub (${migration})`;
      log.error({ migration }, `${what}; hub ${hubVersion} does not know its tables and stops. Upgrade it`);
      void stop(newerSchemaExitCode);
    },
  });

  // The supervising process is gone and had no time to say so: nothing else would end this one.
  if (process.connected) process.once("disconnect", () => stopFor("The supervising process has ended"));

  const hub = await starting.catch((error: unknown) => {
    // Asked to stop: what failed because of that is no news.
    if (!stopping.signal.aborted) throw error;
    return undefined;
  });
  if (!hub) return;
  // Before anything is printed: whoever reads that may already rely on it.
  if (process.connected) await new Promise((resolve) => process.send!(readyMessage, resolve));
  // In one piece, so that whoever waits for the address has the rest too; and the password also if it is stopping.
  const lines = isPretty(config) ? describeForPeople(hub, config) : describeForScripts(hub, config);
  console.log(lines.join("\n"));
}

function describeForScripts(hub: RunningHub, config: Config): string[] {
  return [...describeSurfaces(hub), ...describeFirstAdmin(hub, config)];
}

/** The next steps, for a person at a terminal. */
function describeForPeople(hub: RunningHub, config: Config): string[] {
  const [live] = hub.surfaces;
  const url = live?.urls[0]?.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:");
  const isForBrowsers = url !== undefined && config.roles.has("api");
  const first = hub.firstAdmin;
  const password = first?.isGenerated ? `${first.password} (shown this one time)` : "of HUB_ADMIN_PASSWORD";
  return [
    "",
    ...(isForBrowsers ? [`Open ${url} in your browser.`, ""] : []),
    ...describeSurfaces(hub),
    ...(url === undefined ? [] : [`docs     ${url}/docs`]),
    "",
    ...(first ? [`Sign in as ${first.email} with the password ${password}.`, ""] : []),
    "Ctrl-C stops the hub.",
    "",
  ];
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
