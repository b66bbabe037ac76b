import type { ParseArgsOptionsConfig } from "node:util";
import { parseArgs } from "node:util";
import { hubVersion } from "../core/hub-version.ts";
import { nearestName } from "../core/nearest.ts";
import { ConfigError, readConfig, settingNames } from "./config.ts";
import type { Config } from "./config.ts";
import { supervised } from "./supervised.ts";

type Command = {
  summary: string;
  /** What follows its name, as the help shows it. */
  usage?: string;
  /** The options and arguments that it takes; everything else is refused. Without it, the command checks them itself. */
  takes?: { options: ParseArgsOptionsConfig; allowPositionals: boolean };
  run(config: Config, args: string[]): Promise<void>;
};

const nothing = { options: {}, allowPositionals: false };

// Loaded when asked for: `hub print-routes` does not need a database driver.
const commands: Record<string, Command> = {
  serve: {
    summary: "start the hub",
    takes: { options: { [supervised]: { type: "boolean" } }, allowPositionals: false },
    run: async (config, args) => {
      if (config.mayRestart && !args.includes(`--${supervised}`))
        await (await import("./supervise.ts")).supervise(config);
      else await (await import("./command-serve.ts")).runServe(config);
    },
  },
  migrate: {
    summary: "bring the databases up to date and stop",
    takes: nothing,
    run: async (config) => (await import("./command-admin.ts")).runMigrate(config),
  },
  doctor: {
    summary: "check settings, database, migrations and audit log",
    takes: nothing,
    run: async (config) => (await import("./command-doctor.ts")).runDoctor(config),
  },
  backup: {
    summary: "write everything to a new file, beside a running hub as well",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-backup.ts")).runBackup(config, args),
  },
  restore: {
    summary: "load a backup into a new data directory or empty databases",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-restore.ts")).runRestore(config, args),
  },
  "move-to": {
    summary: "move from the embedded database to an external one",
    usage: "postgres://... [--preview postgres://...]",
    takes: { options: { preview: { type: "string" } }, allowPositionals: true },
    run: async (config, args) => (await import("./command-move.ts")).runMove(config, args),
  },
  "resume-outbound": {
    summary: "let a restored hub call out again: schedules, automations, tasks, webhooks, carriers, tracking",
    takes: nothing,
    run: async (config) => (await import("./command-admin.ts")).runResumeOutbound(config),
  },
  rewrap: {
    summary: "seal all stored secrets with the current secret key",
    usage: "[--forget-lost-keys]",
    takes: { options: { "forget-lost-keys": { type: "boolean" } }, allowPositionals: false },
    run: async (config, args) => (await import("./command-rewrap.ts")).runRewrap(config, args),
  },
  "audit-verify": {
    summary: "check the audit logs, and saved heads of them",
    usage: "[FILE ...]",
    takes: { options: {}, allowPositionals: true },
    run: async (config, args) => (await import("./command-audit-verify.ts")).runAuditVerify(config, args),
  },
  "create-admin": {
    summary: "create an administrator, with --organization that of a new organization",
    usage: "EMAIL [--organization NAME] [--preview]",
    takes: {
      options: { organization: { type: "string" }, preview: { type: "boolean" } },
      allowPositionals: true,
    },
    run: async (config, args) => (await import("./command-admin.ts")).runCreateAdmin(config, args),
  },
  "print-routes": {
    summary: "list every route with its scope",
    takes: nothing,
    run: async () => (await import("./command-print-routes.ts")).runPrintRoutes(),
  },
};

const helpNames = ["help", "--help", "-h"];

export async function runCommand([given = "help", ...rest]: string[]): Promise<void> {
  if (["--version", "-v", "version"].includes(given)) return console.log(hubVersion);
  // `hub help serve` as well as `hub serve --help`.
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
    // Whatever is still open must not keep a failed command, and its supervisor, waiting.
    setTimeout(() => process.exit(), 1_000).unref();
  }
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

/** The first argument that the command does not take: a start with a misread option would be one that was not asked for. */
function findProblem(args: string[], { options, allowPositionals }: NonNullable<Command["takes"]>): string | undefined {
  const { tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === "option" && !Object.hasOwn(options, token.name))
      return unknownOption(token, Object.keys(options));
    if (token.kind === "positional" && !allowPositionals) return `it takes no argument "${token.value}".`;
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
  const more = "hub COMMAND --help says what a command takes; hub --version says which hub this is.";
  return `Usage: hub COMMAND\n\n${lines.join("\n")}\n\n${more}\nSettings are environment variables; see docs/operate.md.`;
}

function describe(name: string, { summary, usage: takes }: Command): string {
  const call = ["hub", name, ...(takes === undefined ? [] : [takes])].join(" ");
  return `Usage: ${call}\n\n  ${summary}\n\nSettings are environment variables; see docs/operate.md.`;
}

/** File-system errors name the path, but not what to do about it. */
function explain(error: Error & { code?: string; path?: string }): string {
  if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
    return `${error.path ?? "The data directory"} cannot be read and written by this user. Set HUB_DATA_DIR to a folder of its own.`;
  }
  if (error.code === "ENOTDIR" || error.code === "EEXIST") return `${error.path ?? "HUB_DATA_DIR"} is not a folder.`;
  return error.message;
}
