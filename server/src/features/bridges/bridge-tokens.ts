import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { ClientCredentials, FreshToken } from "../../connectors/access-token.ts";
import { requestToken } from "../../connectors/access-token.ts";
import type { TokenRequest } from "../../connectors/connector.ts";
import type { HttpClient } from "../../core/outbound/outbound-request.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { BridgeRow } from "./bridges.store.ts";
import type { StoredToken } from "./bridge-tokens.store.ts";
import * as store from "./bridge-tokens.store.ts";

/** The credentials and request that a token was issued for; with others it is invalid. */
type TokenData = { accessToken: string; refreshToken?: string | undefined; client: string; request: string };
type Usable = TokenData & { renewAt: number };

/** The bridge and its token request. */
type SignIn = {
  row: BridgeRow;
  request: TokenRequest;
  client: ClientCredentials;
  http: HttpClient;
  signal: AbortSignal;
};

const maxRemembered = 1_000;

/** Tokens cached in this process, and pending requests, so that tasks do not read them from the database. */
const memory = perWorld(() => ({ tokens: new Map<string, Usable>(), flights: new Map<string, Promise<string>>() }));

/** The access token of the bridge, reused until shortly before it expires; `rejected`: a token to replace. */
export async function findAccessToken(world: World, signIn: SignIn, refused: string | undefined): Promise<string> {
  const { tokens, flights } = memory(world);
  const { id } = signIn.row;
  const known = tokens.get(id);
  if (known && isUsable(world, signIn, known, refused)) return known.accessToken;
  const flight = flights.get(id);
  if (flight) {
    // A failure or cancellation of another caller does not apply to this one.
    const token = await flight.catch(() => undefined);
    if (token !== undefined && token !== refused) return token;
  }
  const own = renew(world, signIn, refused);
  flights.set(id, own);
  try {
    return await own;
  } finally {
    if (flights.get(id) === own) flights.delete(id);
  }
}

const lookAgainMs = 200;

/** One process at a time requests a token; the others wait for it. */
async function renew(world: World, signIn: SignIn, refused: string | undefined): Promise<string> {
  const owner = randomUUID();
  for (;;) {
    signIn.signal.throwIfAborted();
    const claimed = await store.claimToken(world.db, signIn.row, owner);
    const kept = open(world, signIn, claimed ?? (await store.findToken(world.db, signIn.row)));
    if (kept && isUsable(world, signIn, kept, refused)) {
      if (claimed) await store.releaseToken(world.db, signIn.row, owner);
      return remember(world, signIn, kept).accessToken;
    }
    if (claimed) return await ask(world, signIn, owner, kept);
    await delay(lookAgainMs);
  }
}

async function ask(world: World, signIn: SignIn, owner: string, kept: Usable | undefined): Promise<string> {
  const { row, request, client } = signIn;
  let isSaved = false;
  try {
    const refreshToken = kept?.refreshToken ?? client.refreshToken;
    const given = await requestToken(signIn, request, { ...client, ...(refreshToken ? { refreshToken } : {}) });
    const fresh = usableFrom(world, signIn, given, refreshToken);
    const { renewAt, ...secret } = fresh;
    const sealed = world.secrets.seal(JSON.stringify(secret), contextOf(row));
    await store.saveToken(world.db, row, owner, { sealed, renew_at: new Date(renewAt) });
    isSaved = true;
    return remember(world, signIn, fresh).accessToken;
  } finally {
    if (!isSaved) await store.releaseToken(world.db, row, owner);
  }
}

/** Renewed when a tenth of its lifetime, or five minutes, are left, so that requests do not outlive it. */
const renewBeforeMs = 5 * 60_000;

function usableFrom(world: World, signIn: SignIn, given: FreshToken, used: string | undefined): Usable {
  const { accessToken, lifetimeSeconds, refreshToken = used } = given;
  const lifeMs = lifetimeSeconds * 1000;
  const renewAt = world.clock.real().getTime() + lifeMs - Math.min(renewBeforeMs, lifeMs / 10);
  return { accessToken, refreshToken, client: clientOf(signIn), request: requestOf(signIn), renewAt };
}

function isUsable(world: World, signIn: SignIn, token: Usable, refused: string | undefined): boolean {
  return (
    token.accessToken !== refused &&
    token.renewAt > world.clock.real().getTime() &&
    token.client === clientOf(signIn) &&
    token.request === requestOf(signIn)
  );
}

/** Undefined if there is none, or it was issued for other credentials. */
function open(world: World, signIn: SignIn, stored: StoredToken | undefined): Usable | undefined {
  if (!stored?.sealed || !stored.renew_at) return undefined;
  const kept = JSON.parse(world.secrets.open(stored.sealed, contextOf(signIn.row))) as TokenData;
  return kept.client === clientOf(signIn) ? { ...kept, renewAt: stored.renew_at.getTime() } : undefined;
}

function remember(world: World, { row }: SignIn, token: Usable): Usable {
  const { tokens } = memory(world);
  tokens.delete(row.id);
  tokens.set(row.id, token);
  if (tokens.size > maxRemembered) tokens.delete(tokens.keys().next().value!);
  return token;
}

function clientOf({ request: { url }, client: { clientId, clientSecret, refreshToken } }: SignIn): string {
  return JSON.stringify([url, clientId, clientSecret, refreshToken]);
}

function requestOf({ request: { grant, clientAuth, scope, audience } }: SignIn): string {
  return JSON.stringify([grant, clientAuth, scope, audience]);
}

function contextOf({ org_id, id }: BridgeRow): string {
  return `bridge-token:${org_id}:${id}`;
}
