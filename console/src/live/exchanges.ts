import type { Exchange } from "@order-operations-hub/sdk/client";

/** Requests of this tab, newest first, for the dock. */
export type Logged = Exchange & { id: number };

const maxKept = 200;
let kept: readonly Logged[] = [];
let next = 1;
const listeners = new Set<() => void>();

/** Passwords and codes are not logged: the dock stays readable after they were typed. */
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

/** Headers that the browser adds or that only matter to this page. */
const ownHeaders = new Set(["accept", "idempotency-key"]);

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same request as a curl command, with an API key instead of the session cookie. */
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
