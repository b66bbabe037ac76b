import type { Answer } from "../test-client.ts";

type Question = {
  method?: string;
  headers?: Record<string, string>;
  json?: unknown;
  form?: Record<string, string>;
  /** Sent as it is, with the type of JSON. */
  text?: string;
  timeoutMs?: number;
};

/** The body is what JSON it holds; undefined when it holds none. */
export type Reply = { status: number; headers: Headers; text: string; body: Body };

/** Tests read answers by their fields; what is not there reads as undefined. */
type Body = { [name: string]: Body } & { [at: number]: Body } & Iterable<Body>;

/** Sends one request, as a program of a carrier's customer would. */
export async function ask(
  url: string,
  { method, headers = {}, json, form, text: given, timeoutMs = 20_000 }: Question = {},
): Promise<Reply> {
  const body = form
    ? new URLSearchParams(form).toString()
    : (given ?? (json === undefined ? undefined : JSON.stringify(json)));
  const type = form ? "application/x-www-form-urlencoded" : "application/json";
  const response = await fetch(url, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { ...(body !== undefined && { "content-type": type }), ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return undefined as unknown as Body;
  }
}

/** A field of an answer as text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
}

export type CarrierClient = (method: string, path: string, body?: unknown) => Promise<Answer>;

/** Sends requests as an adapter would, with the same headers each time. Texts are sent as they are, anything else as JSON. */
export function carrierClient(url: string, headers: Record<string, string> = {}): CarrierClient {
  return async (method, path, body) =>
    await ask(url + path, { method, headers, ...(typeof body === "string" ? { text: body } : { json: body }) });
}
