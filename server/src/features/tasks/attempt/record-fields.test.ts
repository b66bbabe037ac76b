import { expect, test } from "vitest";
import { recordFields } from "../../../connectors/record-fields.ts";
import { SyncedLocation } from "../../locations/locations.schemas.ts";
import { ImportedOrder } from "../../orders/orders.schemas.ts";
import { Tracking } from "./tracking-sink.ts";

test.each([
  ["orders", ImportedOrder],
  ["locations", SyncedLocation],
  ["tracking", Tracking],
] as const)("mappings of %s are checked against exactly the stored fields", (recordType, schema) => {
  expect(recordFields[recordType]!.toSorted()).toEqual(Object.keys(schema.properties).toSorted());
});
