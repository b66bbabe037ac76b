import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx, Settings } from "../../context.ts";
import { waitOutside } from "../../context.ts";
import type { Browser } from "../../route.ts";
import { WithCookies } from "../../route.ts";
import type { UserIdentity } from "../users/users.schemas.ts";
import { findOidcIdentity, markSignedIn } from "../users/users.ts";
import type { OidcSessionRequest, OidcSignInRequest } from "./auth.schemas.ts";
import type { OidcIssuer } from "./oidc-issuer.ts";
import { fetchDocument, getOidcIssuer, issuerUnavailable, maxDocumentBytes } from "./oidc-issuer.ts";
import { provedAtOf, verifiedEmailOf, verifySigned } from "./oidc.ts";
import type { Visitor } from "./start-session.ts";
import { newSessionCookie, sessionAnswer, startSession } from "./start-session.ts";

/** Where the issuer sends the browser back to: a page of the console, which then asks for its session. */
const callbackPath = "/sign-in/callback";
const patienceSeconds = 600;
/** With its escapes: a cookie has 4 KB. */
const maxReturnAddress = 1_000;
/** Between the issuer's clock and ours, and for typing a password there. */
const freshProofSeconds = 300;

/**
 * What was begun, until the browser comes back. It is kept by that browser alone, sealed: whoever else has the address that
 * the issuer sent it to can do nothing with it, and strangers leave nothing behind in the database.
 */
type Begun = {
  state: string;
  nonce: string;
  verifier: string;
  redirectUri: string;
  returnTo: string;
  wantsProof: boolean;
  endsAt: number;
};

/** Authorization code flow with PKCE (OpenID Connect Core 1.0, section 3.1; RFC 7636). */
export async function beginOidcSignIn(ctx: Ctx, request: OidcSignInRequest, { origin }: Browser) {
  const client = getClient(ctx);
  const returnTo = readReturnAddress(request.returnTo ?? "/");
  const { authorization } = await getEndpoints(ctx);
  const begun: Begun = {
    state: randomText(),
    nonce: randomText(),
    verifier: randomText(),
    redirectUri: origin + callbackPath,
    returnTo,
    wantsProof: request.again ?? false,
    endsAt: ctx.clock.real().getTime() + patienceSeconds * 1000,
  };
  const url = new URL(authorization);
  const params = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: begun.redirectUri,
    scope: "openid email",
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: hash("sha256", begun.verifier, "base64url"),
    code_challenge_method: "S256",
    // With it the issuer asks, though somebody is signed in there, and says when it did.
    ...(begun.wantsProof ? { prompt: "login", max_age: "0" } : {}),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const value = ctx.secrets.seal(JSON.stringify(begun), purposeOf(ctx));
  return new WithCookies({ url: url.href }, { signIn: { value, maxAgeSeconds: patienceSeconds } });
}

/** The browser is back from the issuer: it gets the session that a password would have given. */
export async function finishOidcSignIn(ctx: Ctx, request: OidcSessionRequest, browser: Browser, visitor: Visitor) {
  const client = getClient(ctx);
  const begun = openBegun(ctx, browser.signIn);
  if (begun?.state !== request.state) {
    throw new HubError(
      "sign_in_not_started",
      "It was begun in another browser, more than 10 minutes ago, or was finished already. Begin again.",
    );
  }
  const endpoints = await getEndpoints(ctx);
  refuseOtherIssuer(ctx, endpoints, request.iss);
  if (request.error !== undefined) {
    throw refused(
      `The identity provider answered ${[request.error, request.errorDescription].filter(Boolean).join(": ")}.`,
    );
  }
  if (request.code === undefined) throw badField("/code", "required", "Send the `code` of the issuer, or its `error`.");
  const proven = await waitOutside(ctx, () => redeemCode(ctx, { ...endpoints, client, begun, code: request.code! }));
  const user = await findOidcIdentity(ctx, proven.subject, proven.verifiedEmail);
  if (!user) throw unknownAccount();
  return await startBrowserSessionOf(ctx, user, visitor, { provedAt: proven.provedAt, returnTo: begun.returnTo });
}

async function startBrowserSessionOf(
  ctx: Ctx,
  user: UserIdentity,
  visitor: Visitor,
  { provedAt, returnTo }: { provedAt: Date | undefined; returnTo: string },
) {
  const { cookie, cookieHash } = newSessionCookie();
  const answer = await ctx.db.transaction(async (tx) => {
    if (!(await markSignedIn(tx, user.id, ctx.clock.real()))) throw unknownAccount();
    const { expiresAt } = await startSession(tx, ctx, user, visitor, { cookieHash, atIssuer: { provedAt } });
    return { ...sessionAnswer(user, expiresAt), returnTo };
  });
  return new WithCookies(answer, { session: cookie, signIn: null });
}

type Client = NonNullable<NonNullable<Settings["oidc"]>["client"]>;
type Endpoints = NonNullable<OidcIssuer["signIn"]>;

function getClient({ settings }: Ctx): Client {
  const client = settings.oidc?.client;
  if (client) return client;
  throw new HubError("invalid_state", "This hub is no client of an OIDC issuer: HUB_OIDC_CLIENT_ID is not set.");
}

