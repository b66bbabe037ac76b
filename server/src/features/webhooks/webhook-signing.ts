import type { KeyObject } from "node:crypto";
import { createHmac, createPrivateKey, createSecretKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { Secrets } from "../../core/secrets.ts";

/**
 * Standard Webhooks 1.0: `id.timestamp.body` is signed, by HMAC-SHA256 (`v1`) or Ed25519 (`v1a`). While a secret is being
 * rotated the header has a signature by each, and receivers take the one that fits theirs.
 */
export type Signing = "hmac" | "ed25519";

/** What is sealed: base64 of the 32 bytes of HMAC, or of the private key in PKCS #8. */
export type NewSecret = { kept: string; shown: string | null; publicKey: string | null };

const hmacPrefix = "whsec_";
const publicPrefix = "whpk_";
const rawKeyBytes = 32;

export function makeSecret(signing: Signing): NewSecret {
  if (signing === "hmac") {
    const kept = randomBytes(32).toString("base64");
    return { kept, shown: hmacPrefix + kept, publicKey: null };
  }
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  // The last bytes of its DER are the key as it is.
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-rawKeyBytes);
  const kept = privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  return { kept, shown: null, publicKey: publicPrefix + raw.toString("base64") };
}

type Signer = (content: string) => string;

export function signerOf(signing: Signing, kept: string): Signer {
  const bytes = Buffer.from(kept, "base64");
  if (signing === "hmac") {
    const secret = createSecretKey(bytes);
    return (content) => `v1,${createHmac("sha256", secret).update(content).digest("base64")}`;
  }
  const key: KeyObject = createPrivateKey({ key: bytes, format: "der", type: "pkcs8" });
  return (content) => `v1a,${sign(null, Buffer.from(content), key).toString("base64")}`;
}

type Message = { id: string; at: Date; body: string };

export function signedHeaders({ id, at, body }: Message, signers: readonly Signer[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const content = `${id}.${timestamp}.${body}`;
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signers.map((signer) => signer(content)).join(" "),
  };
}

/** Each is bound to its row and its column: elsewhere it does not open. See `server/src/db/sealed-columns.ts`. */
export type SealedPart = "secret" | "previous-secret" | "headers";

export function sealPart(secrets: Secrets, part: SealedPart, orgId: string, id: string, plain: string): string {
  return secrets.seal(plain, contextOf(part, orgId, id));
}

export function openPart(secrets: Secrets, part: SealedPart, orgId: string, id: string, sealed: string): string {
  return secrets.open(sealed, contextOf(part, orgId, id));
}

const contextOf = (part: SealedPart, orgId: string, id: string): string => `webhook-${part}:${orgId}:${id}`;
