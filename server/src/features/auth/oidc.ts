import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from "jose";
import { HubError } from "../../core/errors.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { World } from "../../context.ts";
import { getOidcIssuer, issuerUnavailable } from "./oidc-issuer.ts";

const algorithms = ["EdDSA", "ES256", "ES384", "PS256", "RS256", "RS384", "RS512"];
/** Allowed difference between the clocks of the identity provider and the hub. */
const clockLeewaySeconds = 60;

/** The verified subject of a token of the identity provider. */
export type OidcSubject = {
  subject: string;
  verifiedEmail: string | undefined;
  authenticatedAt: Date | undefined;
  expiresAt: Date;
};

type TokenRules = {
  audience: string;
  /** Accepted `typ` headers. Other tokens of the same issuer, such as logout tokens, are not credentials. */
  types: readonly string[];
  /** Required claims besides `exp` and `sub`. */
  claims?: string[];
};

/** Checks that `jose` does not make. Returns why the token is invalid. */
function findInvalidClaim(
  { sub, iat }: JWTPayload,
  { typ }: JWTHeaderParameters,
  types: readonly string[],
  now: Date,
): string | undefined {
  if (textProblem(sub!) !== undefined) return "the subject contains invalid characters";
  if (iat !== undefined && iat > now.getTime() / 1000 + clockLeewaySeconds) return "it was issued in the future";
  if (typ !== undefined && !types.includes(typ.toLowerCase().replace(/^application\//, "")))
    return `tokens of type ${typ} are not accepted`;
  return undefined;
}

/** Claims of a token signed by the identity provider for this audience and use. Throws an error of `jose` for any other token. */
export async function verifySigned(world: World, token: string, rules: TokenRules): Promise<JWTPayload> {
  const { errors, jwtVerify } = await import("jose");
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    const issuer = await getOidcIssuer(world);
    try {
      return await issuer.findKey(header, jws);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      // 503, not 401: the token may be valid, and a client that discards it would sign its user out.
      throw issuerUnavailable(world, error);
    }
  };
  const { payload, protectedHeader } = await jwtVerify(token, findKey, {
    algorithms,
    issuer: world.settings.oidc!.issuer,
    audience: rules.audience,
    requiredClaims: ["exp", "sub", ...(rules.claims ?? [])],
    currentDate: world.clock.real(),
  });
  const problem = findInvalidClaim(payload, protectedHeader, rules.types, world.clock.real());
  if (problem !== undefined) throw new errors.JWTInvalid(problem);
  return payload;
}

/** From the claims of an ID token or access token, or from a UserInfo response. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Record<string, unknown>): string | undefined {
  return isVerified === true && typeof email === "string" ? email : undefined;
}

/** Time of the last authentication at the identity provider; tokens may be issued long after it. */
export function authTimeOf({ auth_time: at }: JWTPayload): Date | undefined {
  return typeof at === "number" ? new Date(at * 1000) : undefined;
}

/** Verifies a bearer token of the identity provider. */
export async function verifyOidcToken(world: World, audience: string, token: string): Promise<OidcSubject> {
  const { errors } = await import("jose");
  try {
    const payload = await verifySigned(world, token, { audience, types: ["jwt", "at+jwt"] });
    return {
      subject: payload.sub!,
      verifiedEmail: verifiedEmailOf(payload),
      authenticatedAt: authTimeOf(payload),
      expiresAt: new Date(payload.exp! * 1000),
    };
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (error instanceof errors.JWTExpired) throw new HubError("expired_token");
    world.log.warn({ err: error }, "rejected an OIDC token");
    throw new HubError("invalid_token");
  }
}
