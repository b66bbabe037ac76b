import { ConfigError, readConfig } from "./config.ts";
import type { Config } from "./config.ts";

type Command = { summary: string; run(config: Config, args: string[]): Promise<void> };

// Loaded when asked for: `hub print-routes` does not need a database driver.
const commands: Record<string, Command> = {
  serve: {
    summary: "start the hub",
    run: async (config, args) => {
      const { supervise, supervised } = await import("./supervise.ts");
      if (config.mayRestart && !args.includes(supervised)) await supervise();
      else await (await import("./command-serve.ts")).runServe(config);
    },
  },
  migrate: {
    summary: "bring the databases up to date and stop",
    run: async (config) => (await import("./command-admin.ts")).runMigrate(config),
  },
  doctor: {
    summary: "check settings, database, migrations and audit log",
    run: async (config) => (await import("./command-doctor.ts")).runDoctor(config),
  },
  backup: {
    summary: "write everything to a new file, beside a running hub as well: hub backup FILE [--without-secret-key]",
    run: async (config, args) => (await import("./command-backup.ts")).runBackup(config, args),
  },
  restore: {
    summary: "load a backup into a new data directory or empty databases: hub restore FILE [--without-secret-key]",
    run: async (config, args) => (await import("./command-restore.ts")).runRestore(config, args),
  },
  "move-to": {
    summary:
      "move from the embedded database to an external one: hub move-to postgres://... [--preview postgres://...]",
    run: async (config, args) => (await import("./command-move.ts")).runMove(config, args),
  },
  "resume-outbound": {
    summary: "let a restored hub call out again: schedules, automations, tasks, webhooks, carriers, tracking",
    run: async (config) => (await import("./command-admin.ts")).runResumeOutbound(config),
  },
  rewrap: {
    summary: "seal all stored secrets with the current secret key: hub rewrap [--forget-lost-keys]",
    run: async (config, args) => (await import("./command-rewrap.ts")).runRewrap(config, args),
  },
  "audit-verify": {
    summary: "check the audit logs, and saved heads of them: hub audit-verify [FILE ...]",
    run: async (config, args) => (await import("./command-audit-verify.ts")).runAuditVerify(config, args),
  },
  "create-admin": {
    summary: "create an administrator: hub create-admin EMAIL [--organization NAME] [--preview]",
    run: async (config, args) => (await import("./command-admin.ts")).runCreateAdmin(config, args),
  },
  "print-routes": {
    summary: "list every route with its scope",
    run: async () => (await import("./command-print-routes.ts")).runPrintRoutes(),
  },
};

export async function runCommand([name = "help", ...args]: string[]): Promise<void> {
  if (["help", "--help", "-h"].includes(name)) return console.log(usage());
  if (!Object.hasOwn(commands, name)) {
    console.error(`hub: there is no command "${name}".\n\n${usage()}`);
    process.exitCode = 1;
    return;
  }
  try {
    await commands[name]!.run(readConfig(), args);
  } catch (error) {
    const isExpected = error instanceof ConfigError;
    console.error(`hub ${name}: ${isExpected ? error.message : explain(error as Error)}`);
    process.exitCode = 1;
    // Whatever is still open must not keep a failed command, and its supervisor, waiting.
    setTimeout(() => process.exit(), 1_000).unref();
  }
}

function usage(): string {
  const lines = Object.entries(commands).map(([verb, { summary }]) => `  ${verb.padEnd(16)}${summary}`);
  return `Usage: hub COMMAND\n\n${lines.join("\n")}\n\nSettings are environment variables; see docs/operate.md.`;
}

/** File-system errors name the path, but not what to do about it. */
function explain(error: Error & { code?: string; path?: string }): string {
  if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
    return `${error.path ?? "The data directory"} cannot be read and written by this user. Set HUB_DATA_DIR to a folder of its own.`;
  }
  if (error.code === "ENOTDIR" || error.code === "EEXIST") return `${error.path ?? "HUB_DATA_DIR"} is not a folder.`;
  return error.message;
}
