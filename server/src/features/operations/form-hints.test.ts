import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

type Node = {
  title?: string;
  format?: string;
  properties?: Record<string, Node>;
  items?: Node;
  anyOf?: Node[];
} & Record<string, unknown>;
type Entry = { type: string; params_schema: Node; example: Record<string, unknown> };

function membersOf(node: Node, path: string): { path: string; member: Node }[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([name, member]) => [
    { path: `${path}.${name}`, member },
    ...membersOf(member, `${path}.${name}`),
  ]);
  return [...own, ...(node.items ? membersOf(node.items, path) : [])];
}

test("every param of every action has a title, and every id param names its resource", async () => {
  const { data } = (await org.get("/operations/actions")).body as { data: Entry[] };
  const members = data.flatMap(({ type, params_schema }) => membersOf(params_schema, type));
  expect(members.length).toBeGreaterThan(40);
  expect(members.filter(({ member }) => !/^[A-Z]/.test(member.title ?? "")).map(({ path }) => path)).toEqual([]);
  const ids = members.filter(({ member }) => member.format === "uuid");
  expect(ids.length).toBeGreaterThan(3);
  expect(ids.filter(({ member }) => member["x-entity"] === undefined).map(({ path }) => path)).toEqual([]);
  const names = new Set(members.map(({ path }) => path));
  for (const { path, member } of members) {
    for (const other of (member["x-depends-on"] ?? []) as string[]) {
      const isThere = names.has(path.replace(/[^.]+$/, other));
      expect(isThere || path.endsWith(".service") || path.endsWith(".input"), `${path} depends on ${other}`).toBe(true);
    }
  }
});

test("the condition fields list the operators that a run accepts", async () => {
  type Field = { path: string; type: string; operators: string[]; values: string[] | null; available: boolean };
  const { data } = (await org.get("/operations/condition-fields")).body as { data: Field[] };
  const byPath = new Map(data.map((field) => [field.path, field]));
  expect(byPath.get("status")).toMatchObject({ type: "choice", values: expect.arrayContaining(["new", "ready"]) });
  expect(byPath.get("lines.sku")).toMatchObject({ type: "text" });
  expect(byPath.get("shipBy")).toMatchObject({ type: "date" });
  expect(byPath.get("tags")).toMatchObject({ type: "tags" });
  expect(byPath.get("locationId")).toMatchObject({ type: "id", entity: "location" });
  const { body: order } = await org.post("/orders", {});
  const { body: set } = await org.post("/condition-sets", { name: "Some" });
  const valueOf = (operator: string, { type, values }: Field): unknown => {
    if (operator.endsWith("in_set")) return set.id;
    const one = values ? values[0] : type === "number" ? 1 : type === "boolean" ? true : "2026-01-01T00:00:00Z";
    return operator === "between" ? [one, one] : operator === "in" || operator === "not_in" ? [one] : one;
  };
  const conditions = data.flatMap((field) =>
    field.operators.map((op) => ({
      path: field.path.replace("*", "any"),
      op,
      ...(op.endsWith("empty") ? {} : { value: valueOf(op, field) }),
    })),
  );
  for (let from = 0; from < conditions.length; from += 150) {
    const when = { all: conditions.slice(from, from + 150) };
    const actions = [{ type: "add_tags", params: { tags: ["x"] }, when }];
    const { status, text } = await org.post("/operations/preflight", { order_ids: [order.id], actions });
    expect(status, text).toBe(200);
  }
});

test("a condition that is never or always met is rejected with its pointer and a suggestion", async () => {
  const { body: order } = await org.post("/orders", {});
  const refused = [
    { path: "shippingAddress.countrycode", op: "ne", value: "US" },
    { path: "total", op: "gt", value: "abc" },
    { path: "status", op: "eq", value: "shiped" },
  ];
  const actions = refused.map((when) => ({ type: "hold", params: {}, when }));
  const { status, body } = await org.post("/operations/preflight", { order_ids: [order.id], actions });
  expect([status, body.errors]).toEqual([
    400,
    [
      expect.objectContaining({ pointer: "/actions/0/when/path", suggestion: "shippingAddress.countryCode" }),
      expect.objectContaining({ pointer: "/actions/1/when/value", message: "total is a number; this is not." }),
      expect.objectContaining({ pointer: "/actions/2/when/value", suggestion: "shipped" }),
    ],
  ]);
});

test("conditions on names are rejected without pii:read", async () => {
  const reader = await org.withScopes(["operations:read"]);
  const { data } = (await reader.get("/operations/condition-fields")).body as {
    data: { path: string; available: boolean }[];
  };
  const unavailable = data.filter(({ available }) => !available).map(({ path }) => path);
  expect(unavailable).toContain("customer.name");
  expect(unavailable).not.toContain("shippingAddress.countryCode");
});
