import type { Command } from "../command.ts";
import { connectionOptions } from "../command.ts";
import { findCredentials } from "../connection.ts";
import { bridgeMcp } from "../mcp-bridge.ts";

export const mcp: Command = {
  summary: "Serve MCP on stdin and stdout for an assistant",
  options: connectionOptions,
  details: "Use an API key that was created for an assistant; see docs/mcp.md.",
  run: async (given) => {
    await bridgeMcp({ ...findCredentials(given), input: process.stdin, output: process.stdout });
    return undefined;
  },
};
