import type { Event } from "./api-types.ts";

/** The request is not from the hub, or is too old. Respond with 400 and do not process it. */
export class WebhookVerificationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WebhookVerificationError";
  }
}

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** Maximum difference between the clocks of sender and receiver. Default 300. */
  toleranceSeconds?: number;
};

type Bytes = Uint8Array<ArrayBuffer>;

const publicKeyBytes = 32;

/**
 * Verifies a webhook request and returns its event. `body` is the body as received, before it is parsed. `secrets` are the
 * `whsec_…` of the webhook, or its public key `whpk_…`; several during a rotation.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<Event> {
  const id = headerOf(headers, "webhook-id");
  const timestamp = headerOf(headers, "webhook-timestamp");
  const signatures = headerOf(headers, "webhook-signature");
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError("The timestamp is not within the tolerance.");
  const text = typeof body === "string" ? body : new TextDecoder().decode(body);
  const content = encode(`${id}.${timestamp}.${text}`);
  // A missing or damaged one, such as an unset variable for the second secret of a rotation, must not disable the others.
  const keys = [secrets].flat().flatMap((secret) => keyOf(secret) ?? []);
  if (keys.length === 0) throw new WebhookVerificationError("The secret is not one of a webhook.");
  for (const key of keys) {
    for (const signature of signatures.split(" ")) {
      if (await isSignedBy(key, signature, content)) return JSON.parse(text) as Event;
    }
  }
  throw new WebhookVerificationError("No signature matches the secret.");
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  const text = [value ?? ""].flat().join(" ");
  if (text === "") throw new WebhookVerificationError(`The header ${name} is missing.`);
  return text;
}

type Key = { raw: Bytes; isPublic: boolean };

function keyOf(secret: string | undefined): Key | undefined {
  const raw = decode((secret ?? "").replace(/^wh(?:sec|pk)_/, ""));
  const isPublic = secret?.startsWith("whpk_") ?? false;
  const isUsable = raw !== undefined && (isPublic ? raw.length === publicKeyBytes : raw.length > 0);
  return isUsable ? { raw, isPublic } : undefined;
}

/** WebCrypto compares in constant time. */
async function isSignedBy({ raw, isPublic }: Key, given: string, content: Bytes): Promise<boolean> {
  const [scheme, encoded = ""] = given.split(",", 2);
  if (scheme !== (isPublic ? "v1a" : "v1")) return false;
  const signature = decode(encoded);
  if (!signature) return false;
  const algorithm = isPublic ? { name: "Ed25519" } : { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", raw, algorithm, false, ["verify"]);
  return await crypto.subtle.verify(algorithm, key, signature, content);
}

function decode(base64: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.codePointAt(0)!);
  } catch {
    return undefined;
  }
}

const encode = (text: string): Bytes => Uint8Array.from(new TextEncoder().encode(text));
