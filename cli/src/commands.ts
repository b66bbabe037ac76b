import type { Command } from "./command.ts";

/** A command that is written by hand. Loaded when it is used, so that others start faster. */
export type Entry = { summary: string; load(): Promise<Command> };

/**
 * All commands that are written by hand; the others are operations of the API (cli/src/operations-table.ts) and the commands of
 * the hub's machine (server/src/main/command-list.ts). To add one: a file in cli/src/commands and a line here.
 */
export const commands: Readonly<Record<string, Entry>> = {
  login: {
    summary: "Sign in to a hub and store an API key",
    load: async () => (await import("./commands/login.ts")).login,
  },
  logout: {
    summary: "Forget a stored sign-in",
    load: async () => (await import("./commands/logout.ts")).logout,
  },
  run: {
    summary: "Run actions or a pipeline on orders",
    load: async () => (await import("./commands/run.ts")).run,
  },
  "events tail": {
    summary: "Print events as they happen",
    load: async () => (await import("./commands/events-tail.ts")).eventsTail,
  },
  "logs tail": {
    summary: "Print API requests as they happen",
    load: async () => (await import("./commands/logs-tail.ts")).logsTail,
  },
  listen: {
    summary: "Forward events to a local address as signed webhooks",
    load: async () => (await import("./commands/listen.ts")).listen,
  },
  trigger: {
    summary: "Cause an event in the preview",
    load: async () => (await import("./commands/trigger.ts")).trigger,
  },
  api: {
    summary: "Call any path of the API",
    load: async () => (await import("./commands/api.ts")).api,
  },
  mcp: {
    summary: "Serve MCP on stdin and stdout for an assistant",
    load: async () => (await import("./commands/mcp.ts")).mcp,
  },
  completion: {
    summary: "Print the completion script of a shell",
    load: async () => (await import("./commands/completion.ts")).completion,
  },
};
