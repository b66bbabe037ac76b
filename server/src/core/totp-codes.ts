import { createHmac, timingSafeEqual } from "node:crypto";

/** RFC 6238 with what every authenticator app takes: SHA-1, 30 seconds, six digits. */
const stepSeconds = 30;
const usualDigits = 6;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function totpStep(at: Date): number {
  return Math.floor(at.getTime() / 1000 / stepSeconds);
}

export function totpCode(secret: Buffer, step: number, digits = usualDigits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const tag = createHmac("sha1", secret).update(counter).digest();
  const number = tag.readUInt32BE(tag.at(-1)! & 15) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, "0");
}

/** The step that the code is of: this one or a neighbour, since clocks differ, and later than the last one that was used. */
export function findTotpStep(secret: Buffer, code: string, at: Date, lastStep: number): number | undefined {
  const now = totpStep(at);
  const given = Buffer.from(code);
  const isOf = (step: number): boolean => {
    const expected = Buffer.from(totpCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  };
  return [now - 1, now, now + 1].filter(isOf).find((step) => step > lastStep);
}

/** RFC 4648, without padding, as authenticator apps want it. */
export function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

export function totpUri(secret: Buffer, { issuer, account }: { issuer: string; account: string }): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}`;
}
