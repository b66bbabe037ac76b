import { createHmac, timingSafeEqual } from "node:crypto";
import type { CarrierRequest } from "../../carriers/stand-in-api.ts";

export type Keys = { consumerKey: string; consumerSecret: string; token: string; tokenSecret: string };

/** RFC 3986: also the characters that `encodeURIComponent` leaves. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** Whether a request carries a valid OAuth 1.0a signature (RFC 5849, HMAC-SHA256) of these keys, and the realm, if one is required. */
export function isSignedBy({ method, url, headers }: CarrierRequest, keys: Keys, realm?: string): boolean {
  const header = headers.authorization ?? "";
  if (!/^OAuth /i.test(header)) return false;
  const given = new Map(
    [...header.slice(6).matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name!, decodeURIComponent(value!)]),
  );
  if (realm !== undefined && given.get("realm") !== realm) return false;
  if (given.get("oauth_consumer_key") !== keys.consumerKey || given.get("oauth_token") !== keys.token) return false;
  if (given.get("oauth_signature_method") !== "HMAC-SHA256" || !given.get("oauth_nonce")) return false;
  if (Math.abs(Number(given.get("oauth_timestamp")) - Date.now() / 1000) > 300) return false;
  const signed = [...given].filter(([name]) => name !== "oauth_signature" && name !== "realm");
  const parameters = [...signed, ...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted((a, b) => (a < b ? -1 : 1))
    .join("&");
  const base = [method, `${url.origin}${url.pathname}`, parameters].map(encode).join("&");
  const expected = createHmac("sha256", `${encode(keys.consumerSecret)}&${encode(keys.tokenSecret)}`)
    .update(base)
    .digest();
  const actual = Buffer.from(given.get("oauth_signature") ?? "", "base64");
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
