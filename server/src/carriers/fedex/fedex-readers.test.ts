import { expect, test } from "vitest";
import { fedexFixture } from "./fedex-fixtures.ts";
import { readers } from "./fedex-readers.ts";

test("the readers of recorded responses read our own", () => {
  const read = (kind: string, name: string): unknown => readers[kind]!({ status: 200, body: fedexFixture(name) });
  expect(read("rate", "rates")).toHaveLength(3);
  expect(read("address", "address")).toMatchObject({ verdict: "corrected" });
  expect(() => readers.error!({ status: 503, body: {} })).toThrow("FedEx answered 503 without a reason.");
});
