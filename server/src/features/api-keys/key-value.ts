import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";
import type { Environment } from "../../context.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const idLength = 8;
const secretLength = 32; // 190 bits
const checksumLength = 6;
const shape = /^ooh_(live|test)_[0-9A-Za-z]{46}$/;
const prefixes = { live: "ooh_live_", preview: "ooh_test_" } as const;

/** `ooh_live_` + 8 characters that identify the key + 32 secret characters + a checksum over all of it. */
export function newKeyValue(environment: Environment): string {
  return withChecksum(prefixes[environment] + randomText(idLength) + randomText(secretLength));
}

/** The checksum is not secret. It detects typos, not forgeries. */
export function withChecksum(body: string): string {
  return body + checksum(body);
}

/** False for tokens that cannot be keys of this hub, so that typos and guesses are rejected without a query. */
export function isWellFormedKey(token: string): boolean {
  return shape.test(token) && withChecksum(token.slice(0, -checksumLength)) === token;
}

export function keyEnvironment(token: string): Environment {
  return token.startsWith(prefixes.live) ? "live" : "preview";
}

export function keyPrefix(token: string): string {
  return token.slice(0, prefixes.live.length + idLength);
}

/** A fast hash is sufficient: the value has 190 random bits. */
export function hashKey(token: string): string {
  return hash("sha256", token, "base64");
}

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i++) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
