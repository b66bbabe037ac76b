import { beforeAll, describe, expect, test } from "vitest";
import { operators } from "../core/condition-shape.ts";
import { ExportQuery, OrderAnswer, OrderQuery } from "../features/orders/order-answers.schemas.ts";
import { isPersonalPath } from "../features/orders/orders.ts";
import type { Answer, TestClient } from "../testing/test-client.ts";
import { startTestHub } from "../testing/test-hub.ts";

/**
 * Security 9: callers that may not read the customer of an order must not find it out by guessing either. T-1 and T-2 are the same
 * but for personal data; whatever is asked about them, by every way there is to ask, the answers have to be the same.
 */
const hub = await startTestHub();
const org = await hub.org();

const ada = { name: "Ada Xyzzy", email: "ada@xyzzy.example", phone: "+1 518 555 0199" };
const bea = { name: "Bea Quux", email: "bea@quux.example", phone: "+44 20 7946 0018" };
const adasPlace = { ...ada, address1: "12 Xyzzy Street", address2: "Rear door" };
const beasPlace = { ...bea, address1: "9 Quux Road", address2: "Top floor" };
const isPersons = (who: typeof ada, where: typeof adasPlace) => ({
  customer: { ...who, id: `cust-${who.email}` },
  shippingAddress: { ...rough, ...where },
  billingAddress: { ...rough, ...where },
});
const rough = { company: "Mugs Inc", city: "Albany", province: "New York", provinceCode: "NY", zip: "12207" };
const shared = {
  status: "ready",
  priority: "high",
  tags: ["vip"],
  channel: "web",
  orderedAt: "2026-03-01T10:00:00Z",
  shipBy: "2026-03-05T10:00:00Z",
  lines: [{ id: "line-1", sku: "MUG-1", name: "A mug", quantity: 2, price: 12 }],
  notes: [{ text: "Ring twice" }],
  customFields: { gift: true },
  total: 24,
  packages: [{ weight: { value: 1, unit: "kg" } }],
};

/** May look at everything, and run pipelines, but not read personal data. */
let stranger: TestClient;
let viewer: TestClient;

beforeAll(async () => {
  viewer = await org.withRole("viewer");
  const all = ["orders:read", "orders:write", "operations:read", "operations:write", "operations:run", "tasks:execute"];
  stranger = await org.withScopes(all as never);
  await org.post("/orders", { ...shared, ...isPersons(ada, adasPlace), number: "T-1" });
  await org.post("/orders", { ...shared, ...isPersons(bea, beasPlace), number: "T-2" });
  const set = await org.post("/condition-sets", { name: "Guesses" });
  const values = [...Object.values(adasPlace), "Albany", "MUG-1", "vip"];
  await org.post(`/condition-sets/${set.body.id}/values`, { values });
});

type Shape = { properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] };

/** Every path that leads to something in an answer about orders, and those to what holds it. */
function pathsIn(shape: Shape, path: string): string[] {
  const inner = [shape, ...(shape.anyOf ?? [])].flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties).flatMap(([name, member]) => pathsIn(member, path === "" ? name : `${path}.${name}`)),
    ...(items ? pathsIn(items, path).filter((found) => found !== path) : []),
  ]);
  return path === "" ? inner : [path, ...inner];
}

// Deeper names are refused as well: nothing lies there, and whatever will is personal too.
const paths = [...pathsIn(OrderAnswer as Shape, ""), "customer.name.first", "shippingAddress.phone.country"];
const personal = paths.filter(isPersonalPath);
/** What distinguishes the two for all callers. */
const differsAnyway = new Set(["id", "number", "createdAt", "updatedAt", "notes.id", "notes.at"]);

function at(record: unknown, steps: string[]): unknown {
  const value = Array.isArray(record) ? (record[0] as unknown) : record;
  const [step, ...rest] = steps;
  if (step === undefined || typeof value !== "object" || value === null) return value;
  return at((value as Record<string, unknown>)[step], rest);
}

