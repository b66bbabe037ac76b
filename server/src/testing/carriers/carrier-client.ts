import type { Answer } from "../test-client.ts";

export type CarrierClient = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends requests as an adapter would. Texts are sent as they are, anything else as JSON. */
export function carrierClient(url: string, headers: Record<string, string> = {}): CarrierClient {
  return async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    return { status: response.status, headers: response.headers, text, body: isJson ? parsed(text) : undefined };
  };
}

/** Faults garble answers. */
function parsed(text: string): Answer["body"] {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
