import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * Keys derived from HUB_SECRET_KEY. `seal` binds a text to its context (such as "bridge:<org>:<id>"):
 * a sealed text copied into another row does not open there.
 */
export type Secrets = {
  /** Names the key that is used to seal; tells nothing about it. */
  keyId: string;
  /** Of all keys that open, `keyId` first. */
  keyIds: readonly string[];
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** 32 bytes for one purpose; other purposes cannot be computed from it. */
  derive(purpose: string): Buffer;
  /** The same for every key, in the order of `keyIds`, where what an earlier key was used for is still of use. */
  deriveAll(purpose: string): { keyId: string; bytes: Buffer }[];
};

/** Sealed texts begin with it, and then name their key: see `server/src/db/sealed-columns.ts`. */
const version = "s1";

/** `previous` keys only open; what is sealed anew always uses `current`. */
export function createSecrets(current: string, previous: readonly string[] = []): Secrets {
  const rings = [current, ...previous].map((text) => {
    const key = expand(text, "seal");
    return { text, key, id: createHash("sha256").update(key).digest("hex").slice(0, 8) };
  });
  const [first] = rings as [(typeof rings)[0]];

  return {
    keyId: first.id,
    keyIds: rings.map(({ id }) => id),
    seal(plain, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", first.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [version, first.id, Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")].join(".");
    },
    open(sealed, context) {
      const [given, id, payload = ""] = sealed.split(".");
      const ring = rings.find((candidate) => candidate.id === id);
      if (given !== version || !ring) throw new Error(`sealed with the key ${id}, which this hub does not have`);
      const bytes = Buffer.from(payload, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", ring.key, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    derive: (purpose) => expand(current, purpose),
    deriveAll: (purpose) => rings.map(({ id, text }) => ({ keyId: id, bytes: expand(text, purpose) })),
  };
}

function expand(text: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", text, "order-operations-hub", purpose, 32));
}
