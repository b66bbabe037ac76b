import { homedir } from "node:os";
import path from "node:path";

/** Variables that the command reads. An empty one counts as not set. */
type Variable = "HUB_URL" | "HUB_API_KEY" | "HUB_PROFILE" | "XDG_CONFIG_HOME" | "APPDATA";

export function readVariable(name: Variable): string | undefined {
  return process.env[name]?.trim() || undefined;
}

export function configFile(): string {
  const base = readVariable("XDG_CONFIG_HOME") ?? readVariable("APPDATA") ?? path.join(homedir(), ".config");
  return path.join(base, "order-operations-hub", "cli.json");
}
