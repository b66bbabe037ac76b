import { expect, test } from "vitest";
import { findTotpStep, toBase32, totpCode, totpStep, totpUri } from "./totp-codes.ts";

const secret = Buffer.from("12345678901234567890");

test.each([
  [59, "94287082"],
  [1_111_111_109, "07081804"],
  [1_111_111_111, "14050471"],
  [1_234_567_890, "89005924"],
  [2_000_000_000, "69279037"],
  [20_000_000_000, "65353130"],
])("after %i seconds the code is that of RFC 6238, appendix B", (seconds, code) => {
  expect(totpCode(secret, totpStep(new Date(seconds * 1000)), 8)).toBe(code);
});

test.each([
  ["", ""],
  ["f", "MY"],
  ["fo", "MZXQ"],
  ["foo", "MZXW6"],
  ["foob", "MZXW6YQ"],
  ["fooba", "MZXW6YTB"],
  ["foobar", "MZXW6YTBOI"],
])("base32 of %j is that of RFC 4648, section 10", (text, encoded) => {
  expect(toBase32(Buffer.from(text))).toBe(encoded);
});

test("a code is valid one step early or late, unless a code of that step was used", () => {
  const at = new Date(1_111_111_111_000);
  const now = totpStep(at);
  for (const [step, found] of [
    [now - 2, undefined],
    [now - 1, now - 1],
    [now, now],
    [now + 1, now + 1],
    [now + 2, undefined],
  ] as const) {
    expect(findTotpStep(secret, totpCode(secret, step), at, 0)).toBe(found);
  }
  expect(findTotpStep(secret, totpCode(secret, now), at, now)).toBeUndefined();
  expect(findTotpStep(secret, "", at, 0)).toBeUndefined();
});

test("the address for apps names the hub and the account", () => {
  expect(totpUri(secret, { issuer: "Order Hub", account: "a@b.example" })).toBe(
    "otpauth://totp/Order%20Hub:a%40b.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Order%20Hub",
  );
});
