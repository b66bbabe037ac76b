import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Event } from "../../sdk/src/hub.ts";
import { note } from "./output.ts";

export type Delivery = {
  id: string;
  type: string;
  subject: string;
  /** 0 without a response. */
  status: number;
  durationMs: number;
  error?: string;
};

type Destination = { target: string; secret: string; signal: AbortSignal | undefined };

/** As the hub waits for a response to a webhook. */
const patienceMs = 15_000;
const firstWaitMs = 250;
const longestWaitMs = 5_000;

/** Sends an event as a webhook of the hub. Waits while nothing listens at the address. */
export async function deliver(event: Event, destination: Destination): Promise<Delivery> {
  const { target, signal } = destination;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    const delivery = await sendOnce(event, destination);
    if (delivery.error !== "ECONNREFUSED") return delivery;
    if (waitMs === firstWaitMs) note(`Nothing listens at ${target}. Trying again until something does.`);
    await delay(waitMs, undefined, signal ? { signal } : {});
  }
}

async function sendOnce(event: Event, { target, secret, signal }: Destination): Promise<Delivery> {
  const { id, type, subject } = event;
  const body = JSON.stringify(event);
  const from = performance.now();
  const outcome = (status: number, error?: string): Delivery => ({
    id,
    type,
    subject,
    status,
    durationMs: Math.round(performance.now() - from),
    ...(error === undefined ? {} : { error }),
  });
  const limit = AbortSignal.timeout(patienceMs);
  try {
    const response = await fetch(target, {
      method: "POST",
      headers: headersOf(id, body, secret),
      body,
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    await response.body?.cancel();
    return outcome(response.status, response.ok ? undefined : `HTTP ${response.status}`);
  } catch (error) {
    signal?.throwIfAborted();
    return outcome(0, limit.aborted ? `no response within ${patienceMs / 1000} s` : codeOf(error));
  }
}

/** Standard Webhooks: HMAC-SHA256 of id, timestamp and body. */
function headersOf(id: string, body: string, secret: string, at = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "order-operations-hub",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

/** Both addresses of localhost may have failed; the errors are then together. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const { code, message } = (inner ?? error) as { code?: string; message?: string };
  return code ?? message ?? "failed";
}
