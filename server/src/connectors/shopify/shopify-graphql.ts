import { setTimeout as sleepFor } from "node:timers/promises";
import { answerWithoutId, ask, readJson } from "../../core/outbound/ask-remote.ts";
import type { HttpRequest } from "../../core/outbound/outbound-request.ts";
import { askSignedIn } from "../access-token.ts";
import type { Call, Settings, TokenRequest } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Followed } from "../followed.ts";
import { createFollowed, paginationLoop } from "../followed.ts";
import type { Json } from "../shape.ts";
import { asText, listOf, numberOf, objectOf } from "../shape.ts";

/** The version that the queries are written for. Shopify serves each version for at least a year. */
export const apiVersion = "2026-07";

const maxThrottled = 8;
const maxWaitMs = 20_000;

export function shopAddress(settings: Settings): string {
  const { shop, baseUrl } = settings as Record<string, string | undefined>;
  const host = `${(shop ?? "").replace(/\.myshopify\.com$/, "")}.myshopify.com`;
  return (baseUrl ?? `https://${host}`).replace(/\/$/, "");
}

function versionOf({ settings }: Pick<Call, "settings">): string {
  return (settings.apiVersion as string | undefined) ?? apiVersion;
}

function shopUrl(call: Pick<Call, "settings">): string {
  return `${shopAddress(call.settings)}/admin/api/${versionOf(call)}/graphql.json`;
}

/** Current apps have a client id and secret and get tokens that are valid for 24 hours; older apps have a permanent token. */
export function signIn(settings: Settings, { clientId }: Record<string, unknown>): TokenRequest | undefined {
  if (clientId === undefined) return undefined;
  const url = `${shopAddress(settings)}/admin/oauth/access_token`;
  return { url, grant: "client_credentials", clientAuth: "body" };
}

/** A query changes nothing, so it may be repeated after a failure. */
export async function query(call: Call, document: string, variables: Json = {}): Promise<Json> {
  return await run(call, document, variables, true);
}

/** A mutation is sent once. `field` is its name. Its userErrors are failures, although the status is 200. */
export async function mutate(call: Call, document: string, field: string, variables: Json): Promise<Json> {
  const { [field]: answered } = await run(call, document, variables, false);
  if ((answered ?? null) === null) throw answerWithoutId(field);
  const result = objectOf(answered);
  const errors = listOf(result.userErrors).map(({ message }) => asText(message));
  if (errors.length > 0) throw new RemoteError("rejected", `Shopify did not accept it: ${errors.join(" ")}`);
  return result;
}

async function run(call: Call, document: string, variables: Json, isRead: boolean): Promise<Json> {
  const request = (token: string): HttpRequest => ({
    method: "POST",
    url: shopUrl(call),
    headers: { "x-shopify-access-token": token },
    body: { json: { query: document, variables } },
    retry: isRead ? "safe" : "never",
  });
  const { clientId, accessToken } = call.credentials;
  for (let attempt = 1; ; attempt++) {
    const response = await (clientId === undefined
      ? ask(call, request(asText(accessToken)))
      : askSignedIn(call, request));
    noteVersion(call, response.headers);
    const body = objectOf(readJson(response));
    const errors = listOf(body.errors);
    const cost = objectOf(objectOf(body.extensions).cost);
    if (!errors.some(isThrottled)) {
      if (errors.length > 0) throw graphqlError(errors, isRead);
      // Waiting now is cheaper than a throttled request later.
      if (isRead) await wait(call, waitFor(cost));
      return objectOf(body.data);
    }
    // A throttled request was not executed, so even a mutation may be sent again.
    const waitMs = Math.max(waitFor(cost), 200);
    if (attempt >= maxThrottled || waitMs > maxWaitMs) {
      const message = "Shopify limits the rate of requests at the moment.";
      throw new RemoteError("rate_limited", message, { retryable: true, retryAfterMs: waitMs });
    }
    call.log("info", `Shopify throttles; waiting ${waitMs} ms.`);
    await wait(call, waitMs);
  }
}

const noted = new WeakMap<Call["http"], Map<string, string>>();

/** What Shopify has reported about the version of its API during this attempt. */
export function versionWarnings({ http }: Pick<Call, "http">): string[] {
  return [...(noted.get(http)?.values() ?? [])];
}

