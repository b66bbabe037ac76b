import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { filterOf, searchOf } from "./src/features/orders/order-filters.pick.ts";

type Document = { components: { schemas: { OrderFilter: { properties: object } } } };
const document = JSON.parse(readFileSync(path.join(import.meta.dirname, "../docs/openapi.json"), "utf8")) as Document;
const clock = { now: () => Date.UTC(2026, 10, 16), timeZone: "UTC" };

test("every filter of the API can be set, and keeps its value", () => {
  const at = "2026-11-01T00:00:00.000Z";
  const others: Record<string, unknown> = {
    totalMin: 10,
    totalMax: 20.5,
    weightMin: "1 lb",
    weightMax: "2.5 kg",
    lastRunFailed: false,
    archived: "any",
    search: "mug",
  };
  const { tag: _, ...properties } = document.components.schemas.OrderFilter.properties as Record<string, unknown>;
  const filter = Object.fromEntries(
    Object.keys(properties).map((name) => [name, others[name] ?? (/(From|To)$/.test(name) ? at : ["a", "b"])]),
  );
  expect(filterOf(searchOf(filter), clock)).toEqual(filter);
  // The hub also accepts several names in one text; the types only have lists.
  const inOneText: object = { status: "new,ready", tag: "rush", tagsAll: ["vip"] };
  expect(filterOf(searchOf(inOneText), clock)).toEqual({
    status: ["new", "ready"],
    tagsAll: ["vip", "rush"],
  });
});
