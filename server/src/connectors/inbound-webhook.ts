import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { storable } from "../core/strict-json.ts";
import { Type } from "../core/type.ts";
import { objectOf } from "./shape.ts";

/** A request of the other side, which nobody asked for and anybody could have sent. */
export type WebhookRequest = {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As it came: the signature is over these bytes. */
  body: Buffer;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  now: Date;
};

/** What is kept of it until its task has taken it in. */
export type InboundWebhook = {
  /** The same when it is sent once more. */
  id: string;
  topic: string;
  /** Which pull takes it in. */
  task: string;
  /** JSON; no more of it than is needed. */
  payload: unknown;
};

/**
 * `off`: this bridge has no secret to know its shop by. `not_signed`: it is not the shop's. `ignored`: it is, and says nothing that
 * matters here. `problem`: it is, and cannot be read.
 */
export type ReadWebhook = InboundWebhook | { problem: string } | "off" | "not_signed" | "ignored";

/** The credential by which a bridge knows who sends them. */
export function webhookSecret(description: string) {
  return Type.Optional(
    Type.String({ title: "Webhook secret", "x-widget": "password", minLength: 1, maxLength: 500, description }),
  );
}

export function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value.trim() : "";
}

/** HMAC-SHA256 of these bytes under one of the secrets; takes as long for a wrong signature as for a right one. */
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

/** Of the credentials, those that are texts. */
export function secretsIn(credentials: Record<string, unknown>, names: readonly string[]): string[] {
  return names.map((name) => credentials[name]).filter((secret): secret is string => typeof secret === "string");
}

/** Undefined: it is not JSON. */
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

/** What it is known by when it comes again; one that has no id is known by what it says. */
export function webhookIdOf(given: string, { body }: WebhookRequest): string {
  return given === "" || given.length > 200 ? createHash("sha256").update(body).digest("hex") : given;
}