/** A comparison with each operator that holds, if any does, for a record with this value. */
function guessesOf(path: string, value: unknown): object[] {
  const known = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : "x";
  const ordered = typeof known === "boolean" ? "x" : known;
  const text = String(known);
  const values: Record<(typeof operators)[number], unknown> = {
    eq: known,
    ne: known,
    has_tag: known,
    in: [known],
    not_in: [known],
    in_set: "Guesses",
    not_in_set: "Guesses",
    gt: ordered,
    gte: ordered,
    lt: ordered,
    lte: ordered,
    between: [ordered, ordered],
    contains: text.slice(1, 4) || text,
    starts_with: text.slice(0, 3),
    ends_with: text.slice(-3),
    matches: text.slice(0, 3).replaceAll(/\W/g, "."),
    empty: undefined,
    not_empty: undefined,
  };
  return operators.map((op) => ({ path, op, ...(values[op] === undefined ? {} : { value: values[op] }) }));
}

const preflight = (who: TestClient, actions: object[]): Promise<Answer> =>
  who.post("/operations/preflight", { order_ids: ["T-1", "T-2"], actions });
const tagWhen = (when: object) => ({ type: "add_tags", params: { tags: ["guessed"] }, when });

type Told = { order_number: string; verdict: string; steps: unknown[] };
function toldOf(answer: Answer): unknown[] {
  const orders = (answer.body.orders as Told[]).toSorted((a, b) => a.order_number.localeCompare(b.order_number));
  return orders.map(({ verdict, steps }) => ({ verdict, steps }));
}

/** Which of the guesses about T-1 tells it from T-2, by which operator. */
async function tellApart(who: TestClient, path: string): Promise<Answer> {
  const known = at((await org.get("/orders/T-1")).body, path.split("."));
  const guesses = guessesOf(path, known).map(tagWhen);
  const answer = await preflight(who, guesses);
  // Operators that no caller can use on such a field are left out.
  const senseless = ((answer.body.errors ?? []) as { pointer: string; code: string }[]).filter(({ code }) =>
    ["value", "operator", "not_comparable"].includes(code),
  );
  if (senseless.length === 0) return answer;
  const refused = new Set(senseless.map(({ pointer }) => Number(pointer.split("/")[2])));
  return await preflight(
    who,
    guesses.filter((_, index) => !refused.has(index)),
  );
}

