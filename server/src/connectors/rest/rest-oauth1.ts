import { createHmac, randomUUID } from "node:crypto";
import type { RestSettings } from "./rest.schemas.ts";

type Auth = Pick<NonNullable<RestSettings["auth"]>, "signatureMethod" | "realm">;

type Secrets = Partial<Record<"consumerKey" | "consumerSecret" | "token" | "tokenSecret", string>>;

type Signed = {
  method: string;
  url: URL;
  /** Default: now, and a random one. The real time, also where the clock of the preview shows another. */
  timestamp?: number;
  nonce?: string;
};

const hashes = { "HMAC-SHA256": "sha256", "HMAC-SHA1": "sha1" } as const;

/**
 * The Authorization header of OAuth 1.0a (RFC 5849). It covers the method, the URL and the query; a JSON body is not part of the
 * signature.
 */
export function signOAuth1(
  { signatureMethod = "HMAC-SHA256", realm }: Auth,
  { consumerKey = "", consumerSecret = "", token = "", tokenSecret = "" }: Secrets,
  { method, url, timestamp = Math.floor(Date.now() / 1000), nonce = randomUUID() }: Signed,
): string {
  const own = {
    oauth_consumer_key: consumerKey,
    oauth_nonce: nonce,
    oauth_signature_method: signatureMethod,
    oauth_timestamp: String(timestamp),
    // A consumer may sign without a token.
    ...(token === "" ? {} : { oauth_token: token }),
    oauth_version: "1.0",
  };
  const signature = signatureOf({ method, url }, own, { consumerSecret, tokenSecret }, signatureMethod);
  const fields = Object.entries({ ...own, oauth_signature: signature }).map(
    ([name, value]) => `${name}="${encode(value)}"`,
  );
  return `OAuth ${[...(realm === undefined ? [] : [`realm="${realm}"`]), ...fields].join(", ")}`;
}

/** RFC 5849, section 3.4: `own` are the fields of the header; the realm is not part of the signature. */
export function signatureOf(
  { method, url }: Pick<Signed, "method" | "url">,
  own: Record<string, string>,
  { consumerSecret = "", tokenSecret = "" }: Secrets,
  signatureMethod: keyof typeof hashes,
): string {
  const key = `${encode(consumerSecret)}&${encode(tokenSecret)}`;
  return createHmac(hashes[signatureMethod], key)
    .update(baseString(method, url, own))
    .digest("base64");
}

/** RFC 5849, section 3.4.1. */
export function baseString(method: string, url: URL, own: Record<string, string>): string {
  const pairs = [...url.searchParams, ...Object.entries(own)].map(
    ([name, value]) => [encode(name), encode(value)] as const,
  );
  const sorted = pairs.toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  const query = sorted.map(([name, value]) => `${name}=${value}`).join("&");
  // The host is in lower case and without a default port already.
  return [method.toUpperCase(), encode(url.origin + url.pathname), encode(query)].join("&");
}

/** By bytes: what is compared is ASCII. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** RFC 3986: everything but letters, digits, `-`, `.`, `_` and `~`. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (found) => `%${found.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
