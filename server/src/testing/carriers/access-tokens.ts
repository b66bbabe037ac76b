import { createHmac } from "node:crypto";

export type AccessTokens = {
  issue(clientId: string): string;
  /** The client that a token was issued to; undefined when the token is unknown or has expired. */
  clientOf(token: string | undefined): string | undefined;
  /** All tokens issued up to now stop working. */
  expireAll(): void;
};

/**
 * Signed tokens that carry their own expiry, so that a stand-in that is started again still accepts those that it issued before,
 * as a carrier would.
 */
export function createTokens(prefix: string, lifetimeSeconds: number): AccessTokens {
  let last = 0;
  let expiredUpTo = 0;
  const sign = (text: string): string => createHmac("sha256", `stand-in ${prefix}`).update(text).digest("base64url");
  return {
    issue(clientId) {
      // Never the same stamp twice: a token that is issued right after `expireAll` is not expired.
      last = Math.max(Date.now(), last + 1);
      const text = Buffer.from(`${last}:${clientId}`).toString("base64url");
      return `${prefix}.${text}.${sign(text)}`;
    },
    clientOf(token = "") {
      const [name, text = "", signature] = token.split(".");
      if (name !== prefix || signature !== sign(text)) return undefined;
      const [stamp, ...client] = Buffer.from(text, "base64url").toString().split(":");
      const issuedAt = Number(stamp);
      if (issuedAt <= expiredUpTo || issuedAt + lifetimeSeconds * 1000 < Date.now()) return undefined;
      return client.join(":");
    },
    expireAll() {
      expiredUpTo = Math.max(last, Date.now());
      last = expiredUpTo;
    },
  };
}
