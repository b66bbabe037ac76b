import { parseArgs } from "node:util";
import type { PluginOrigin } from "../core/extension-point.ts";
import { hubVersion } from "../core/hub-version.ts";
import { nearestName } from "../core/nearest.ts";
import { ConfigError, readConfig, settingNames } from "./config.ts";
import type { Config } from "./config.ts";
import type { CommandName, CommandText } from "./command-list.ts";
import { commandList, isCommandName } from "./command-list.ts";
import { supervised } from "./supervised.ts";

type Run = (config: Config, args: string[]) => Promise<void>;

/** Before the module of the command, which loads the catalogs that plug-ins add to. */
async function loadPlugins({ plugins }: Config): Promise<PluginOrigin[]> {
  return plugins.length === 0 ? [] : await (await import("./plugins/load-plugins.ts")).loadPlugins(plugins);
}

// Loaded on demand: `hub print-routes` needs no database driver.
const commands: Record<CommandName, Run> = {
  serve: async (config, args) => {
    const isSupervised = args.includes(`--${supervised}`);
    if (!isSupervised && (config.autoRestart || config.processes > 1))
      await (await import("./supervise.ts")).supervise(config);
    else {
      const plugins = await loadPlugins(config);
      await (await import("./command-serve.ts")).runServe(config, isSupervised, plugins);
    }
  },
  migrate: async (config) => (await import("./command-admin.ts")).runMigrate(config),
  doctor: async (config) => {
    const plugins = await loadPlugins(config);
    await (await import("./command-doctor.ts")).runDoctor(config, plugins);
  },
  backup: async (config, args) => (await import("./command-backup.ts")).runBackup(config, args),
  restore: async (config, args) => (await import("./command-restore.ts")).runRestore(config, args),
  "move-to": async (config, args) => (await import("./command-move.ts")).runMove(config, args),
  "resume-outbound": async (config) => (await import("./command-admin.ts")).runResumeOutbound(config),
  rewrap: async (config, args) => (await import("./command-rewrap.ts")).runRewrap(config, args),
  "verify-audit": async (config, args) => (await import("./command-verify-audit.ts")).runVerifyAudit(config, args),
  "create-admin": async (config, args) => (await import("./command-admin.ts")).runCreateAdmin(config, args),
  "print-routes": async () => (await import("./command-print-routes.ts")).runPrintRoutes(),
};

/** As of the commands for remote hubs; see docs/cli.md. */
const usageExitCode = 2;

const helpNames = ["help", "--help", "-h"];

export async function runCommand([given = "help", ...rest]: string[]): Promise<void> {
  if (["--version", "-v", "version"].includes(given)) return console.log(hubVersion);
  // Both `hub help serve` and `hub serve --help`.
  const isHelp = helpNames.includes(given);
  const [name = "", ...args] = isHelp ? rest : [given, ...rest];
  if (isHelp && name === "") return console.log(usage());
  if (!isCommandName(name)) {
    const meant = nearestName(name, Object.keys(commands));
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return fail(`hub: there is no command "${name}".${hint}\n\n${usage()}`, usageExitCode);
  }
  const command: CommandText = commandList[name];
  if (isHelp || args.some((arg) => arg === "--help" || arg === "-h")) return console.log(describe(name, command));
  const problem = findProblem(args, command.takes);
  if (problem !== undefined) return fail(`hub ${name}: ${problem}\n\n${describe(name, command)}`, usageExitCode);
  try {
    await commands[name](readConfig(), args);
  } catch (error) {
    const isExpected = error instanceof ConfigError;
    fail(`hub ${name}: ${isExpected ? error.message : explain(error as Error)}`);
    // Open handles must not keep a failed command, and its supervisor, alive.
    setTimeout(() => process.exit(), 1_000).unref();
  }
}

function fail(message: string, exitCode = 1): void {
  console.error(message);
  process.exitCode = exitCode;
}

/** The first argument that the command does not accept. Ignoring a misspelled option would start something else than intended. */
function findProblem(args: string[], { options, allowPositionals }: CommandText["takes"]): string | undefined {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option" && !Object.hasOwn(options, token.name))
      return unknownOption(token, Object.keys(options));
    if (token.kind === "positional" && !allowPositionals) return `unexpected argument "${token.value}".`;
  }
  try {
    parseArgs({ args, options, allowPositionals });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function unknownOption({ name, rawName }: { name: string; rawName: string }, known: string[]): string {
  const option = nearestName(
    name,
    known.filter((one) => one !== supervised),
  );
  const setting = nearestName(`HUB_${name.toUpperCase().replaceAll("-", "_")}`, settingNames());
  const meant = option === undefined ? setting && `the setting ${setting}, an environment variable` : `--${option}`;
  return `there is no option ${rawName}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`;
}

function usage(): string {
  const lines = Object.entries(commandList).map(([verb, { summary }]) => `  ${verb.padEnd(17)}${summary}`);
  const more = "hub COMMAND --help shows the arguments of a command; hub --version shows the version.";
  return `Usage: hub COMMAND\n\n${lines.join("\n")}\n\n${more}\nSettings are environment variables; see docs/operate.md.`;
}

function describe(name: string, { summary, usage: takes }: CommandText): string {
  const call = ["hub", name, ...(takes === undefined ? [] : [takes])].join(" ");
  return `Usage: ${call}\n\n  ${summary}\n\nSettings are environment variables; see docs/operate.md.`;
}

/** File-system errors name the path, but not the remedy. */
function explain(error: Error & { code?: string; path?: string }): string {
  if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
    return `${error.path ?? "The data directory"} cannot be read and written by this user. Set HUB_DATA_DIR to a folder of its own.`;
  }
  if (error.code === "ENOTDIR" || error.code === "EEXIST") return `${error.path ?? "HUB_DATA_DIR"} is not a folder.`;
  return error.message;
}
