import type { ParseArgsOptionsConfig } from "node:util";
import { parseArgs } from "node:util";
import { hubVersion } from "../core/hub-version.ts";
import { nearestName } from "../core/nearest.ts";
import { ConfigError, readConfig, settingNames } from "./config.ts";
import type { Config } from "./config.ts";
import { supervised } from "./supervised.ts";

type Command = {
  summary: string;
  /** Arguments, as the help shows them. */
  usage?: string;
  /** Accepted options and arguments; everything else is rejected. Absent: the command checks them itself. */
  takes?: { options: ParseArgsOptionsConfig; allowPositionals: boolean };
  run(config: Config, args: string[]): Promise<void>;
};

const nothing = { options: {}, allowPositionals: false };

// Loaded on demand: `hub print-routes` needs no database driver.
const commands: Record<string, Command> = {
  serve: {
    summary: "Start the hub",
    takes: { options: { [supervised]: { type: "boolean" } }, allowPositionals: false },
    run: async (config, args) => {
      const isSupervised = args.includes(`--${supervised}`);
      if (!isSupervised && (config.autoRestart || config.processes > 1))
        await (await import("./supervise.ts")).supervise(config);
      else await (await import("./command-serve.ts")).runServe(config, isSupervised);
    },
  },
  migrate: {
    summary: "Migrate the databases and exit",
    takes: nothing,
    run: async (config) => (await import("./command-admin.ts")).runMigrate(config),
  },
  doctor: {
    summary: "Check settings, database, migrations and audit logs",
    takes: nothing,
    run: async (config) => (await import("./command-doctor.ts")).runDoctor(config),
  },
  backup: {
    summary: "Write a backup to a new file; the hub may be running",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-backup.ts")).runBackup(config, args),
  },
  restore: {
    summary: "Load a backup into a new data directory or empty databases",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-restore.ts")).runRestore(config, args),
  },
  "move-to": {
    summary: "Move from the embedded database to an external one",
    usage: "postgres://... [--preview postgres://...]",
    takes: { options: { preview: { type: "string" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-move.ts")).runMove(config, args),
  },
  "resume-outbound": {
    summary: "Resume outbound work of a restored hub: schedules, automations, tasks, webhooks, carriers, tracking",
    takes: nothing,
    run: async (config) => (await import("./command-admin.ts")).runResumeOutbound(config),
  },
  rewrap: {
    summary: "Re-encrypt stored secrets with the current key",
    usage: "[--discard-lost-keys]",
    takes: { options: { "discard-lost-keys": { type: "boolean" } }, allowPositionals: false },
    run: async (config, args) => (await import("./command-rewrap.ts")).runRewrap(config, args),
  },
  "verify-audit": {
    summary: "Verify the audit logs, and saved heads of them",
    usage: "[FILE ...]",
    takes: { options: {}, allowPositionals: true },
    run: async (config, args) => (await import("./command-verify-audit.ts")).runVerifyAudit(config, args),
  },
  "create-admin": {
    summary: "Create an administrator; with --organization, in a new organization",
    usage: "EMAIL [--organization NAME] [--preview]",
    takes: {
      options: { organization: { type: "string" }, preview: { type: "boolean" } },
      allowPositionals: true,
    },
    run: async (config, args) => (await import("./command-admin.ts")).runCreateAdmin(config, args),
  },
  "print-routes": {
    summary: "Print all routes with their scopes",
    takes: nothing,
    run: async () => (await import("./command-print-routes.ts")).runPrintRoutes(),
  },
};

const helpNames = ["help", "--help", "-h"];

export async function runCommand([given = "help", ...rest]: string[]): Promise<void> {
  if (["--version", "-v", "version"].includes(given)) return console.log(hubVersion);
  // Both `hub help serve` and `hub serve --help`.
  const isHelp = helpNames.includes(given);
  const [name = "", ...args] = isHelp ? rest : [given, ...rest];
  if (isHelp && name === "") return console.log(usage());
  const command = Object.hasOwn(commands, name) ? commands[name]! : undefined;
  if (!command) {
    const meant = nearestName(name, Object.keys(commands));
    const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
    return fail(`hub: there is no command "${name}".${hint}\n\n${usage()}`);
  }
  if (isHelp || args.some((arg) => arg === "--help" || arg === "-h")) return console.log(describe(name, command));
  const problem = command.takes && findProblem(args, command.takes);
  if (problem !== undefined) return fail(`hub ${name}: ${problem}\n\n${describe(name, command)}`);
  try {
    await command.run(readConfig(), args);
  } catch (error) {
    const isExpected = error instanceof ConfigError;
    fail(`hub ${name}: ${isExpected ? error.message : explain(error as Error)}`);
    // Open handles must not keep a failed command, and its supervisor, alive.
    setTimeout(() => process.exit(), 1_000).unref();
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** The first argument that the command does not accept. Ignoring a misspelled option would start something else than intended. */
function findProblem(args: string[], { options, allowPositionals }: NonNullable<Command["takes"]>): string | undefined {
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
  const lines = Object.entries(commands).map(([verb, { summary }]) => `  ${verb.padEnd(17)}${summary}`);
  const more = "hub COMMAND --help shows the arguments of a command; hub --version shows the version.";
  return `Usage: hub COMMAND\n\n${lines.join("\n")}\n\n${more}\nSettings are environment variables; see docs/operate.md.`;
}

function describe(name: string, { summary, usage: takes }: Command): string {
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
