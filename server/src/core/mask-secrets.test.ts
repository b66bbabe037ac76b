import fc from "fast-check";
import { expect, test } from "vitest";
import { maskSecretsWithin, maskValues, secretErrors } from "./mask-secrets.ts";

test("texts under credential names are masked at any depth, and nothing else is", () => {
  const input = {
    path: "/orders",
    headers: { "X-Api-Key": "s1", authorization: "Bearer s2", "Idempotency-Key": "order-7", Accept: "text/csv" },
    body: [{ client_secret: "s3", password: "s4", tokens: ["s5"], count: 3, keyboard: "qwerty" }],
  };
  expect(maskSecretsWithin(input)).toEqual({
    path: "/orders",
    headers: { "X-Api-Key": "***", authorization: "***", "Idempotency-Key": "order-7", Accept: "text/csv" },
    body: [{ client_secret: "***", password: "***", tokens: ["***"], count: 3, keyboard: "qwerty" }],
  });
});

test("an input with a credential in its headers, or with a masked value, is rejected by name", () => {
  const input = { headers: { "X-Api-Key": "s1", accept: "*/*" }, body: { "a/b": ["***"] } };
  expect(secretErrors(input)).toMatchObject([
    { pointer: "/headers/X-Api-Key", code: "credential_in_input" },
    { pointer: "/body/a~1b/0", code: "masked_value" },
  ]);
  for (const name of ["Cookie", "X-VTEX-API-AppToken", "x-access-key", "Proxy-Authorization", "X-Session-Id"]) {
    expect([name, secretErrors({ headers: { [name]: "s" } }).length]).toEqual([name, 1]);
  }
  expect(secretErrors({ headers: { "Idempotency-Key": "1", "If-Match": "2", "X-Request-Id": "3" }, body: 1 })).toEqual(
    [],
  );
});

test("without values only the shape of any data is kept", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue()), (input) => {
      const shape = maskValues(input) as object;
      expect(Object.keys(shape)).toEqual(Object.keys(input));
      const leaves = (value: unknown): unknown[] =>
        typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value];
      expect(leaves(shape).filter((leaf) => leaf !== "***" && leaf !== null)).toEqual([]);
    }),
  );
});
