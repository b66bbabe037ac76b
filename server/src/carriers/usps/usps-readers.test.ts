import { expect, test } from "vitest";
import { uspsFixture } from "./usps-fixtures.ts";
import { kindOf, readers } from "./usps-readers.ts";

test("the readers of recorded responses read our own", () => {
  const read = (kind: string, name: string): unknown => readers[kind]!({ status: 200, body: uspsFixture(name) });
  expect(read("rate", "rates")).toHaveLength(2);
  expect(read("address", "address")).toMatchObject({ verdict: "corrected" });
  expect(() => readers.error!({ status: 503, body: {} })).toThrow("USPS answered 503 without a reason.");
});

test("samples of documents are read by their operation", () => {
  expect(kindOf("POST /label-reprint/{trackingNumber}")).toBe("buy");
  expect(kindOf("GET /branding")).toBeUndefined();
});
