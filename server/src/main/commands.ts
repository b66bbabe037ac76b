import { ConfigError, readConfig } from "./config.ts";
import type { Config } from "./config.ts";

type Command = { summary: string; run(config: Config, args: string[]): Promise<void> };

// Loaded when asked for: `hub print-routes` does not need a database driver.
const commands: Record<string, Command> = {
  serve: { summary: "start the hub", run: async (config) => (await import("./command-serve.ts")).runServe(config) },
  migrate: {
    summary: "bring the databases up to date and stop",
    run: async (config) => (await import("./command-admin.ts")).runMigrate(config),
  },
  doctor: {
    summary: "check settings, database, migrations and audit log",
    run: async (config) => (await import("./command-doctor.ts")).runDoctor(config),
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
  const command = commands[name];
  if (!command) {
    const lines = Object.entries(commands).map(([verb, { summary }]) => `  ${verb.padEnd(14)}${summary}`);
    console.log(
      `Usage: hub COMMAND\n\n${lines.join("\n")}\n\nSettings are environment variables; see docs/operate.md.`,
    );
    process.exitCode = name === "help" || name === "--help" ? 0 : 1;
    return;
  }
  try {
    await command.run(readConfig(), args);
  } catch (error) {
    const isExpected = error instanceof ConfigError;
    console.error(`hub ${name}: ${isExpected ? error.message : explain(error as Error)}`);
    process.exitCode = 1;
  }
}

/** File-system errors name the path, but not what to do about it. */
function explain(error: Error & { code?: string; path?: string }): string {
  if (error.code === "EACCES" || error.code === "EROFS" || error.code === "EPERM") {
    return `${error.path ?? "The data directory"} cannot be written. Set HUB_DATA_DIR to a folder this user may write to.`;
  }
  if (error.code === "ENOTDIR" || error.code === "EEXIST") return `${error.path ?? "HUB_DATA_DIR"} is not a folder.`;
  return error.message;
}
