import { HubError } from "../../core/errors.ts";
import { signingKeyFrom } from "../../core/signing-key.ts";
import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";

export const accessTokenSeconds = 900;
export const ownIssuer = "order-operations-hub";
const algorithm = "EdDSA";

/** Derived from the current secret key only: replacing the key after a leak invalidates all access tokens. */
const signingKeys = perWorld((world) => signingKeyFrom(world.secrets.derive(`user-tokens:${world.environment}`)));

/** Loaded with the first token, to keep the start fast. */
const loadJose = () => import("jose");

export async function signUserToken(
  world: World,
  user: { id: string; orgId: string; role: string; sessionId: string },
): Promise<string> {
  const { SignJWT } = await loadJose();
  const issuedAt = Math.floor(world.clock.real().getTime() / 1000);
  return await new SignJWT({ org: user.orgId, role: user.role, sid: user.sessionId })
    .setProtectedHeader({ alg: algorithm, typ: "JWT" })
    .setIssuer(ownIssuer)
    .setAudience(world.environment)
    .setSubject(user.id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + accessTokenSeconds)
    .sign(signingKeys(world).privateKey);
}

type TokenClaims = { userId: string; sessionId: string; expiresAt: Date };

export async function verifyUserToken(world: World, token: string): Promise<TokenClaims> {
  const { errors, jwtVerify } = await loadJose();
  try {
    const { payload } = await jwtVerify(token, signingKeys(world).publicKey, {
      algorithms: [algorithm],
      issuer: ownIssuer,
      audience: world.environment,
      typ: "JWT",
      requiredClaims: ["exp", "iat", "sub", "org"],
      currentDate: world.clock.real(),
    });
    // Tokens of earlier versions name no session. The client gets a new one with its refresh token.
    if (typeof payload.sid !== "string") throw new HubError("expired_token");
    return { userId: payload.sub!, sessionId: payload.sid, expiresAt: new Date(payload.exp! * 1000) };
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (error instanceof errors.JWTExpired) throw new HubError("expired_token");
    throw new HubError("invalid_token");
  }
}
