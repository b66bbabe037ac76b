import type { JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from "jose";
import { HubError } from "../../core/errors.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { World } from "../../context.ts";
import { getOidcIssuer, issuerUnavailable } from "./oidc-issuer.ts";

const algorithms = ["EdDSA", "ES256", "ES384", "PS256", "RS256", "RS384", "RS512"];
/** Clocks of issuers may be a little ahead of ours. */
const clockLeewaySeconds = 60;

/** Whom a token of the issuer is about. */
export type OidcSubject = {
  subject: string;
  verifiedEmail: string | undefined;
  provedAt: Date | undefined;
  expiresAt: Date;
};

type Wanted = {
  audience: string;
  /** What its header may call it; other kinds of the same issuer, such as those for signing out, are no credentials. */
  types: readonly string[];
  /** What it has to say besides when it ends and whom it is about. */
  claims?: string[];
};

/** What a signature does not make right. */
function findOddClaim(
  { sub, iat }: JWTPayload,
  { typ }: JWTHeaderParameters,
  types: readonly string[],
  now: Date,
): string | undefined {
  if (textProblem(sub!) !== undefined) return "the subject is no text that can be kept";
  if (iat !== undefined && iat > now.getTime() / 1000 + clockLeewaySeconds) return "it is of the future";
  if (typ !== undefined && !types.includes(typ.toLowerCase().replace(/^application\//, "")))
    return `tokens of the type ${typ} are for something else`;
  return undefined;
}

/** What a token says that the issuer has signed, for us and for this use. Throws an error of `jose` for any other. */
export async function verifySigned(world: World, token: string, wanted: Wanted): Promise<JWTPayload> {
  const { errors, jwtVerify } = await import("jose");
  const findKey: JWTVerifyGetKey = async (header, jws) => {
    const issuer = await getOidcIssuer(world);
    try {
      return await issuer.findKey(header, jws);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) throw error;
      // Nothing is known about the token: a client that throws it away for this would lock its user out.
      throw issuerUnavailable(world, error);
    }
  };
  const { payload, protectedHeader } = await jwtVerify(token, findKey, {
    algorithms,
    issuer: world.settings.oidc!.issuer,
    audience: wanted.audience,
    requiredClaims: ["exp", "sub", ...(wanted.claims ?? [])],
    currentDate: world.clock.real(),
  });
  const oddity = findOddClaim(payload, protectedHeader, wanted.types, world.clock.real());
  if (oddity !== undefined) throw new errors.JWTInvalid(oddity);
  return payload;
}

/** Claims of an ID token, an access token, or the issuer's answer about somebody. */
export function verifiedEmailOf({ email, email_verified: isVerified }: Record<string, unknown>): string | undefined {
  return isVerified === true && typeof email === "string" ? email : undefined;
}

/** When they last showed there who they are; a token may be far younger than that. */
export function provedAtOf({ auth_time: at }: JWTPayload): Date | undefined {
  return typeof at === "number" ? new Date(at * 1000) : undefined;
}

/** Of a token that came with a request. */
export async function verifyOidcToken(world: World, audience: string, token: string): Promise<OidcSubject> {
  const { errors } = await import("jose");
  try {
    const payload = await verifySigned(world, token, { audience, types: ["jwt", "at+jwt"] });
    return {
      subject: payload.sub!,
      verifiedEmail: verifiedEmailOf(payload),
      provedAt: provedAtOf(payload),
      expiresAt: new Date(payload.exp! * 1000),
    };
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (error instanceof errors.JWTExpired) throw new HubError("expired_token");
    world.log.warn({ err: error }, "an OIDC token was refused");
    throw new HubError("invalid_token");
  }
}
