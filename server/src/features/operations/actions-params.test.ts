import { expect, test } from "vitest";
import { createValidator } from "../../core/validation.ts";
import { actionCatalog, actionsByType } from "./action-catalog.ts";
import { now } from "../../testing/an-evaluation.ts";

const named = actionCatalog.map((action) => ({ ...action, action }));
const pointersOf = (type: string, params: object, mayOverride = false): string[] =>
  (actionsByType.get(type)!.check?.(params, { now, mayOverride, timeZone: "UTC" }) ?? []).map(
    ({ pointer, code }) => `${pointer} ${code}`,
  );

test.each(named)("the example of $type is valid", ({ action: { type, params, example } }) => {
  createValidator(params, "body")(structuredClone(example));
  expect(pointersOf(type, example as object)).toEqual([]);
});

test.each(named)("$type rejects an unknown param", ({ action: { params, example } }) => {
  const validate = createValidator(params, "body");
  expect(() => validate({ ...(example as object), no_such_param: 1 })).toThrow("There is no such field.");
});

type Schema = {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  maximum?: number;
  [rule: string]: unknown;
};

function unboundedIn(schema: Schema, path: string): string[] {
  const types = [schema.type].flat();
  const hasOneOf = (...rules: string[]): boolean => rules.some((rule) => rule in schema);
  const isLoose =
    (types.includes("string") && !hasOneOf("maxLength", "enum", "format", "pattern")) ||
    (types.includes("array") && !hasOneOf("maxItems")) ||
    (types.length === 1 && /integer|number/.test(types[0] ?? "") && !hasOneOf("maximum"));
  return [
    ...(isLoose ? [path] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => unboundedIn(inner, `${path}/${name}`)),
    ...(schema.items ? unboundedIn(schema.items, `${path}/items`) : []),
    ...(schema.anyOf ?? []).flatMap((inner) => unboundedIn(inner, path)),
  ];
}

test("every param has a bound", () => {
  expect(actionCatalog.flatMap(({ type, params }) => unboundedIn(params as Schema, type))).toEqual([]);
});

test("types are unique, and every usable action can be applied", () => {
  expect(actionsByType.size).toBe(actionCatalog.length);
  for (const { type, apply, applyToAll } of actionCatalog) {
    const ways = [apply, applyToAll].filter((way) => way !== undefined);
    expect(ways, type).toHaveLength(1);
  }
});

const line = (id: string): object => ({ id, quantity: 1 });

test.each<[type: string, params: object, errors: string[]]>([
  ["hold", { until: "2026-04-01T00:00:00Z", duration_days: 1 }, ["/duration_days one_of"]],
  ["hold", { until: now }, ["/until date_in_past"]],
  ["hold", { until: "2026-03-02" }, ["/until date_in_past"]],
  ["duplicate", { line_items: [line("a"), line("a")] }, ["/line_items/1/id repeated"]],
  ["hold", { until: "2026-12-31T23:59:60Z" }, ["/until format"]],
  ["hold", { until: "9999-12-31T23:59:59-01:00" }, ["/until format"]],
  ["release_hold", { handles: ["a"], reasons: ["operator"] }, ["/reasons one_of"]],
  ["release_hold", { handles: ["a"], all: true }, ["/all one_of"]],
  ["release_hold", { handles: ["a"], all: false }, []],
  ["set_status", { status: "draft", force: true }, ["/force override_required"]],
  ["set_status", { status: "draft", force: false }, []],
  ["add_note", { text: " \n" }, ["/text blank"]],
  ["set_shipping", {}, [" field_required"]],
  ["set_package", { weight_mode: "set" }, [" field_required"]],
  ["set_package", { weight_mode: "add", package_count: 1 }, ["/weight required"]],
  ["set_dates", {}, [" field_required"]],
  ["set_dates", { ship_by: null }, []],
  [
    "set_dates",
    { ship_by: "2026-03-05T00:00:00Z", deliver_by: "2026-03-05T00:30:00+01:00" },
    ["/ship_by dates_out_of_order"],
  ],
  ["set_dates", { dispatch_on: "0000-01-01T00:00:00Z" }, ["/dispatch_on format"]],
  ["set_dates", { ship_by: null, ship_by_after: { working_days: 1 } }, ["/ship_by_after one_of"]],
  ["edit_lines", { change: [{ line: "A" }] }, ["/change/0 field_required"]],
  [
    "edit_lines",
    {
      change: [
        { line: "A", price: 1 },
        { line: "A", price: 2 },
      ],
    },
    ["/change/1/line repeated"],
  ],
  ["swap_sku", { skus: { A: { sku: "B" }, B: { sku: "C" } } }, ["/skus/A/sku chained"]],
  [
    "expand_kits",
    { kits: { A: [{ sku: "B", quantity: 1 }], B: [{ sku: "C", quantity: 1 }] } },
    ["/kits/A/0/sku nested_kit"],
  ],
  ["expand_kits", { kits: { A: [{ sku: "constructor", quantity: 1 }] } }, []],
  ["update_source", { change: "tag" }, ["/tags required"]],
  ["update_source", { change: "cancel", amount: 3 }, ["/amount not_allowed"]],
  ["update_address", { address: { name: "***", city: "***" } }, ["/address/name masked_value"]],
  ["update_address", { address: {} }, ["/address field_required"]],
  ["mark_shipped", { ship_date: "2026-03-02T09:00:01Z" }, ["/ship_date date_in_future"]],
  ["mark_shipped", { override_holds: true }, ["/override_holds override_required"]],
  ["mark_shipped", { line_items: [line("a"), line("b"), line("a")] }, ["/line_items/2/id repeated"]],
  ["mark_paid", { paid_at: "2027-01-01T00:00:00Z" }, ["/paid_at date_in_future"]],
  ["split", { by: "items" }, ["/line_items required"]],
  ["split", { by: "items", line_items: [line("a")], max_value: 1 }, ["/max_value one_of"]],
  ["split", { by: "weight", max_weight: { value: 0, unit: "g" } }, ["/max_weight/value exclusiveMinimum"]],
])("%s %j: %j", (type, params, errors) => {
  expect(pointersOf(type, params)).toEqual(errors);
});

test("with operations:override, force and override_holds are allowed", () => {
  expect(pointersOf("set_status", { status: "draft", force: true }, true)).toEqual([]);
  expect(pointersOf("mark_shipped", { override_holds: true }, true)).toEqual([]);
});

test("params name each user and location once, in its stored form", () => {
  const id = "0199F0A0-0000-7000-8000-00000000E001";
  const refers = (type: string, params: object): unknown => actionsByType.get(type)!.refers!(params);
  expect(refers("assign_user", { user_id: id })).toEqual([{ kind: "user", id, param: "user_id" }]);
  expect(refers("assign_user", { user_id: null })).toEqual([]);
  expect(refers("require_review", { assignee_id: id })).toEqual([{ kind: "user", id, param: "assignee_id" }]);
  expect(refers("require_review", {})).toEqual([]);
  expect(refers("assign_location", { location_id: id })).toEqual([{ kind: "location", id, param: "location_id" }]);
});
