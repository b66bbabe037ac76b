import { createHttpClient } from "./outbound.ts";

/** For addresses that only whoever runs the hub can set, such as the OIDC issuer: they may be in its own network. */
const client = createHttpClient({ allowPrivate: true, breakerKey: "documents", timeoutMs: 5000, attempts: 1 });
const maxBytes = 1024 * 1024;

export async function outboundFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const { status, text } = await client.request({ url, headers, maxBytes });
  return new Response(text === "" ? null : text, { status });
}

export async function outboundJson(url: URL): Promise<unknown> {
  const response = await client.request({ url, maxBytes });
  if (response.status !== 200) throw new Error(`${url.href} answered ${response.status}`);
  return response.json();
}
