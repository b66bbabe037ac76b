import { createInterface } from "node:readline";

/*
 * `hub mcp`: an assistant that starts programs speaks MCP with this one over stdin and stdout. Each line is a message, which is sent to
 * `POST /mcp` of a hub; each message of the response is a line.
 */

type BridgeOptions = {
  /** Origin of the hub. */
  url: string;
  apiKey: string;
  input: NodeJS.ReadableStream;
  output: Pick<NodeJS.WritableStream, "write">;
};

type Message = {
  id?: string | number | null;
  method?: string;
  params?: { name?: unknown; _meta?: Record<string, unknown> };
};

const versionKey = "io.modelcontextprotocol/protocolVersion";
/** Error codes of JSON-RPC. */
const codes = { parse: -32_700, server: -32_000 };

/** Ends when the input has ended and all messages are answered. Messages are sent at once: a slow call does not hold up the next. */
export async function bridgeMcp({ url, apiKey, input, output }: BridgeOptions): Promise<void> {
  const endpoint = new URL("/mcp", url);
  const pending = new Set<Promise<void>>();
  for await (const line of createInterface({ input, crlfDelay: Infinity })) {
    if (line.trim() === "") continue;
    const answered = forward(endpoint, apiKey, line).then((lines) => {
      for (const one of lines) output.write(`${one}\n`);
      pending.delete(answered);
    });
    pending.add(answered);
  }
  await Promise.all(pending);
}

/** The messages that answer a line; none for a notification. */
async function forward(endpoint: URL, apiKey: string, line: string): Promise<string[]> {
  let message: Message;
  try {
    message = JSON.parse(line) as Message;
  } catch {
    return [failure(null, codes.parse, "The line is not valid JSON.")];
  }
  const fail = (text: string): string[] => (message.id === undefined ? [] : [failure(message.id, codes.server, text)]);
  try {
    const response = await fetch(endpoint, { method: "POST", headers: headersFor(message, apiKey), body: line });
    const text = await response.text();
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) return eventsOf(text);
    if (type.startsWith("application/json")) return [JSON.stringify(JSON.parse(text))];
    return response.ok ? [] : fail(`The hub answered ${response.status}: ${reasonOf(text)}`);
  } catch (error) {
    const { cause, message: reason } = error as Error & { cause?: Error };
    return fail(`The hub at ${endpoint.origin} cannot be reached: ${cause?.message ?? reason}`);
  }
}

/** The current revision of the protocol repeats the method and the name of a message in headers. */
function headersFor({ method, params }: Message, apiKey: string): Record<string, string> {
  const version = params?._meta?.[versionKey];
  const isHeaderText = (value: unknown): value is string => typeof value === "string" && /^[\x21-\x7e]+$/.test(value);
  return {
    authorization: `Bearer ${apiKey}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(isHeaderText(version) && isHeaderText(method) ? { "mcp-protocol-version": version, "mcp-method": method } : {}),
    ...(isHeaderText(version) && isHeaderText(params?.name) ? { "mcp-name": params.name } : {}),
  };
}

function eventsOf(stream: string): string[] {
  return stream
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice("data:".length).trim())
    .filter((data) => data !== "");
}

function failure(id: Message["id"], code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

/** Title and detail of a problem. */
function reasonOf(text: string): string {
  try {
    const { title, detail } = JSON.parse(text) as { title?: string; detail?: string };
    return [title, detail].filter(Boolean).join(". ");
  } catch {
    return text.slice(0, 200);
  }
}
