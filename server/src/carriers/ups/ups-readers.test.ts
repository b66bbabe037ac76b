import { expect, test } from "vitest";
import { upsFixture } from "./ups-fixtures.ts";
import { kindOf, readers } from "./ups-readers.ts";

test("the readers of recorded responses read our own", () => {
  const read = (kind: string, name: string): unknown => readers[kind]!({ status: 200, body: upsFixture(name) });
  expect(read("rate", "rates")).toHaveLength(3);
  expect(read("address", "address")).toMatchObject({ verdict: "corrected" });
  expect(() => readers.error!({ status: 503, body: {} })).toThrow("UPS answered 503 without a reason.");
});

test("samples of documents are read by their operation", () => {
  expect(kindOf("POST /shipments/{version}/ship")).toBe("buy");
  expect(kindOf("GET /pickup/{version}/countries/{countrycode}")).toBeUndefined();
});