describe("conditions", () => {
  test.each(paths.filter((path) => !differsAnyway.has(path)))("on %s", async (path) => {
    const answer = await tellApart(viewer, path);
    if (answer.status === 200) {
      const [first, second] = toldOf(answer);
      expect(first).toEqual(second);
      expect(isPersonalPath(path)).toBe(false);
      return;
    }
    expect([answer.status, answer.body.code]).toEqual([400, "validation_failed"]);
    const refusals = operators.map((_, index) => ({
      pointer: `/actions/${index}/when/path`,
      code: "pii_scope_required",
      message: expect.stringContaining("pii:read"),
    }));
    expect(answer.body.errors).toEqual(refusals);
  });

  test("match with pii:read, so the guesses are right", async () => {
    const leaves = personal.filter((path) => /^\w+\.\w+$/.test(path));
    expect(leaves).toHaveLength(4 + 5 + 5);
    for (const path of leaves) {
      const [first, second] = toldOf(await tellApart(org, path));
      expect([path, first]).not.toEqual([path, second]);
    }
  });

  test.each(personal)("on %s are rejected in every place of a pipeline, at any depth", async (path) => {
    const condition = { path, op: "not_empty" };
    const deep = { any: [{ not: { all: [condition] } }] };
    const ways: [pointer: string, action: object][] = [
      ["/actions/0/when/path", tagWhen(condition)],
      ["/actions/0/when/any/0/not/all/0/path", tagWhen(deep)],
      ["/actions/0/params/when/path", { type: "assert", params: { when: condition } }],
      ["/actions/0/params/when/any/0/not/all/0/path", { type: "assert", params: { when: deep } }],
    ];
    for (const [pointer, action] of ways) {
      const answers = [
        await preflight(viewer, [action]),
        await stranger.post("/operations/run", { order_ids: ["T-1"], actions: [action] }),
        await stranger.post("/operations/pipelines", { name: `Of ${pointer} ${path}`, actions: [action] }),
      ];
      for (const { status, body } of answers) {
        expect([status, body.errors]).toEqual([
          400,
          [expect.objectContaining({ pointer, code: "pii_scope_required" })],
        ]);
      }
    }
  });

  test("of callers with pii:read are masked for others, and not retried on their behalf", async () => {
    const when = { any: [{ path: "customer.email", op: "eq", value: ada.email }] };
    const failing = { type: "set_status", params: { status: "delivered" }, when };
    const run = await org.post("/operations/run", { order_ids: ["T-1"], actions: [failing] });
    expect(run.body).toMatchObject({ status: "failed" });
    const shown = await viewer.get(`/operations/runs/${run.body.id}`);
    expect(shown.body.actions[0].when).toEqual({ any: [{ path: "customer.email", op: "eq", value: "***" }] });
    const retried = await stranger.post(`/operations/runs/${run.body.id}/retry`);
    expect(retried.body.errors).toMatchObject([{ pointer: "/actions/0/when/any/0/path", code: "pii_scope_required" }]);
    const saved = await org.post("/operations/pipelines", { name: "Hers", actions: [tagWhen(when)] });
    const { id } = saved.body;
    expect(saved.text).toContain(ada.email);
    const seen = [
      await viewer.get("/operations/pipelines"),
      await viewer.get(`/operations/pipelines/${id}`),
      await stranger.patch(`/operations/pipelines/${id}`, { description: "Renamed by who may not know" }),
    ];
    for (const { status, text } of seen) expect([status, text.includes(ada.email)]).toEqual([200, false]);
    expect((await org.get(`/operations/pipelines/${id}`)).text).toContain(ada.email);
  });
});

describe("actions", () => {
  test.each(Object.keys(adasPlace))("that set %s do not reveal whether the value was the same", async (member) => {
    const actions = [{ type: "update_address", params: { address: { [member]: adasPlace[member as "name"] } } }];
    const pointer = `/actions/0/params/address/${member}`;
    const answers = [await preflight(viewer, actions)];
    answers.push(await stranger.post("/operations/run", { order_ids: ["T-1"], actions }));
    for (const { status, body } of answers) {
      expect([status, body.errors]).toEqual([400, [expect.objectContaining({ pointer, code: "pii_scope_required" })]]);
    }
    const [first, second] = toldOf(await preflight(org, actions));
    expect(first).not.toEqual(second);
  });

  test.each(personal)("that fill in %s are rejected", async (path) => {
    const bridge = await org.post("/bridges", { name: `For ${path}`, connector: "demo" });
    const params = { bridge_id: bridge.body.id, task_name: "noop", input: { a: [{ b: `To {{ ${path} }}!` }] } };
    const { status, body } = await stranger.post("/operations/run", {
      order_ids: ["T-1"],
      actions: [{ type: "run_task", params }],
    });
    const refusal = expect.objectContaining({ pointer: "/actions/0/params/input/a/0/b", code: "pii_scope_required" });
    expect([status, body.errors]).toEqual([400, [refusal]]);
  });

  test("that find the same recipients need pii:read", async () => {
    for (const who of [viewer, stranger]) {
      const { status, body } = await preflight(who, [{ type: "merge", params: {} }]);
      expect([status, body.required]).toEqual([403, ["pii:read"]]);
    }
    expect((await preflight(org, [{ type: "merge", params: {} }])).status).toBe(200);
  });

  test("on other parts of an address are allowed", async () => {
    const actions = [{ type: "update_address", params: { address: { city: "Albany", zip: "12207" } } }];
    const [first, second] = toldOf(await preflight(viewer, actions));
    expect(first).toEqual(second);
  });
});

