/**
 * The only place that calls out. Nothing here follows redirects, waits without limit or reads without limit.
 * Used so far for the OIDC issuer alone, an address that only whoever runs the hub can set.
 */
const timeoutMs = 5_000;
const maxBytes = 1024 * 1024;

export async function outboundFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: "error", signal: AbortSignal.timeout(timeoutMs) });
  if (Number(response.headers.get("content-length") ?? 0) > maxBytes) throw new Error(`${url} answered too much`);
  return response;
}

export async function outboundJson(url: URL): Promise<unknown> {
  const response = await outboundFetch(url.href, { headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${url.href} answered ${response.status}`);
  return await response.json();
}
