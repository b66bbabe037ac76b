import type { KeyObject } from "node:crypto";
import { createPrivateKey, createPublicKey } from "node:crypto";

export type SigningKey = { privateKey: KeyObject; publicKey: KeyObject };

// An Ed25519 private key in PKCS #8 is this header followed by its 32 bytes.
const pkcs8Header = Buffer.from("302e020100300506032b657004220420", "hex");

/** Derived, not stored: every node with the same HUB_SECRET_KEY has it, and a database dump does not. */
export function signingKeyFrom(seed: Buffer): SigningKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8Header, seed]), format: "der", type: "pkcs8" });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}