describe("lists", () => {
  /** Every word of what is personal, its beginnings, what is left of it from each part on, and its inside. */
  const words = [...new Set(Object.values(adasPlace).flatMap((text) => [text, ...text.split(/[\s@.+]+/)]))]
    .filter((word) => word !== "")
    .flatMap((word) => [word, word.slice(0, 3), word.slice(0, 5), word.toUpperCase(), `${word} albany`, word.slice(1)])
    .filter((word) => word.trim() !== "");

  const numbersIn = ({ text }: Answer): string[] => [...new Set(text.match(/\bT-[12]\b/g))].toSorted();

  test.each([...new Set(words)])("found by %s", async (word) => {
    for (const path of ["/orders", "/orders/export.csv"]) {
      const found = numbersIn(await viewer.get(`${path}?search=${encodeURIComponent(word)}`));
      expect([path, found.length === 1 ? found : "none or both"]).toEqual([path, "none or both"]);
    }
  });

  test("match with pii:read, so the words are right", async () => {
    const found = await Promise.all(words.map((word) => org.get(`/orders?search=${encodeURIComponent(word)}`)));
    expect(found.filter((answer) => numbersIn(answer).length === 1).length).toBeGreaterThan(20);
  });

  test("are the same for every filter and sorting when two recipients are swapped", async () => {
    const guesses = [...Object.values(ada), "vip", "web", "ready", "high", "pending", "any", "2026-03-01T00:00:00Z"];
    const urlsOf = (path: string, { properties }: { properties: object }) =>
      Object.entries(properties as Record<string, { enum?: string[] }>).flatMap(([name, { enum: names = [] }]) =>
        [...guesses, ...names].map((value) => `${path}?${name}=${encodeURIComponent(value)}`),
      );
    // That both were changed just now is seen by all, so what it was changed at is not asked for.
    const urls = [...urlsOf("/orders", OrderQuery), ...urlsOf("/orders/export.csv", ExportQuery)].filter(
      (url) => !/updated/i.test(url),
    );
    const ask = async (): Promise<unknown[]> => {
      const told: unknown[] = [];
      for (const url of urls) {
        const { status, text } = await viewer.get(url);
        told.push([url, status, text.match(/\bT-[12]\b/g)]);
      }
      return told;
    };
    const before = await ask();
    await org.patch("/orders/T-1", isPersons(bea, beasPlace));
    await org.patch("/orders/T-2", isPersons(ada, adasPlace));
    expect(await ask()).toEqual(before);
    expect(before.filter((told) => (told as unknown[])[1] === 200).length).toBeGreaterThan(30);
  });
});

test.each([
  ["customer", ["name", "email", "phone"]],
  ["shippingAddress", ["name", "email", "phone", "address1", "address2"]],
  ["billingAddress", ["name", "email", "phone", "address1", "address2"]],
] as const)("overwriting %s does not reveal whether the value was the same", async (holder, members) => {
  for (const member of members) {
    const numbers = [`${holder}-${member}-1`, `${holder}-${member}-2`];
    for (const number of numbers) {
      const order = await org.post("/orders", { ...shared, ...isPersons(ada, adasPlace), number });
      await org.post("/operations/run", {
        order_ids: [order.body.id],
        actions: [{ type: "validate_address", params: { on_failure: "warn" } }],
      });
    }
    const right = { [holder]: { [member]: adasPlace[member] } };
    const wrong = { [holder]: { [member]: beasPlace[member] } };
    const answers = [
      await stranger.patch(`/orders/${numbers[0]}`, right),
      await stranger.patch(`/orders/${numbers[1]}`, wrong),
    ];
    const told = answers.map(({ status, body: { version, addressStatus } }) => ({ status, version, addressStatus }));
    expect([member, told[0]]).toEqual([member, told[1]]);
    const timelines = numbers.map(async (number) => (await stranger.get(`/orders/${number}/timeline`)).body.data);
    const paths = (await Promise.all(timelines)).map((data: { changes: unknown[] }[]) => data[0]!.changes);
    expect(paths[0]).toEqual(paths[1]);
  }
});