/** An expired version is not refused: Shopify serves the oldest one that it still supports, which may lack fields. */
function noteVersion(call: Call, headers: Record<string, string>): void {
  const served = headers["x-shopify-api-version"];
  const deprecated = headers["x-shopify-api-deprecated-reason"];
  const requested = versionOf(call);
  if (served !== undefined && served !== requested) {
    warnOnce(call, "version", `Shopify served version ${served} of its API in place of ${requested}. Update the hub.`);
  }
  if (deprecated !== undefined) {
    warnOnce(call, "deprecated", `Shopify will remove what the hub uses of its API: ${deprecated.slice(0, 300)}`);
  }
}

/** Every response has these headers, so each warning is logged once in an attempt. */
function warnOnce(call: Call, kind: string, message: string): void {
  const known = noted.get(call.http) ?? new Map<string, string>();
  noted.set(call.http, known);
  if (known.has(kind)) return;
  known.set(kind, message);
  call.log("warn", message);
}

/** Time until the bucket has refilled to the estimated cost of this request. */
function waitFor(cost: Json): number {
  const { currentlyAvailable, restoreRate } = objectOf(cost.throttleStatus);
  const missing = numberOf(cost.requestedQueryCost ?? 0) - numberOf(currentlyAvailable ?? 0);
  const rate = numberOf(restoreRate ?? 0);
  return missing > 0 && rate > 0 ? Math.ceil((missing / rate) * 1000) : 0;
}

async function wait(call: Call, ms: number): Promise<void> {
  if (ms === 0) return;
  await sleepFor(Math.min(ms, maxWaitMs), undefined, { signal: call.signal }).catch((cause: unknown) => {
    throw new RemoteError("cancelled", "The call was cancelled.", { cause });
  });
}

function codeOf(error: Json): unknown {
  return objectOf(error.extensions).code;
}

function isThrottled(error: Json): boolean {
  return codeOf(error) === "THROTTLED";
}

/** The app lacks a scope for these fields. */
export class AccessDenied extends RemoteError {
  readonly fields: readonly string[];

  constructor(message: string, fields: readonly string[]) {
    super("forbidden", message);
    this.fields = fields;
  }
}

/** The field that an error is about: its path ends there. */
function fieldOf({ path }: Json): string {
  return Array.isArray(path) ? asText(path.findLast((step) => typeof step === "string")) : "";
}

function graphqlError(errors: Json[], isRead: boolean): RemoteError {
  const text = errors
    .map(({ message }) => asText(message))
    .join(" ")
    .slice(0, 500);
  const denied = errors.filter((error) => codeOf(error) === "ACCESS_DENIED");
  if (denied.length > 0) return new AccessDenied(`The access token lacks a scope: ${text}`, denied.map(fieldOf));
  const isTheirs = errors.some((error) => codeOf(error) === "INTERNAL_SERVER_ERROR" || codeOf(error) === "TIMEOUT");
  const options = { retryable: isTheirs, mayHaveHappened: isTheirs && !isRead };
  return new RemoteError(isTheirs ? "remote_error" : "rejected", `Shopify answered with an error: ${text}`, options);
}

/** The cursor of the next page; undefined after the last one. */
export function nextAfter({ hasNextPage, endCursor }: Json, followed: Followed): string | undefined {
  if (hasNextPage !== true) return undefined;
  const after = asText(endCursor);
  if (after === "" || followed.has(after)) throw paginationLoop();
  followed.add(after);
  return after;
}

/** All nodes of a list. `first` is its first page; `more` reads the page after a cursor. */
export async function allNodes(first: unknown, more: (after: string) => Promise<unknown>): Promise<Json[]> {
  const followed = createFollowed(undefined);
  const nodes: Json[] = [];
  for (let list = objectOf(first); ;) {
    nodes.push(...listOf(list.nodes));
    const after = nextAfter(objectOf(list.pageInfo), followed);
    if (after === undefined) return nodes;
    list = objectOf(await more(after));
  }
}

export function idOf(gid: unknown): string {
  return asText(gid).split("/").at(-1)!.split("?")[0]!;
}

export function gidOf(type: string, id: string): string {
  return id.startsWith("gid://") ? id : `gid://shopify/${type}/${id}`;
}
