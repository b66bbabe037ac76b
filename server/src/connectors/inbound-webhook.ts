import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { storable } from "../core/strict-json.ts";
import { Type } from "../core/type.ts";
import { objectOf } from "./shape.ts";

/** An unauthenticated request: only its signature proves the sender. */
export type WebhookRequest = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Raw bytes, which the signature covers. */
  body: Buffer;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  now: Date;
};

/** A verified webhook, stored until its task has processed it. */
export type InboundWebhook = {
  /** Equal for repeated deliveries. */
  id: string;
  topic: string;
  /** The pull task that processes it. */
  task: string;
  /** JSON; only the part that is needed. */
  payload: unknown;
};

/**
 * `off`: the bridge has no webhook secret. `not_signed`: the signature is wrong. `ignored`: verified, but irrelevant. `problem`:
 * verified, but unreadable.
 */
export type ReadWebhook = InboundWebhook | { problem: string } | "off" | "not_signed" | "ignored";

/** The credential that verifies webhooks. */
export function webhookSecret(description: string) {
  return Type.Optional(
    Type.String({ title: "Webhook secret", "x-widget": "password", minLength: 1, maxLength: 500, description }),
  );
}

export function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value.trim() : "";
}

/** Checks an HMAC-SHA256 against each secret, in constant time. */
export function isSigned(
  secrets: readonly (string | Buffer)[],
  content: readonly (string | Buffer)[],
  signature: Buffer,
): boolean {
  let isRight = false;
  for (const secret of secrets) {
    const hmac = createHmac("sha256", secret);
    for (const part of content) hmac.update(part);
    const expected = hmac.digest();
    if (signature.length === expected.length && timingSafeEqual(signature, expected)) isRight = true;
  }
  return isRight;
}

/** The credentials of these names that are set. */
export function secretsIn(credentials: Record<string, unknown>, names: readonly string[]): string[] {
  return names.map((name) => credentials[name]).filter((secret): secret is string => typeof secret === "string");
}

/** Undefined if the body is not JSON. */
export function jsonIn({ body }: WebhookRequest): unknown {
  try {
    const text = body.toString("utf8");
    return storable(JSON.parse(text), text);
  } catch {
    return undefined;
  }
}

export function objectIn(sent: WebhookRequest): Record<string, unknown> {
  return objectOf(jsonIn(sent));
}

/** The ID that identifies a repeated webhook; without one, a hash of the content. */
export function webhookIdOf(given: string, { body }: WebhookRequest): string {
  return given === "" || given.length > 200 ? createHash("sha256").update(body).digest("hex") : given;
}
