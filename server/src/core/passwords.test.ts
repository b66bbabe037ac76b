import { expect, test } from "vitest";
import { resolveBySystem } from "./outbound/outbound-guard.ts";
import { hashPassword, passwordMatches } from "./passwords.ts";

test("security 20: DNS lookups do not wait for password hashes", async () => {
  let hashed = 0;
  const passwords = Array.from({ length: 24 }, async (_, i) => {
    await hashPassword(`correct horse ${i}`);
    hashed++;
  });
  // Both wait for threads of the same pool, which takes what comes in turn.
  const before = hashed;
  await resolveBySystem("localhost");
  expect(hashed - before).toBeLessThan(12);
  await Promise.all(passwords);
  expect(hashed).toBe(24);
});

test("the hash cost of a password is OWASP's recommendation by default", async () => {
  expect(await hashPassword("correct horse")).toMatch(/^argon2id\$19456\$2\$1\$/);
  expect(await hashPassword("correct horse", { memory: 8, passes: 1 })).toMatch(/^argon2id\$8\$1\$1\$/);
});

test("concurrent passwords each get their own hash", async () => {
  const stored = await Promise.all(Array.from({ length: 6 }, (_, i) => hashPassword(`password ${i}`)));
  const matches = await Promise.all(stored.map((hash, i) => passwordMatches(`password ${i}`, hash)));
  expect(matches).toEqual(Array(6).fill(true));
  expect(await passwordMatches("password 1", stored[0]!)).toBe(false);
});
