import path from "node:path";
import { PassThrough } from "node:stream";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import type { Mode } from "../../server/src/testing/mcp-client.ts";
import { callsOf, newMcpClient } from "../../server/src/testing/mcp-client.ts";
import { startTestHub } from "../../server/src/testing/test-hub.ts";
import { bridgeMcp } from "./mcp-bridge.ts";

const hub = await startTestHub();
const org = await hub.org();
await org.post("/orders", { number: "A-0", status: "ready" });

/** Lines that the bridge writes for these lines. */
async function bridge(lines: string[], options: { url?: string; apiKey?: string } = {}): Promise<unknown[]> {
  const input = new PassThrough();
  const output: string[] = [];
  input.end(lines.map((line) => `${line}\n`).join(""));
  await bridgeMcp({
    url: hub.url,
    apiKey: org.token!,
    ...options,
    input,
    output: { write: (text: string | Uint8Array) => output.push(String(text)) > 0 },
  });
  return output.map((line) => JSON.parse(line) as unknown);
}

test.each<[string, Mode]>([
  ["of 2025", "legacy"],
  ["that negotiate", "auto"],
])("`hub mcp` connects clients %s over stdin and stdout", async (_name, mode) => {
  const client = newMcpClient(mode);
  const main = path.join(import.meta.dirname, "main.ts");
  const env = { PATH: process.env.PATH!, HUB_URL: hub.url, HUB_API_KEY: org.token! };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, "mcp"], env }));
  const { call, names } = callsOf(client);
  expect(await names()).toContain("operations_preflight");
  const answers = await Promise.all([call("orders_get", { id: "A-0" }), call("orders_get", { id: "none" })]);
  expect(answers.map(({ isError }) => isError)).toEqual([false, true]);
  await client.close();
});

test("lines that cannot be forwarded are answered with an error of their id", async () => {
  const list = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list" });
  const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(await bridge(["{", "", notification])).toMatchObject([{ id: null, error: { code: -32_700 } }]);
  const [refused] = await bridge([list, notification], { apiKey: "ooh_live_wrong" });
  expect(refused).toMatchObject({ id: 7, error: { message: expect.stringContaining("The hub answered 401") } });
  const [unreachable] = await bridge([list], { url: "http://127.0.0.1:9" });
  expect(unreachable).toMatchObject({ id: 7, error: { message: expect.stringContaining("cannot be reached") } });
});
