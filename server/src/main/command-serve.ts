import type { PluginOrigin } from "../core/extension-point.ts";
import { hubVersion } from "../core/hub-version.ts";
import type { Config } from "./config.ts";
import { shareOfProcess } from "./config.ts";
import { createHubLog } from "./hub-log.ts";
import { isPretty } from "./pretty-log.ts";
import type { RunningHub } from "./serve.ts";
import { serve, stopWithinMs } from "./serve.ts";
import type { ReadyMessage } from "./process-group.ts";
import { joinProcessGroup, singleProcess } from "./process-group.ts";
import { newerSchemaExitCode } from "./supervise.ts";

/** Runs the hub, or one of its processes. */
export async function runServe(given: Config, isSupervised: boolean, plugins: PluginOrigin[]): Promise<void> {
  const group = isSupervised ? await joinProcessGroup() : singleProcess;
  const isFirst = group.number === 1;
  const config = shareOfProcess({ ...given, processes: group.size });
  const log = createHubLog(config, group.size === 1 ? undefined : { process: group.number });
  if (isPretty(config) && isFirst) console.log(`Order Operations Hub ${hubVersion}`);
  if (isFirst && plugins.length > 0) log.info({ plugins }, "plug-ins loaded");
  const stopping = new AbortController();

  async function stop(exitCode: number): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort();
    setTimeout(() => process.exit(1), stopWithinMs(config)).unref();
    // A start that fails meanwhile has cleaned up already.
    const hub = await starting.catch(() => undefined);
    await hub?.stop();
    process.exit(exitCode);
  }
  function stopFor(reason: string): void {
    if (!stopping.signal.aborted && isFirst) console.log(`${reason}: completing accepted requests, then stopping`);
    void stop(0);
  }
  // SIGHUP: a closed terminal must not leave PostgreSQL behind either.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => stopFor(signal));

  const starting = serve(config, {
    group,
    log,
    stopping: stopping.signal,
    onNewerSchema(environment, migration) {
      const what = `the ${environment} database was migrated by a newer hub (${migration})`;
      log.error({ migration }, `${what}; hub ${hubVersion} does not know its tables and stops. Upgrade it`);
      void stop(newerSchemaExitCode);
    },
  });

  // The supervisor was killed: nothing else would end this process.
  if (process.connected) process.once("disconnect", () => stopFor("The supervisor has ended"));

  const hub = await starting.catch((error: unknown) => {
    // A failure caused by stopping is not reported.
    if (!stopping.signal.aborted) throw error;
    return undefined;
  });
  if (!hub) return;
  // Before the addresses are printed, which scripts take as the sign that the hub is supervised and ready.
  const ready: ReadyMessage = { ready: true, connections: hub.connections };
  if (process.connected) await new Promise((resolve) => process.send!(ready, resolve));
  if (!isFirst) return;
  // In one write, so that a script that waits for the address also gets the rest; the password even if the hub is stopping.
  const lines = isPretty(config) ? describeForPeople(hub, config) : describeForScripts(hub, config);
  console.log(lines.join("\n"));
}

function describeForScripts(hub: RunningHub, config: Config): string[] {
  return [...describeSurfaces(hub), ...describeFirstAdmin(hub, config)];
}

/** The next steps, for a user at a terminal. */
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
