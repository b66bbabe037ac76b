import { aLine } from "../an-order.ts";
import { now } from "../an-evaluation.ts";
import type { Cases, Given } from "./case-parts.ts";
import { fullTags, partly, entirely, merged, noted, withLines } from "./case-parts.ts";

const place = "0199f0a0-0000-7000-8000-00000000f001";
const sibling: Given = { id: "0199f0a0-0000-7000-8000-00000000a002", number: "SO-1002", lines: [aLine({ sku: "C" })] };

export const routingCases: Record<string, Cases> = {
  assign_location: {
    applied: [{ params: { location_id: place.toUpperCase() }, gives: { locationId: place } }],
    unchanged: [{ given: { locationId: place }, params: { location_id: place } }],
    blocked: [{ given: { status: "sent" }, params: { location_id: place }, code: "invalid_state" }],
  },
  split: {
    applied: [
      {
        given: { packages: [{ count: 1 }] },
        params: { by: "items", line_items: [{ id: "line-a", quantity: 1 }] },
        gives: { lines: withLines(["line-a", 2, 0], ["line-b", 2, 0]), total: 70, childCount: 1, packages: [] },
      },
      {
        params: { by: "weight", max_weight: { value: 2, unit: "kg" } },
        gives: { lines: withLines(["line-a", 3, 0]), total: 30, childCount: 2 },
      },
      { params: { by: "value", max_value: 40 }, gives: { lines: withLines(["line-a", 3, 0]), childCount: 2 } },
    ],
    unchanged: [
      { params: { by: "weight", max_weight: { value: 6, unit: "kg" } } },
      { params: { by: "value", max_value: 80 } },
      { given: { lines: [] }, params: { by: "value", max_value: 80 } },
    ],
    blocked: [
      { params: { by: "items", line_items: [{ id: "line-a", quantity: 4 }] }, code: "quantity_exceeds_remaining" },
      { params: { by: "items", line_items: [{ id: "line-x", quantity: 1 }] }, code: "line_not_found" },
      {
        given: { lines: [aLine()] },
        params: { by: "items", line_items: [{ id: "line-a", quantity: 1 }] },
        code: "nothing_to_split",
      },
      { params: { by: "weight", max_weight: { value: 1, unit: "kg" } }, code: "unit_exceeds_limit" },
      {
        given: { lines: [aLine({ quantity: 99, price: 1 })] },
        params: { by: "value", max_value: 1 },
        code: "too_many_parts",
      },
      { given: { lines: [aLine()] }, params: { by: "value", max_value: 1 }, code: "price_missing" },
      {
        given: { lines: [aLine()] },
        params: { by: "weight", max_weight: { value: 1, unit: "g" } },
        code: "weight_missing",
      },
      { given: { ...partly, status: "ready" }, params: { by: "value", max_value: 1 }, code: "already_shipped" },
      { given: { childCount: 999 }, params: { by: "value", max_value: 40 }, code: "too_many_children" },
      { given: { status: "sent" }, params: { by: "value", max_value: 40 }, code: "invalid_state" },
    ],
  },
  merge: {
    applied: [
      { others: [sibling], gives: { status: "ready", total: 160, lines: [{ sku: "A" }, { sku: "B" }, { sku: "C" }] } },
      {
        others: [{ ...sibling, orderedAt: "2026-03-02T00:00:00.000Z" }],
        params: { into: "newest" },
        gives: { status: "cancelled", mergedIntoId: sibling.id, archivedAt: now, notes: noted("Merged into SO-1002") },
      },
      { others: [sibling], params: { into: "SO-1002" }, gives: { status: "cancelled", mergedIntoId: sibling.id } },
      { others: [sibling], params: { into: sibling.id!.toUpperCase() }, gives: { mergedIntoId: sibling.id } },
    ],
    unchanged: [
      { others: [{ ...sibling, channel: "shop" }], params: { into: "SO-1002" }, warning: "nothing_to_merge" },
      { warning: "nothing_to_merge" },
      { others: [{ ...sibling, channel: "shop" }], warning: "nothing_to_merge" },
      { given: merged, others: [sibling] },
    ],
    blocked: [
      { given: { status: "sent" }, code: "invalid_state" },
      { given: { status: "cancelled" }, code: "invalid_state" },
      { others: [sibling], params: { into: "SO-1" }, code: "target_not_found" },
      { given: { tags: fullTags }, others: [{ ...sibling, tags: ["x"] }], code: "too_large" },
    ],
  },
  duplicate: {
    applied: [
      { gives: { childCount: 1 } },
      { params: { line_items: [{ id: "line-b", quantity: 2 }] }, gives: { childCount: 1 } },
      { given: { ...entirely, childCount: 4 }, gives: { childCount: 5 } },
    ],
    unchanged: "every run makes another order",
    blocked: [
      { given: { childCount: 999 }, code: "too_many_children" },
      { params: { line_items: [{ id: "line-x", quantity: 1 }] }, code: "line_not_found" },
      { params: { line_items: [{ id: "line-a", quantity: 4 }] }, code: "quantity_exceeds_ordered" },
    ],
  },
};
