import type { Exchange } from "@order-operations-hub/sdk/client";

/** What this tab has asked the hub, newest first; the dock shows it. */
export type Logged = Exchange & { id: number };

const maxKept = 200;
let kept: readonly Logged[] = [];
let next = 1;
const listeners = new Set<() => void>();

/** Passwords and codes: whoever comes to this screen later must not read them. */
const isSecret = (url: string): boolean => /^\/api\/v1\/(auth|me\/(password|totp))(\/|$)/.test(url);

export function recordExchange({ body, ...exchange }: Exchange): void {
  const shown = body === undefined || !isSecret(exchange.url) ? body : "(not kept)";
  kept = [{ ...exchange, body: shown, id: next++ }, ...kept].slice(0, maxKept);
  for (const listener of listeners) listener();
}

export const listExchanges = (): readonly Logged[] => kept;

export function subscribeToExchanges(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Headers that the browser adds, or that only matter to this page. */
const ownHeaders = new Set(["accept", "idempotency-key"]);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same request for a terminal. The cookie stays here: a key takes its place. */
export function curlOf({ method, url, headers, body }: Pick<Exchange, "method" | "url" | "headers" | "body">): string {
  const shown = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(new URL(url, location.origin).href)}`,
    `-H "Authorization: Bearer $HUB_API_KEY"`,
    ...shown.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : [body instanceof Blob ? "--data-binary @file" : `-d ${quoted(JSON.stringify(body))}`]),
  ].join(" \\\n  ");
}
