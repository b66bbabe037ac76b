import type { ClientCredentials } from "../../connectors/access-token.ts";
import { requestToken } from "../../connectors/access-token.ts";
import type { TokenRequest } from "../../connectors/connector.ts";
import type { HttpClient } from "../../core/outbound/outbound-request.ts";
import type { World } from "../../context.ts";
import { sharedTokens } from "../../db/shared-tokens.ts";
import type { BridgeRow } from "./bridges.store.ts";
import { bridgeTokens } from "./bridge-tokens.store.ts";

/** A token with the credentials and request that it was issued for; with others it is invalid. */
type BridgeToken = { accessToken: string; refreshToken?: string | undefined; client: string; request: string };

/** The bridge and its token request. */
type SignIn = {
  row: BridgeRow;
  request: TokenRequest;
  client: ClientCredentials;
  http: HttpClient;
  signal: AbortSignal;
};

const tokens = sharedTokens<BridgeToken>(bridgeTokens, ({ orgId, key }) => `bridge-token:${orgId}:${key.join(":")}`);

/** The access token of the bridge, reused until shortly before it expires; `refused`: a token to replace. */
export async function findAccessToken(world: World, signIn: SignIn, refused: string | undefined): Promise<string> {
  const { row, signal } = signIn;
  const [client, request] = [clientOf(signIn), requestOf(signIn)];
  const { token } = await tokens.find(world, {
    orgId: row.org_id,
    key: [row.id],
    signal,
    isUsable: (kept) => kept.accessToken !== refused && kept.client === client && kept.request === request,
    async issue(previous) {
      const used = (previous?.client === client ? previous.refreshToken : undefined) ?? signIn.client.refreshToken;
      const given = await requestToken(signIn, signIn.request, {
        ...signIn.client,
        ...(used ? { refreshToken: used } : {}),
      });
      const { accessToken, lifetimeSeconds, refreshToken = used } = given;
      return { token: { accessToken, refreshToken, client, request }, lifetimeMs: lifetimeSeconds * 1000 };
    },
  });
  return token.accessToken;
}

function clientOf({ request: { url }, client: { clientId, clientSecret, refreshToken, privateKey } }: SignIn): string {
  // Without a key as before: a stored refresh token must stay valid for its client.
  return JSON.stringify([url, clientId, clientSecret, refreshToken, ...(privateKey === undefined ? [] : [privateKey])]);
}

function requestOf({ request: { grant, clientAuth, scope, audience } }: SignIn): string {
  return JSON.stringify([grant, clientAuth, scope, audience]);
}
