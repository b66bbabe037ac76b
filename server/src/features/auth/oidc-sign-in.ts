import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, Settings } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { Browser } from "../../route.ts";
import { WithCookies } from "../../route.ts";
import type { UserIdentity } from "../users/users.schemas.ts";
import { findOidcIdentity, markSignedIn } from "../users/users.ts";
import type { OidcSessionRequest, OidcSignInRequest } from "./auth.schemas.ts";
import type { OidcIssuer } from "./oidc-issuer.ts";
import { fetchDocument, getOidcIssuer, issuerUnavailable, maxDocumentBytes } from "./oidc-issuer.ts";
import { authTimeOf, verifiedEmailOf, verifySigned } from "./oidc.ts";
import type { ClientInfo } from "./start-session.ts";
import { newSessionCookie, sessionResponse, startSession } from "./start-session.ts";

/** Redirect URI: a console page, which then requests its session. */
const callbackPath = "/sign-in/callback";
const signInTimeoutSeconds = 600;
/** Length with escapes; it is part of a cookie, which is limited to 4 KB. */
const maxReturnPathLength = 1_000;
/** Maximum age of `auth_time` for a re-authentication, including clock differences. */
const maxAuthAgeSeconds = 300;

/**
 * State of a sign-in until the browser returns. Stored in an encrypted cookie of that browser: the redirect URL is useless in
 * any other browser, and anonymous requests write nothing to the database.
 */
type PendingSignIn = {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  returnTo: string;
  reauthenticate: boolean;
  expiresAt: number;
};

/** Authorization code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636). */
export async function startOidcSignIn(ctx: Ctx, request: OidcSignInRequest, { origin }: Browser) {
  const client = getClient(ctx);
  const returnTo = readReturnPath(request.returnTo ?? "/");
  const { authorization } = await getEndpoints(ctx);
  const pending: PendingSignIn = {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    redirectUri: origin + callbackPath,
    returnTo,
    reauthenticate: request.reauthenticate ?? false,
    expiresAt: ctx.clock.real().getTime() + signInTimeoutSeconds * 1000,
  };
  const url = new URL(authorization);
  const params = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: pending.redirectUri,
    scope: "openid email",
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: hash("sha256", pending.verifier, "base64url"),
    code_challenge_method: "S256",
    // Asks for credentials even if the user is signed in there, and returns `auth_time`.
    ...(pending.reauthenticate ? { prompt: "login", max_age: "0" } : {}),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const value = ctx.secrets.seal(JSON.stringify(pending), purposeOf(ctx));
  return new WithCookies({ url: url.href }, { signIn: { value, maxAgeSeconds: signInTimeoutSeconds } });
}

/** Exchanges the code of the redirect and starts the same session as a password sign-in. */
export async function completeOidcSignIn(
  ctx: Ctx,
  request: OidcSessionRequest,
  browser: Browser,
  clientInfo: ClientInfo,
) {
  const client = getClient(ctx);
  const pending = openPendingSignIn(ctx, browser.signIn);
  if (pending?.state !== request.state) {
    throw new HubError(
      "sign_in_not_started",
      "The sign-in was started in another browser or more than 10 minutes ago, or is already complete. Start again.",
    );
  }
  const endpoints = await getEndpoints(ctx);
  requireIssuer(ctx, endpoints, request.iss);
  if (request.error !== undefined) {
    throw rejected(
      `The identity provider returned ${[request.error, request.errorDescription].filter(Boolean).join(": ")}.`,
    );
  }
  if (request.code === undefined) throw badField("/code", "required", "Send `code` or `error` from the redirect.");
  const redeemed = await releaseSlotWhile(ctx, () =>
    redeemCode(ctx, { ...endpoints, client, pending, code: request.code! }),
  );
  const user = await findOidcIdentity(ctx, redeemed.subject, redeemed.verifiedEmail);
  if (!user) throw accountNotLinked();
  return await startBrowserSessionOf(ctx, user, clientInfo, {
    authenticatedAt: redeemed.authenticatedAt,
    returnTo: pending.returnTo,
  });
}

async function startBrowserSessionOf(
  ctx: Ctx,
  user: UserIdentity,
  clientInfo: ClientInfo,
  { authenticatedAt, returnTo }: { authenticatedAt: Date | undefined; returnTo: string },
) {
  const { cookie, cookieHash } = newSessionCookie();
  const answer = await ctx.db.transaction(async (tx) => {
    if (!(await markSignedIn(tx, user.id, ctx.clock.real()))) throw accountNotLinked();
    const { expiresAt } = await startSession(tx, ctx, user, clientInfo, {
      cookieHash,
      identityProvider: { authenticatedAt },
    });
    return { ...sessionResponse(user, expiresAt), returnTo };
  });
  return new WithCookies(answer, { session: cookie, signIn: null });
}

type Client = NonNullable<NonNullable<Settings["oidc"]>["client"]>;
type Endpoints = NonNullable<OidcIssuer["signIn"]>;

function getClient({ settings }: Ctx): Client {
  const client = settings.oidc?.client;
  if (client) return client;
  throw new HubError("invalid_state", "OIDC sign-in is not configured: HUB_OIDC_CLIENT_ID is not set.");
}

async function getEndpoints(ctx: Ctx): Promise<Endpoints> {
  const { signIn } = await releaseSlotWhile(ctx, () => getOidcIssuer(ctx));
  if (signIn) return signIn;
  throw issuerUnavailable(ctx, new Error("its discovery document lacks authorization_endpoint or token_endpoint"));
}

