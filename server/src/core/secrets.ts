import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

/**
 * Keys derived from HUB_SECRET_KEY. `seal` binds a text to its context (such as "bridge:<org>:<id>"):
 * a sealed text copied into another row does not open there.
 */
export type Secrets = {
  seal(plain: string, context: string): string;
  open(sealed: string, context: string): string;
  /** 32 bytes for one purpose; other purposes cannot be computed from it. */
  derive(purpose: string): Buffer;
};

/** `previous` keys only open; what is sealed anew always uses `current`. */
export function createSecrets(current: string, previous: readonly string[] = []): Secrets {
  const rings = [current, ...previous].map((text) => {
    const key = expand(text, "seal");
    return { key, id: createHash("sha256").update(key).digest("hex").slice(0, 8) };
  });
  const [first] = rings as [(typeof rings)[0]];

  return {
    seal(plain, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", first.key, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return ["s1", first.id, Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")].join(".");
    },
    open(sealed, context) {
      const [version, id, payload = ""] = sealed.split(".");
      const ring = rings.find((candidate) => candidate.id === id);
      if (version !== "s1" || !ring) throw new Error("sealed with a key this hub does not have");
      const bytes = Buffer.from(payload, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", ring.key, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    derive: (purpose) => expand(current, purpose),
  };
}

function expand(text: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", text, "order-operations-hub", purpose, 32));
}
