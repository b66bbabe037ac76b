import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from "jose";
import { HubError } from "../../core/errors.ts";
import { createHttpClient } from "../../core/outbound/outbound.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";

const algorithms = ["EdDSA", "ES256", "ES384", "PS256", "RS256", "RS384", "RS512"];
const rediscoverMs = 30_000;
/** Only whoever runs the hub can set the issuer: it may be in its own network. */
const client = createHttpClient({ allowPrivate: true, breakerKey: "documents", timeoutMs: 5000, attempts: 1 });
const maxDocumentBytes = 1024 * 1024;

/** The issuer's keys, discovered once; a failed discovery is tried again after a while, not on every request. */
const issuerKeys = perWorld(({ settings, clock }) => {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  let failedAt = -Infinity;
  return async (): Promise<JWTVerifyGetKey> => {
    if (clock.real().getTime() - failedAt < rediscoverMs) throw new Error("the OIDC issuer did not answer");
    keys ??= discover(settings.oidc!.issuer);
    return await keys.catch((error: unknown) => {
      keys = undefined;
      failedAt = clock.real().getTime();
      throw error;
    });
  };
});

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const document = await outboundJson(new URL(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`));
  const { jwks_uri: jwksUri } = document as { jwks_uri?: unknown };
  if (typeof jwksUri !== "string") throw new Error("the OIDC discovery document names no jwks_uri");
  const { createRemoteJWKSet, customFetch } = await import("jose");
  return createRemoteJWKSet(new URL(jwksUri), { cooldownDuration: 30_000, [customFetch]: outboundFetch });
}

async function outboundFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const { status, text } = await client.request({ url, headers, maxBytes: maxDocumentBytes });
  return new Response(text === "" ? null : text, { status });
}

async function outboundJson(url: URL): Promise<unknown> {
  const response = await client.request({ url, maxBytes: maxDocumentBytes });
  if (response.status !== 200) throw new Error(`${url.href} answered ${response.status}`);
  return response.json();
}

export type OidcSubject = {
  subject: string;
  verifiedEmail: string | undefined;
  provedAt: Date | undefined;
  expiresAt: Date;
};

/** Clocks of issuers may be a little ahead of ours. */
const clockLeewaySeconds = 60;
/** Other kinds of tokens of the same issuer, such as those for signing out, are no credentials. */
const acceptedTypes = new Set(["jwt", "at+jwt"]);

/** What a signature does not make right. */
function findOddClaim({ sub, iat }: JWTPayload, { typ }: JWTHeaderParameters, now: Date): string | undefined {
  if (textProblem(sub!) !== undefined) return "the subject is no text that can be kept";
  if (iat !== undefined && iat > now.getTime() / 1000 + clockLeewaySeconds) return "it is of the future";
  if (typ !== undefined && !acceptedTypes.has(typ.toLowerCase().replace(/^application\//, "")))
    return `tokens of the type ${typ} are for something else`;
  return undefined;
}

export async function verifyOidcToken(world: World, token: string): Promise<OidcSubject> {
  const { issuer, audience } = world.settings.oidc!;
  const { errors, jwtVerify } = await import("jose");
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    try {
      return await (
        await issuerKeys(world)()
      )(header, jws);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      // Nothing is known about the token: a client that throws it away for this would lock its user out.
      world.log.warn({ err: error }, "the keys of the OIDC issuer cannot be had");
      throw new HubError("issuer_unavailable");
    }
  };
  try {
    const { payload, protectedHeader } = await jwtVerify(token, findKey, {
      algorithms,
      issuer,
      audience,
      requiredClaims: ["exp", "sub"],
      currentDate: world.clock.real(),
    });
    const oddity = findOddClaim(payload, protectedHeader, world.clock.real());
    if (oddity !== undefined) throw new errors.JWTInvalid(oddity);
    const isVerified = payload.email_verified === true && typeof payload.email === "string";
    // When they last showed there who they are; a token may be far younger than that.
    const provedAt = typeof payload.auth_time === "number" ? new Date(payload.auth_time * 1000) : undefined;
    const verifiedEmail = isVerified ? (payload.email as string) : undefined;
    return { subject: payload.sub!, verifiedEmail, provedAt, expiresAt: new Date(payload.exp! * 1000) };
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (error instanceof errors.JWTExpired) throw new HubError("expired_token");
    world.log.warn({ err: error }, "an OIDC token was refused");
    throw new HubError("invalid_token");
  }
}