/** Accepts only paths of the console: any other URL would make the hub an open redirect. */
function readReturnPath(returnTo: string): string {
  const url = URL.parse(returnTo, "http://hub.invalid");
  const path = url === null ? "" : url.pathname + url.search + url.hash;
  // Once dot segments are resolved, a path may begin with two slashes, which browsers read as another host.
  const isOurs = returnTo.startsWith("/") && url?.origin === "http://hub.invalid" && !path.startsWith("//");
  if (isOurs && path.length <= maxReturnPathLength) return path;
  throw badField(
    "/returnTo",
    "not_a_path",
    "Must be a path of this hub, such as /orders?status=ready, of at most 1,000 characters including escapes.",
  );
}

function openPendingSignIn(ctx: Ctx, sealed: string | undefined): PendingSignIn | undefined {
  if (sealed === undefined) return undefined;
  try {
    const pending = JSON.parse(ctx.secrets.open(sealed, purposeOf(ctx))) as PendingSignIn;
    return pending.expiresAt > ctx.clock.real().getTime() ? pending : undefined;
  } catch {
    // Encrypted with another key, or forged.
    return undefined;
  }
}

/** Rejects authorization responses of other issuers (mix-up attack, RFC 9207). */
function requireIssuer({ settings }: Ctx, { sendsIss }: Endpoints, given: string | undefined): void {
  const isOther = given === undefined ? sendsIss : given !== settings.oidc!.issuer;
  if (isOther) throw rejected("The response comes from another identity provider.");
}

type Redeemed = { subject: string; verifiedEmail: string | undefined; authenticatedAt: Date | undefined };
type Redemption = Endpoints & { client: Client; pending: PendingSignIn; code: string };

async function redeemCode(ctx: Ctx, redemption: Redemption): Promise<Redeemed> {
  const { pending, client, userInfo } = redemption;
  const { idToken, accessToken } = await requestTokens(ctx, redemption);
  const claims = await readIdToken(ctx, idToken, { clientId: client.id, pending });
  const subject = claims.sub!;
  // Issuers may leave the email address out of the ID token and return it from the UserInfo endpoint only.
  const requiresUserInfo = claims["email"] === undefined && userInfo !== undefined && accessToken !== undefined;
  const profile = requiresUserInfo
    ? await fetchDocument(userInfo, accessToken).catch((error: unknown) => {
        throw issuerUnavailable(ctx, error);
      })
    : claims;
  if (profile["sub"] !== subject) throw rejected("The UserInfo response belongs to another subject than the ID token.");
  return { subject, verifiedEmail: verifiedEmailOf(profile), authenticatedAt: authTimeOf(claims) };
}

async function requestTokens(ctx: Ctx, { token, takesSecretInBody, tokenClient, client, pending, code }: Redemption) {
  const { id, secret } = client;
  const isInHeader = secret !== undefined && !takesSecretInBody;
  const basic = Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret ?? "")}`).toString("base64");
  const response = await tokenClient
    .request({
      method: "POST",
      url: token,
      headers: { accept: "application/json", ...(isInHeader ? { authorization: `Basic ${basic}` } : {}) },
      body: {
        form: {
          grant_type: "authorization_code",
          code,
          redirect_uri: pending.redirectUri,
          code_verifier: pending.verifier,
          ...(isInHeader ? {} : { client_id: id }),
          ...(secret === undefined || isInHeader ? {} : { client_secret: secret }),
        },
      },
      maxBytes: maxDocumentBytes,
    })
    .catch((error: unknown) => {
      throw issuerUnavailable(ctx, error);
    });
  const answer = readObject(response.text);
  if (response.status >= 500)
    throw issuerUnavailable(ctx, new Error(`the token endpoint returned status ${response.status}`));
  const { id_token: idToken, access_token: accessToken, error } = answer;
  if (response.status !== 200 || typeof idToken !== "string") {
    ctx.log.warn({ status: response.status, error }, "the OIDC issuer rejected an authorization code");
    throw rejected("The identity provider rejected the code, which works once and for a short time. Start again.");
  }
  return { idToken, accessToken: typeof accessToken === "string" ? accessToken : undefined };
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The checks of OpenID Connect Core 1.0, section 3.1.3.7. */
async function readIdToken(
  ctx: Ctx,
  token: string,
  { clientId, pending }: { clientId: string; pending: PendingSignIn },
) {
  const rules = { audience: clientId, types: ["jwt"], claims: ["iat", "nonce"] };
  const claims = await verifySigned(ctx, token, rules).catch((error: unknown) => {
    if (error instanceof HubError) throw error;
    ctx.log.warn({ err: error }, "rejected an ID token of the OIDC issuer");
    throw rejected("The ID token of the identity provider is invalid; see the hub's log for the reason.");
  });
  const isForOtherClient = claims["azp"] === undefined ? [claims.aud].flat().length > 1 : claims["azp"] !== clientId;
  if (isForOtherClient) throw rejected("The ID token of the identity provider was issued to another client.");
  if (claims["nonce"] !== pending.nonce)
    throw rejected("The ID token of the identity provider belongs to another sign-in.");
  const authenticatedAt = authTimeOf(claims)?.getTime() ?? 0;
  if (pending.reauthenticate && ctx.clock.real().getTime() - authenticatedAt > maxAuthAgeSeconds * 1000) {
    throw rejected("The identity provider did not re-authenticate you.");
  }
  return claims;
}

const rejected = (detail: string): HubError => new HubError("identity_provider_rejected", detail);

const accountNotLinked = (): HubError =>
  new HubError(
    "account_not_linked",
    "Ask an administrator to create a user with the verified email address of your identity provider account.",
  );

const purposeOf = ({ environment }: Ctx): string => `oidc-sign-in:${environment}`;

const randomText = (): string => randomBytes(32).toString("base64url");
