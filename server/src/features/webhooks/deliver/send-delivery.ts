import { cutText } from "../../../core/cut-text.ts";
import { HubError } from "../../../core/errors.ts";
import { createHttpClient } from "../../../core/outbound/outbound.ts";
import { readRetryAfter } from "../../../core/outbound/outbound-retry.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import { cleanText } from "../../../core/strict-json.ts";
import type { World } from "../../../context.ts";
import { perWorld } from "../../../context.ts";
import type { EventEnvelope, SealedEvent } from "../../../events/event-envelope.ts";
import { envelopeOf } from "../../../events/event-envelope.ts";
import { findOutboundHosts } from "../../organizations/organizations.ts";
import { echoStatus, refuseFromPreview, refusePlainHttp } from "../webhook-address.ts";
import type { SealedPart } from "../webhook-signing.ts";
import { openPart, signedHeaders, signerOf } from "../webhook-signing.ts";
import type { Target } from "./webhook-work.store.ts";
import type { Outcome } from "./delivery-outcome.ts";
import { isTaken, maxRetryAfterMs } from "./delivery-outcome.ts";

const timeoutMs = 15_000;
const maxBodyBytes = 64 * 1024;
const keptBytes = 4 * 1024;
const maxHeaders = 50;
/** More than all deliveries under way: nobody waits for a connection because another one's endpoint is slow. */
const connections = 1_000;

type Message = { headers: Record<string, string>; body: string };

/** An event as it is sent, the same each time. */
export type Content = { id: string; body: string };

export const contentOf = (event: EventEnvelope): Content => ({ id: event.id, body: JSON.stringify(event) });

/** Of the last events: most go to several webhooks, which are not all as fast, and are written once. */
const lastContents = perWorld(() => ({ byId: new Map<string, Content>(), characters: 0 }));
const maxCharacters = 4 * 1024 ** 2;

export function contentOfEntry(world: World, entry: SealedEvent): Content {
  const last = lastContents(world);
  const known = last.byId.get(entry.id);
  if (known) return known;
  const content = contentOf(envelopeOf(world.environment, entry));
  last.byId.set(entry.id, content);
  last.characters += content.body.length;
  for (const [id, { body }] of last.byId) {
    if (last.characters <= maxCharacters) break;
    last.byId.delete(id);
    last.characters -= body.length;
  }
  return content;
}

/** The request that is sent, signed anew for the moment. */
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

/** Every webhook has up to two; they are opened once. */
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

/** Sends it once. Never throws: whatever goes wrong is an outcome, too. Undefined: nothing was sent, and it says nothing. */
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
    const answer = await exchange(world, target, message, options);
    return { message, outcome: { ...ended(), ...readAnswer(world, answer) } };
  } catch (error) {
    if (options.signal?.aborted || (error instanceof RemoteError && error.code === "too_late")) return undefined;
    const failure = { status: null, headers: null, answer: null, retryAfterMs: undefined };
    return { message, outcome: { ...ended(), ...failure, error: explain(world, target, error) } };
  }
}

type Answered = { status: number; headers: Record<string, string>; text: string };

async function exchange(world: World, target: Target, message: Message, options: SendOptions): Promise<Answered> {
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
    // An endpoint that fails is left alone by its own rules, on all nodes together.
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

function readAnswer({ clock }: World, { status, headers, text }: Answered) {
  const outcome = { status, headers: keptHeaders(headers), answer: cleanText(text) };
  const retryAfterMs = readRetryAfter(headers["retry-after"], clock.real(), maxRetryAfterMs);
  if (isTaken({ status } as Outcome)) return { ...outcome, error: null, retryAfterMs: undefined };
  const message = status === 410 ? "The endpoint is gone (410)." : `The endpoint answered ${status}, not 2xx.`;
  return { ...outcome, error: { code: "not_taken", message }, retryAfterMs };
}

/** Cookies are between the endpoint and whoever it thinks we are. */
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
  log.error({ err: error, webhookId: id }, "a delivery could not be made");
  const message =
    "The secrets of the webhook cannot be opened with the keys of this hub. Rotate its secret, set its headers.";
  return { code: "secrets_unreadable", message };
}
