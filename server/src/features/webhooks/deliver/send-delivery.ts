import { cutText } from "../../../core/cut-text.ts";
import { HubError } from "../../../core/errors.ts";
import { createHttpClient } from "../../../core/outbound/outbound.ts";
import { readRetryAfter } from "../../../core/outbound/outbound-retry.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { cleanText } from "../../../core/strict-json.ts";
import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import { findOutboundHosts } from "../../organizations/organizations.ts";
import { echoStatus, refuseFromPreview, refusePlainHttp } from "../webhook-address.ts";
import type { SealedPart } from "../webhook-signing.ts";
import { openPart, signedHeaders, signerOf } from "../webhook-signing.ts";
import type { Target } from "./deliveries.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { isSuccess, maxRetryAfterMs } from "./delivery-outcome.ts";
import type { Content } from "./load-deliveries.ts";

const timeoutMs = 15_000;
const maxBodyBytes = 64 * 1024;
const keptBytes = 4 * 1024;
const maxHeaders = 50;
/** More than all concurrent deliveries: no request waits for a connection because another endpoint is slow. */
const connections = 1_000;

type Message = { headers: Record<string, string>; body: string };

/** Signs the content for this attempt. */
function messageFor(world: World, target: Target, { id, body }: Content): Message {
  const now = world.clock.real();
  const isRotating =
    target.sealedPreviousSecret !== null && target.previousUntil !== null && new Date(target.previousUntil) > now;
  const signers = [
    openSigner(world, target, "secret", target.sealedSecret),
    ...(isRotating ? [openSigner(world, target, "previous-secret", target.sealedPreviousSecret!)] : []),
  ];
  return {
    body,
    headers: { "content-type": "application/json", ...signedHeaders({ id, at: now, body }, signers) },
  };
}

/** Signers by sealed secret, of which a webhook has up to two. Opening one costs more than signing. */
const knownSigners = perWorld(() => new Map<string, ReturnType<typeof signerOf>>());
const maxKnown = 2_000;

function openSigner(world: World, { orgId, id, signing }: Target, part: SealedPart, sealed: string) {
  const known = knownSigners(world);
  let signer = known.get(sealed);
  if (!signer) {
    signer = signerOf(signing, openPart(world.secrets, part, orgId, id, sealed));
    if (known.size >= maxKnown) known.clear();
    known.set(sealed, signer);
  }
  return signer;
}

type SendOptions = { signal?: AbortSignal; mayStart?(): boolean };

/** Sends one request. Never throws: a failure is an outcome. Undefined: no request was sent. */
export async function sendOnce(
  world: World,
  target: Target,
  content: Content,
  options: SendOptions = {},
): Promise<{ outcome: Outcome; message: Message | undefined } | undefined> {
  const at = world.clock.now();
  const startedAt = performance.now();
  const ended = () => ({ at, durationMs: Math.round(performance.now() - startedAt) });
  let message: Message | undefined;
  try {
    message = messageFor(world, target, content);
    if (Buffer.byteLength(message.body) > maxBodyBytes) {
      throw new RemoteError("body_too_large", `The event has more than ${maxBodyBytes} bytes.`);
    }
    const response = await exchange(world, target, message, options);
    return { message, outcome: { ...ended(), ...readResponse(world, response) } };
  } catch (error) {
    if (options.signal?.aborted || (error instanceof RemoteError && error.code === "too_late")) return undefined;
    const failure = { status: null, headers: null, answer: null, retryAfterMs: undefined };
    return { message, outcome: { ...ended(), ...failure, error: explain(world, target, error) } };
  }
}

type Response = { status: number; headers: Record<string, string>; text: string };

async function exchange(world: World, target: Target, message: Message, options: SendOptions): Promise<Response> {
  refuseFromPreview(world, target.url);
  const echoed = echoStatus(target.url);
  if (echoed !== undefined) {
    return { status: echoed, headers: { "content-type": "application/json" }, text: message.body };
  }
  const { allowPrivate } = world.settings.outbound;
  const url = new URL(target.url);
  refusePlainHttp(url, allowPrivate);
  const own = openHeaders(world, target);
  const client = createHttpClient({
    allowPrivate,
    connections,
    credentialsFor: target.sealedHeaders === null ? undefined : [target.url],
    findAllowedHosts: () => findOutboundHosts(world, target.orgId),
    // The health of the webhook limits requests to a failing endpoint, on all nodes together.
    breakerKey: `${world.environment}:webhook:${target.id}`,
    breaker: "none",
  });
  return await client.request({
    ...options,
    method: "POST",
    url,
    headers: { ...own, ...message.headers, "accept-encoding": "identity" },
    body: { text: message.body, type: "application/json" },
    retry: "never",
    timeoutMs,
    keepBytes: keptBytes,
  });
}

function openHeaders({ secrets }: World, { orgId, id, sealedHeaders }: Target): Record<string, string> {
  if (sealedHeaders === null) return {};
  return JSON.parse(openPart(secrets, "headers", orgId, id, sealedHeaders)) as Record<string, string>;
}

function readResponse({ clock }: World, { status, headers, text }: Response) {
  const outcome = { status, headers: keptHeaders(headers), answer: cleanText(text) };
  const retryAfterMs = readRetryAfter(headers["retry-after"], clock.real(), maxRetryAfterMs);
  if (isSuccess({ status })) return { ...outcome, error: null, retryAfterMs: undefined };
  const message =
    status === 410
      ? "The endpoint responded with status 410 (gone)."
      : `The endpoint responded with status ${status}, not 2xx.`;
  return { ...outcome, error: { code: "unexpected_status", message }, retryAfterMs };
}

/** Without cookies: they may be credentials. */
function keptHeaders(headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => name !== "set-cookie");
  return Object.fromEntries(
    kept.slice(0, maxHeaders).map(([name, value]) => [cleanText(name), cleanText(cutText(value, 500))]),
  );
}

function explain({ log }: World, { id }: Target, error: unknown): { code: string; message: string } {
  if (error instanceof RemoteError || error instanceof HubError) {
    return { code: error.code, message: cleanText(error.message) };
  }
  log.error({ err: error, webhookId: id }, "a webhook request could not be made");
  const message =
    "The secrets of the webhook cannot be decrypted with the keys of this hub. Rotate its secret and set its headers again.";
  return { code: "secrets_unreadable", message };
}
