import type { ChaosHub } from "./chaos-hub.ts";
import { adminPassword } from "../../server/src/testing/launch-hub.ts";

/** "lost": unknown outcome, because the connection broke or the hub answered with a temporary error. */
export type Reply =
  | { kind: "answer"; status: number; body: Record<string, unknown>; isReplayed: boolean; sentAt: number; at: number }
  | { kind: "lost"; reason: string; retryAfterMs?: number };

/** `text`: a raw body. */
export type Call = { method: string; path: string; body?: unknown; text?: string; headers?: Record<string, string> };
export type Send = (call: Call) => Promise<Reply>;

const patienceMs = 45_000;

/** Uses an API key, which survives restarts. */
export async function signIn(hub: Pick<ChaosHub, "url">, email = "admin@hub.local"): Promise<Send> {
  const anonymous = createSender(hub, {});
  const credentials = { email, password: adminPassword };
  const token = await accepted(anonymous, { method: "POST", path: "/auth/token", body: credentials });
  const admin = createSender(hub, { authorization: `Bearer ${String(token.accessToken)}` });
  const { scopes } = await accepted(admin, { method: "GET", path: "/me" });
  const { key } = await accepted(admin, { method: "POST", path: "/api-keys", body: { name: "chaos", scopes } });
  return createSender(hub, { authorization: `Bearer ${String(key)}` });
}

/** Returns the body of a success, throws otherwise. */
export async function accepted(send: Send, call: Call): Promise<Record<string, unknown>> {
  const reply = await send(call);
  if (reply.kind === "answer" && reply.status < 300) return reply.body;
  throw new Error(`${call.method} ${call.path}: ${JSON.stringify(reply).slice(0, 2_000)}`);
}

export function createSender(hub: Pick<ChaosHub, "url">, headers: Record<string, string>): Send {
  return async ({ method, path, body, text: given, headers: more }) => {
    const sent = given ?? (body === undefined ? undefined : JSON.stringify(body));
    const url = await hub.url();
    const sentAt = performance.now();
    try {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...headers, ...more, ...(sent === undefined ? {} : { "content-type": "application/json" }) },
        ...(sent === undefined ? {} : { body: sent }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      const { status } = response;
      // 408: a hub that was frozen rejects requests that timed out meanwhile.
      if (status >= 500 || status === 429 || status === 408) {
        const retryAfterMs = Number(response.headers.get("retry-after") ?? 0) * 1_000;
        return { kind: "lost", reason: `${status} ${text.slice(0, 300)}`, retryAfterMs };
      }
      const isReplayed = response.headers.get("idempotency-replayed") === "true";
      const answer = JSON.parse(text) as Record<string, unknown>;
      return { kind: "answer", status, body: answer, isReplayed, sentAt, at: performance.now() };
    } catch (error) {
      return { kind: "lost", reason: String(error) };
    }
  };
}
