import type { ClientOptions } from "@modelcontextprotocol/client";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export type Mode = NonNullable<ClientOptions["versionNegotiation"]>["mode"];

// oxlint-disable-next-line typescript/no-explicit-any -- tests read answers freely
type ToolAnswer = { isError: boolean; text: string; body: any };

/** The official client of the protocol, connected to a hub with a token. */
export async function connectMcp(url: string, token: string, mode: Mode = "auto") {
  const client = newMcpClient(mode);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }));
  return { client, ...callsOf(client) };
}

export function newMcpClient(mode: Mode): Client {
  return new Client({ name: "test", version: "1.0.0" }, mode === undefined ? {} : { versionNegotiation: { mode } });
}

/** Shorter calls of a connected client. */
export function callsOf(client: Client) {
  return {
    async call(name: string, args: Record<string, unknown> = {}): Promise<ToolAnswer> {
      const { content, isError = false } = await client.callTool({ name, arguments: args });
      const [first] = content;
      const text = first?.type === "text" ? first.text : "";
      return { isError, text, body: JSON.parse(text) };
    },
    async names(): Promise<string[]> {
      return (await client.listTools()).tools.map(({ name }) => name);
    },
  };
}
