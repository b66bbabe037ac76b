import type { KeyObject } from "node:crypto";
import { generateKeyPairSync } from "node:crypto";
import { jwtVerify } from "jose";
import { expect, test } from "vitest";
import { assertionKeyProblem, clientAssertion } from "./client-assertion.ts";

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const pemOf = (pair: { privateKey: KeyObject }): string => pair.privateKey.export({ type: "pkcs8", format: "pem" });

test.each([
  ["RS256", rsa],
  ["PS256", rsa],
  ["ES256", ec],
] as const)(
  "an assertion with %s names the client and the token endpoint, and is valid for minutes",
  async (algorithm, pair) => {
    const audience = "https://1234567.suitetalk.example.com/services/rest/auth/oauth2/v1/token";
    const given = {
      clientId: "hub",
      privateKey: pemOf(pair),
      algorithm,
      keyId: "cert-1",
      audience,
      scope: "rest_webservices",
    };
    const { client_assertion: jwt, client_assertion_type: type } = await clientAssertion(given);
    expect(type).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    const options = { audience, issuer: "hub", subject: "hub", algorithms: [algorithm] };
    const { payload, protectedHeader } = await jwtVerify(jwt, pair.publicKey, options);
    expect(protectedHeader).toEqual({ typ: "JWT", alg: algorithm, kid: "cert-1" });
    expect(payload.scope).toBe("rest_webservices");
    expect(payload.exp! - payload.iat!).toBe(300);
    const again = await jwtVerify((await clientAssertion(given)).client_assertion, pair.publicKey);
    expect(again.payload.jti).not.toBe(payload.jti);
  },
);

test("a key that cannot sign is explained, also keys in older formats are read", async () => {
  expect(assertionKeyProblem("hello", "RS256")).toContain("not a private key");
  expect(assertionKeyProblem(rsa.publicKey.export({ type: "spki", format: "pem" }), "RS256")).toBeDefined();
  expect(assertionKeyProblem(pemOf(rsa), "ES256")).toContain("P-256");
  expect(assertionKeyProblem(pemOf(ec), "PS256")).toContain("RSA");
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 });
  expect(assertionKeyProblem(pemOf(small), "RS256")).toContain("2048");
  const secret = rsa.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "x" });
  expect(assertionKeyProblem(secret, "RS256")).toContain("without a password");
  expect(assertionKeyProblem(rsa.privateKey.export({ type: "pkcs1", format: "pem" }), "RS256")).toBeUndefined();
  for (const lineBreak of ["", " ", "\\n", "\r\n"]) {
    expect(
      assertionKeyProblem(pemOf(rsa).replaceAll("\n", lineBreak), "RS256"),
      JSON.stringify(lineBreak),
    ).toBeUndefined();
  }
  const wrong = { clientId: "hub", privateKey: "", algorithm: "RS256", audience: "https://x" } as const;
  await expect(clientAssertion(wrong)).rejects.toMatchObject({ code: "authentication_failed" });
});
