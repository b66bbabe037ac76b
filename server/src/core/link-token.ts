import { hash, randomBytes } from "node:crypto";
import { HubError } from "./errors.ts";

/** A secret for a link that works once, and the hash stored for it: the database alone must not let anyone in. */
export function newLinkToken(): { token: string; tokenHash: Buffer } {
  const token = randomBytes(32).toString("base64url");
  return { token, tokenHash: hashLinkToken(token) };
}

export function hashLinkToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** The token is in the fragment, which browsers send to no server: it is in no log. Without a known origin, a path. */
export function linkTo(publicUrls: readonly string[] | undefined, path: string, token: string): string {
  return `${publicUrls?.[0] ?? ""}${path}#${token}`;
}

export function unknownLink(): HubError {
  return new HubError("invalid_link", "The link is incomplete or was replaced. Check that the whole link was copied.");
}