async function getEndpoints(ctx: Ctx): Promise<Endpoints> {
  const { signIn } = await waitOutside(ctx, () => getOidcIssuer(ctx));
  if (signIn) return signIn;
  throw issuerUnavailable(
    ctx,
    new Error("its discovery document names no authorization_endpoint or no token_endpoint"),
  );
}

/** A path of the console. Anything else would make of the hub's good name a way to somebody else's page. */
function readReturnAddress(returnTo: string): string {
  const url = URL.parse(returnTo, "http://hub.invalid");
  const path = url === null ? "" : url.pathname + url.search + url.hash;
  // A path may begin with two slashes once its dots are taken away; browsers read another host there.
  const isOurs = returnTo.startsWith("/") && url?.origin === "http://hub.invalid" && !path.startsWith("//");
  if (isOurs && path.length <= maxReturnAddress) return path;
  throw badField(
    "/returnTo",
    "not_a_path",
    "Must be a path of this hub, such as /orders?status=ready, of at most 1,000 characters with its escapes.",
  );
}

function openBegun(ctx: Ctx, sealed: string | undefined): Begun | undefined {
  if (sealed === undefined) return undefined;
  try {
    const begun = JSON.parse(ctx.secrets.open(sealed, purposeOf(ctx))) as Begun;
    return begun.endsAt > ctx.clock.real().getTime() ? begun : undefined;
  } catch {
    // Of another key, or made up.
    return undefined;
  }
}

/** An answer that another issuer has given must not be taken to this one (RFC 9207). */
function refuseOtherIssuer({ settings }: Ctx, { namesItself }: Endpoints, given: string | undefined): void {
  const isOther = given === undefined ? namesItself : given !== settings.oidc!.issuer;
  if (isOther) throw refused("The answer is not that of the identity provider that was asked.");
}

type Redeemed = { subject: string; verifiedEmail: string | undefined; provedAt: Date | undefined };
type Redemption = Endpoints & { client: Client; begun: Begun; code: string };

async function redeemCode(ctx: Ctx, redemption: Redemption): Promise<Redeemed> {
  const { begun, client, userInfo } = redemption;
  const { idToken, accessToken } = await askForTokens(ctx, redemption);
  const claims = await readIdToken(ctx, idToken, { clientId: client.id, begun });
  const subject = claims.sub!;
  // Issuers may keep the address out of the token, and tell it to who has the other one.
  const mustAsk = claims["email"] === undefined && userInfo !== undefined && accessToken !== undefined;
  const about = mustAsk
    ? await fetchDocument(userInfo, accessToken).catch((error: unknown) => {
        throw issuerUnavailable(ctx, error);
      })
    : claims;
  if (about["sub"] !== subject) throw refused("The identity provider told about somebody else than it had signed in.");
  return { subject, verifiedEmail: verifiedEmailOf(about), provedAt: provedAtOf(claims) };
}

async function askForTokens(ctx: Ctx, { token, takesSecretInBody, tokenClient, client, begun, code }: Redemption) {
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
          redirect_uri: begun.redirectUri,
          code_verifier: begun.verifier,
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
  if (response.status >= 500) throw issuerUnavailable(ctx, new Error(`the token endpoint answered ${response.status}`));
  const { id_token: idToken, access_token: accessToken, error } = answer;
  if (response.status !== 200 || typeof idToken !== "string") {
    ctx.log.warn({ status: response.status, error }, "the OIDC issuer did not redeem a code");
    throw refused("The identity provider did not redeem the code, which works once and for a short time. Begin again.");
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

/** What OpenID Connect Core 1.0, section 3.1.3.7, wants to be looked at. */
async function readIdToken(ctx: Ctx, token: string, { clientId, begun }: { clientId: string; begun: Begun }) {
  const wanted = { audience: clientId, types: ["jwt"], claims: ["iat", "nonce"] };
  const claims = await verifySigned(ctx, token, wanted).catch((error: unknown) => {
    if (error instanceof HubError) throw error;
    ctx.log.warn({ err: error }, "an ID token of the OIDC issuer was refused");
    throw refused("The ID token of the identity provider is not valid; the log of the hub says why.");
  });
  const isForAnother = claims["azp"] === undefined ? [claims.aud].flat().length > 1 : claims["azp"] !== clientId;
  if (isForAnother) throw refused("The ID token of the identity provider was made for another client.");
  if (claims["nonce"] !== begun.nonce)
    throw refused("The ID token of the identity provider belongs to another sign-in.");
  const provedAt = provedAtOf(claims)?.getTime() ?? 0;
  if (begun.wantsProof && ctx.clock.real().getTime() - provedAt > freshProofSeconds * 1000) {
    throw refused("The identity provider did not ask again who you are.");
  }
  return claims;
}

const refused = (detail: string): HubError => new HubError("identity_provider_rejected", detail);

const unknownAccount = (): HubError =>
  new HubError(
    "account_not_linked",
    "The identity provider knows you, this hub does not. An administrator has to add you with your verified address.",
  );

const purposeOf = ({ environment }: Ctx): string => `oidc-sign-in:${environment}`;

const randomText = (): string => randomBytes(32).toString("base64url");
