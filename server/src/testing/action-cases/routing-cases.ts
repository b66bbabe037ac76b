import { aHold, aLine, anOrder } from "../an-order.ts";
import { now, stockedAt } from "../an-evaluation.ts";
import type { Cases, Given } from "./case-parts.ts";
import { fullHolds, fullTags, partly, entirely, merged, noted, withLines } from "./case-parts.ts";

const place = "0199f0a0-0000-7000-8000-00000000f001";
const sibling: Given = { id: "0199f0a0-0000-7000-8000-00000000a002", number: "SO-1002", lines: [aLine({ sku: "C" })] };

const [east, west] = ["0199f0a0-0000-7000-8000-00000000a0e1", "0199f0a0-0000-7000-8000-00000000a0e2"] as const;
const writtenOtherwise = {
  ...anOrder().shippingAddress,
  name: " ada  BYRON",
  provinceCode: "il",
  countryCode: "us",
  phone: "+1 555 0100",
};

export const routingCases: Record<string, Cases> = {
  edit_lines: {
    applied: [
      {
        given: { packages: [{ count: 1 }] },
        params: { quantities: [{ line: "line-a", quantity: 1 }] },
        gives: { lines: withLines(["line-a", 1, 0], ["line-b", 2, 0]), total: 60, packages: [] },
      },
      {
        params: { remove: ["B", "no such line"], add: [{ sku: "C", quantity: 2, price: 1.5 }] },
        gives: { lines: [{ id: "line-a" }, { sku: "C", quantity: 2, shippedQuantity: 0 }], total: 33 },
      },
      // A discounted total does not become a debt.
      { given: { total: 20 }, params: { remove: ["B"] }, gives: { total: 0 } },
      { given: { total: null }, params: { remove: ["B"] }, gives: { total: null } },
      {
        given: { status: "sent" },
        params: { quantities: [{ line: "A", quantity: 4 }] },
        gives: { total: 90 },
        warning: "already_sent",
      },
      {
        params: { add: [{ sku: "C", quantity: 1 }] },
        gives: { total: 80, lines: [{ sku: "A" }, { sku: "B" }, { sku: "C" }] },
        warning: "total_unchanged",
      },
      // Packages stay where the items are the same.
      {
        given: {
          packages: [{ count: 1 }],
          lines: [
            aLine({
              price: 80,
              properties: [
                { name: "Color", value: "red" },
                { name: "Engraving", value: "?" },
              ],
            }),
          ],
        },
        params: {
          change: [
            {
              line: "A",
              price: 70.5,
              name: "Ring",
              properties: [
                { name: "Engraving", value: "Ada" },
                { name: "Color", value: null },
              ],
            },
          ],
        },
        gives: {
          total: 70.5,
          packages: [{ count: 1 }],
          lines: [{ name: "Ring", price: 70.5, properties: [{ name: "Engraving", value: "Ada" }] }],
        },
      },
      {
        params: {
          quantities: [{ line: "A", quantity: 1 }],
          change: [{ line: "line-a", price: 20 }],
        },
        gives: { total: 70, lines: [{ quantity: 1, price: 20 }, { id: "line-b" }] },
      },
      {
        given: { lines: [aLine()] },
        params: { change: [{ line: "A", price: 20 }] },
        gives: { total: 80, lines: [{ price: 20 }] },
        warning: "total_unchanged",
      },
      // The rest will not come: all that is left of the order has been shipped.
      {
        given: { ...partly, total: null },
        params: { quantities: [{ line: "line-a", quantity: 1 }] },
        gives: { status: "shipped", lines: withLines(["line-a", 1, 1]) },
      },
    ],
    unchanged: [
      { params: { quantities: [{ line: "A", quantity: 3 }] } },
      { params: { remove: ["no such line"] } },
      { params: { change: [{ line: "A", price: 10, properties: [{ name: "Engraving", value: null }] }] } },
    ],
    blocked: [
      { params: { quantities: [{ line: "C", quantity: 1 }] }, code: "line_not_found" },
      { params: { change: [{ line: "C", price: 1 }] }, code: "line_not_found" },
      { given: { lines: [aLine(), aLine({ id: "line-z" })] }, params: { remove: ["A"] }, code: "line_ambiguous" },
      { given: partly, params: { remove: ["line-a"] }, code: "already_shipped" },
      {
        given: { ...partly, lines: [aLine({ quantity: 3, shippedQuantity: 2 })] },
        params: { quantities: [{ line: "A", quantity: 1 }] },
        code: "already_shipped",
      },
      { params: { remove: ["A", "B"] }, code: "no_lines_left" },
      {
        given: { lines: Array.from({ length: 3_000 }, (_, i) => aLine({ id: `line-${i}`, sku: `S${i}` })) },
        params: { add: [{ sku: "C", quantity: 1 }] },
        code: "too_many_lines",
      },
      { given: { status: "shipped" }, params: { remove: ["A"] }, code: "invalid_state" },
    ],
  },
  assign_location: {
    applied: [{ params: { location_id: place.toUpperCase() }, gives: { locationId: place } }],
    unchanged: [{ given: { locationId: place }, params: { location_id: place } }],
    blocked: [{ given: { status: "sent" }, params: { location_id: place }, code: "invalid_state" }],
  },
  allocate: {
    applied: [
      { given: { lines: [aLine({ quantity: 3 })] }, params: {}, gives: { locationId: stockedAt.main } },
      {
        given: { lines: [aLine({ sku: "B", quantity: 1 })] },
        params: { strategy: "most_stock" },
        gives: { locationId: stockedAt.south },
      },
      {
        given: { lines: [aLine({ sku: "B", quantity: 1 })] },
        params: { location_ids: [stockedAt.south.toUpperCase(), stockedAt.main] },
        gives: { locationId: stockedAt.south },
      },
      // The location of the order does not have everything.
      {
        given: { locationId: stockedAt.south, lines: [aLine({ quantity: 3 })] },
        params: {},
        gives: { locationId: stockedAt.main },
      },
      {
        params: { allow_split: true },
        gives: { locationId: stockedAt.main, lines: withLines(["line-a", 3, 0]), childCount: 1, total: 30 },
      },
      // One of twelve comes from another location than the rest.
      {
        given: { lines: [aLine({ sku: "B", quantity: 11 })] },
        params: { allow_split: true },
        gives: { locationId: stockedAt.main, lines: withLines(["line-a", 1, 0]), childCount: 1 },
      },
    ],
    unchanged: [
      { given: { locationId: stockedAt.south, lines: [aLine({ sku: "B", quantity: 1 })] }, params: {} },
      { given: { lines: [] }, params: {} },
    ],
    blocked: [
      { params: {}, code: "out_of_stock" },
      { given: { lines: [aLine({ quantity: 11 })] }, params: { allow_split: true }, code: "out_of_stock" },
      { given: { lines: [aLine({ sku: "a", quantity: 1 })] }, params: {}, code: "out_of_stock" },
      { given: { status: "sent" }, params: {}, code: "invalid_state" },
    ],
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
      {
        given: { locationId: west },
        params: { by: "location", locations: [{ location_id: east.toUpperCase(), skus: ["B"] }] },
        gives: { lines: withLines(["line-a", 3, 0]), total: 30, locationId: west, childCount: 1, packages: [] },
      },
      // Nothing is left where it is: the order goes along with the first part.
      {
        given: { locationId: null },
        params: {
          by: "location",
          locations: [
            { location_id: east, skus: ["A"] },
            { location_id: west, condition_set: "backordered" },
          ],
        },
        gives: { lines: withLines(["line-a", 3, 0]), locationId: east, childCount: 1 },
      },
      {
        params: { by: "location", locations: [{ location_id: east, skus: ["A", "B"] }] },
        gives: { locationId: east, lines: withLines(["line-a", 3, 0], ["line-b", 2, 0]), childCount: 0 },
      },
      {
        params: { by: "availability", unavailable: { condition_set: "backordered" } },
        gives: { lines: withLines(["line-a", 3, 0]), holds: [], total: 30, childCount: 1 },
      },
      {
        params: { by: "availability", unavailable: { skus: ["A", "B"] } },
        gives: {
          holds: [
            { handle: "backorder", reason: "inventory_out_of_stock", source: "user", note: "Not available: A, B" },
          ],
          childCount: 0,
        },
      },
    ],
    unchanged: [
      { params: { by: "weight", max_weight: { value: 6, unit: "kg" } } },
      { params: { by: "value", max_value: 80 } },
      { given: { lines: [] }, params: { by: "value", max_value: 80 } },
      { given: { locationId: east }, params: { by: "location", locations: [{ location_id: east, skus: ["A"] }] } },
      { given: { lines: [] }, params: { by: "location", locations: [{ location_id: east, skus: ["A"] }] } },
      { params: { by: "availability", unavailable: { skus: ["C"] } } },
      {
        given: { holds: [aHold({ handle: "backorder" })] },
        params: { by: "availability", unavailable: { skus: ["A", "B"] } },
      },
    ],
    blocked: [
      { params: { by: "items", line_items: [{ id: "line-a", quantity: 4 }] }, code: "quantity_exceeds_remaining" },
      { params: { by: "items", line_items: [{ id: "line-x", quantity: 1 }] }, code: "line_not_found" },
      {
        given: { lines: [aLine()] },
        params: { by: "items", line_items: [{ id: "line-a", quantity: 1 }] },
        code: "nothing_to_split",
      },
      { params: { by: "weight", max_weight: { value: 1, unit: "kg" } }, code: "item_exceeds_limit" },
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
      {
        given: { holds: fullHolds },
        params: { by: "availability", unavailable: { skus: ["A"] } },
        code: "too_many_holds",
      },
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
      {
        others: [{ ...sibling, customer: { email: "bob@example.com" } }],
        params: { by: "ship_to" },
        gives: { total: 160 },
      },
      {
        given: { customer: {} },
        others: [{ ...sibling, customer: {}, shippingAddress: writtenOtherwise }],
        params: { by: "ship_to" },
        gives: { total: 160 },
      },
    ],
    unchanged: [
      { others: [{ ...sibling, channel: "shop" }], params: { into: "SO-1002" }, warning: "nothing_to_merge" },
      { warning: "nothing_to_merge" },
      { others: [{ ...sibling, channel: "shop" }], warning: "nothing_to_merge" },
      { others: [{ ...sibling, customer: { email: "bob@example.com" } }], warning: "nothing_to_merge" },
      {
        given: { shippingAddress: { name: "Ada Byron" } },
        others: [{ ...sibling, shippingAddress: { name: "Ada Byron" } }],
        params: { by: "ship_to" },
        warning: "nothing_to_merge",
      },
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
