import { expect, test } from "vitest";
import { recordFields } from "../../../connectors/record-fields.ts";
import { schemaFields } from "../../../core/schema-fields.ts";
import { SyncedLocation } from "../../locations/locations.schemas.ts";
import { ImportedOrder } from "../../orders/orders.schemas.ts";
import { PulledLevel } from "../../stock/stock.schemas.ts";
import { Tracking } from "./tracking-sink.ts";

test.each([
  ["orders", ImportedOrder],
  ["locations", SyncedLocation],
  ["tracking", Tracking],
  ["inventory", PulledLevel],
] as const)("mappings of %s are checked against exactly the stored fields", (recordType, schema) => {
  expect(recordFields[recordType]).toEqual(
    schemaFields(schema).map(({ path, required, isOpen }) => ({ path, isRequired: required, isOpen })),
  );
});
