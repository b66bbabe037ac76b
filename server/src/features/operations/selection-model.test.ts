import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

/**
 * What a filter means, said once more in the plainest way and of what the API answers: it shares nothing with the hub. The
 * values are few, so that filters meet orders often.
 */
type Answer = {
  id: string;
  number: string;
  status: string;
  onHold: boolean;
  tags: string[];
  channel: string | null;
  priority: string;
  paymentStatus: string;
  locationId: string | null;
  shipping: { carrier?: string; service?: string };
  shippingAddress: { countryCode?: string } | null;
  holds: { reason: string }[];
  total: number | null;
  customFields: Record<string, string | number | boolean>;
  archived: boolean;
  orderedAt: string;
  shipBy: string | null;
  lines: { sku: string }[];
};
type Several = string | string[];
type Filter = { [name: string]: Several | boolean | number };

const hub = await startTestHub();
const org = await hub.org();
const location = (await org.post("/locations", { name: "L" })).body.id as string;
const channels = ["web", "shop", "a,b"];
const tags = ["x", "y", "z"];
const carriers = ["ups", "dhl"];
const services = ["ground", "air"];
const countries = ["US", "DE"];
const skus = ["ZETA-1", "MUG-1", "CUP-1"];
const reasons = ["operator", "customer_request", "other"];
const amounts = [10, 20.5, 30];
const days = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];
const fields = { color: ["red", "blue", "1"], size: [1, 2.5, "2.5"], gift: [true, false, "true"] };

const pick = <T>(values: readonly T[], n: number): T | undefined => values[n % (values.length + 1)];
const count = 72;
const orders = Array.from({ length: count }, (_, n) => {
  const m = Math.floor(n * 2.7);
  const customFields = Object.fromEntries(
    Object.entries(fields).flatMap(([name, values], i) => {
      const value = pick<string | number | boolean>(values, m + i * n);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const channel = pick(channels, n);
  const carrier = pick(carriers, n);
  const service = pick(services, m);
  return {
    number: `S-${n}`,
    status: ["new", "ready", "shipped"][n % 3],
    tags: tags.filter((_tag, i) => (m >> i) % 2 === 1),
    priority: ["normal", "high", "low"][m % 3],
    paymentStatus: ["pending", "paid"][n % 2],
    ...(channel === undefined ? {} : { channel }),
    ...(n % 5 === 0 ? { locationId: location } : {}),
    shipping: { ...(carrier === undefined ? {} : { carrier }), ...(service === undefined ? {} : { service }) },
    customFields,
    archived: n % 7 === 0,
    orderedAt: days[m % 3],
    ...(n % 4 === 0 ? { shipBy: days[n % 3] } : {}),
    ...(n % 3 === 1 ? { shippingAddress: { city: "X", countryCode: countries[m % 2] } } : {}),
    ...(n % 4 === 1 ? {} : { total: amounts[m % 3] }),
    lines: [
      { sku: n % 6 === 0 ? "ZETA-1" : "MUG-1", quantity: 1 },
      ...(n % 5 === 2 ? [{ sku: "CUP-1", quantity: 1 }] : []),
    ],
  };
});
for (const order of orders) {
  expect((await org.post("/orders", order)).status).toBe(201);
  hub.advance(1_000);
}
const numbers = orders.map(({ number }) => number);
const act = async (order_ids: string[], type: string, params: object) =>
  (await org.post("/operations/run", { order_ids, actions: [{ type, params }] })).body;
await act(
  numbers.filter((_, n) => n % 8 === 1),
  "hold",
  { reason: "operator" },
);
/** As the results of runs say. */
const failed = new Set<string>();
for (const run of [
  await act(numbers, "hold", { reason: "customer_request" }).then(({ id }) => id),
  await act(numbers.slice(0, 30), "add_tags", { tags: ["seen"] }).then(({ id }) => id),
]) {
  const { data } = (await org.get(`/operations/runs/${run}/results?limit=1000`)).body;
  for (const { order_id, status } of data) {
    if (status === "failed") failed.add(order_id);
    if (status === "succeeded") failed.delete(order_id);
  }
}
// Some of those that the first run held are free again.
await act(
  numbers.filter((_, n) => n % 2 === 0),
  "release_hold",
  {},
).then(async ({ id }) => {
  const { data } = (await org.get(`/operations/runs/${id}/results?limit=1000`)).body;
  for (const { order_id, status } of data) {
    if (status === "failed") failed.add(order_id);
    if (status === "succeeded") failed.delete(order_id);
  }
});

async function readAll(): Promise<Answer[]> {
  const { data, pagination } = (await org.get("/orders?archived=any&limit=100&sort=createdAt")).body;
  expect(pagination.total).toBe(count);
  return data;
}

const listOf = (value: Filter[string] | undefined): string[] | undefined =>
  typeof value === "string" || Array.isArray(value) ? [value].flat() : undefined;

function meets(order: Answer, filter: Filter): boolean {
  const one = (name: string, value: string | null | undefined, split = false): boolean => {
    const texts = (given: string[] | undefined) => (split ? given?.flatMap((text) => text.split(",")) : given);
    const [wanted, unwanted] = [texts(listOf(filter[name])), texts(listOf(filter[`${name}Not`]))];
    return (!wanted || wanted.includes(value ?? "\u0000")) && !unwanted?.includes(value ?? "\u0000");
  };
  const any = (name: string, values: string[]): boolean => {
    const [wanted, unwanted] = [listOf(filter[name]), listOf(filter[`${name}Not`])];
    return (wanted?.some((value) => values.includes(value)) ?? true) && !unwanted?.some((one) => values.includes(one));
  };
  const states = [order.status, ...(order.onHold ? ["on_hold"] : [])];
  const statuses = (name: string) => listOf(filter[name])?.flatMap((text) => text.split(","));
  const hasField = (text: string): boolean => {
    const [name, value] = [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)];
    const own = order.customFields[name];
    if (own === undefined) return false;
    return typeof own === "number" ? value.trim() !== "" && Number(value) === own : String(own) === value;
  };
  const wantedFields = Object.values(Object.groupBy(listOf(filter.customField) ?? [], (text) => text.split(":")[0]!));
  const within = (name: string, value: string | null): boolean => {
    const [from, to] = [filter[`${name}From`] as string | undefined, filter[`${name}To`] as string | undefined];
    if (from === undefined && to === undefined) return true;
    return value !== null && (from === undefined || value >= from) && (to === undefined || value < to);
  };
  const archived = filter.archived ?? "false";
  return (
    (statuses("status")?.some((name) => states.includes(name)) ?? true) &&
    !(statuses("statusNot")?.some((name) => states.includes(name)) ?? false) &&
    one("priority", order.priority, true) &&
    one("paymentStatus", order.paymentStatus, true) &&
    one("channel", order.channel) &&
    one("locationId", order.locationId) &&
    one("carrier", order.shipping.carrier) &&
    one("service", order.shipping.service) &&
    one("country", order.shippingAddress?.countryCode) &&
    any(
      "sku",
      order.lines.map(({ sku }) => sku),
    ) &&
    any(
      "holdReason",
      order.holds.map(({ reason }) => reason),
    ) &&
    (filter.totalMin === undefined || (order.total !== null && order.total >= Number(filter.totalMin))) &&
    (filter.totalMax === undefined || (order.total !== null && order.total <= Number(filter.totalMax))) &&
    (filter.tag === undefined || order.tags.includes(filter.tag as string)) &&
    (listOf(filter.tagsAny)?.some((tag) => order.tags.includes(tag)) ?? true) &&
    (listOf(filter.tagsAll)?.every((tag) => order.tags.includes(tag)) ?? true) &&
    !(listOf(filter.tagsNone)?.some((tag) => order.tags.includes(tag)) ?? false) &&
    wantedFields.every((texts) => texts!.some(hasField)) &&
    !(listOf(filter.customFieldNot)?.some(hasField) ?? false) &&
    (filter.lastRunFailed === undefined || filter.lastRunFailed === failed.has(order.id)) &&
    within("ordered", order.orderedAt) &&
    within("shipBy", order.shipBy) &&
    (filter.search === undefined || order.lines.some(({ sku }) => sku.toLowerCase().startsWith("zeta"))) &&
    (archived === "any" || order.archived === (archived === "true"))
  );
}

/** One of them, or several. */
const some = (values: readonly string[]) =>
  fc.oneof(
    fc.constantFrom(...values),
    fc.uniqueArray(fc.constantFrom(...values), { minLength: Math.min(2, values.length), maxLength: values.length }),
  );
const states = ["new", "ready", "shipped", "on_hold", "cancelled", "new,shipped", "on_hold,ready"];
const fieldTexts = Object.entries(fields)
  .flatMap(([name, values]) => [...values, "none"].map((value) => `${name}:${value}`))
  .concat("size:1.0", "absent:1");
/** Names that take several values. */
const lists = {
  status: states,
  statusNot: states,
  priority: ["low", "normal", "high", "urgent", "low,high"],
  priorityNot: ["low", "normal", "high"],
  paymentStatus: ["pending", "paid"],
  paymentStatusNot: ["pending", "paid"],
  channel: [...channels, "none"],
  channelNot: channels,
  locationId: [location, crypto.randomUUID()],
  locationIdNot: [location],
  carrier: [...carriers, "none"],
  carrierNot: carriers,
  service: services,
  serviceNot: services,
  country: countries,
  countryNot: countries,
  sku: skus,
  skuNot: skus,
  holdReason: reasons,
  holdReasonNot: reasons,
  customField: fieldTexts,
  customFieldNot: fieldTexts,
  tagsAny: tags,
  tagsAll: tags,
  tagsNone: tags,
};
const parts: Record<string, fc.Arbitrary<Several | boolean | number>> = {
  ...Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, some(values)])),
  tag: fc.constantFrom(...tags),
  lastRunFailed: fc.boolean(),
  archived: fc.constantFrom("any", "true", "false"),
  orderedFrom: fc.constantFrom(...days),
  orderedTo: fc.constantFrom(...days),
  shipByFrom: fc.constantFrom(...days),
  shipByTo: fc.constantFrom(...days),
  search: fc.constant("zeta"),
  totalMin: fc.constantFrom(...amounts),
  totalMax: fc.constantFrom(...amounts),
};
/** Of all at once there would be nothing: a few each. */
const filters: fc.Arbitrary<Filter> = fc
  .subarray(Object.keys(parts), { minLength: 1, maxLength: 4 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, parts[name]!]))));

function toQuery(filter: Filter): string {
  const pairs = Object.entries(filter).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${encodeURIComponent(String(one))}`),
  );
  return pairs.join("&");
}

const idsOf = (list: Answer[]): string[] => list.map(({ id }) => id);

/** What the list and a selection have to say about the filter. */
async function checkFilter(all: Answer[], filter: Filter): Promise<number> {
  const expected = all.filter((order) => meets(order, filter));
  const listed = await org.get(`/orders?${toQuery(filter)}&limit=100&sort=createdAt`);
  expect([listed.status, idsOf(listed.body.data)]).toEqual([200, idsOf(expected)]);
  expect(listed.body.pagination.total).toBe(expected.length);
  const { status, body } = await org.post("/operations/selections", { filter });
  if (expected.length === 0) {
    expect([status, body.code]).toEqual([400, "empty_selection"]);
    return 0;
  }
  expect(body.matched).toBe(expected.length);
  expect(idsOf(body.sample)).toEqual(idsOf(expected.slice(0, 10)));
  const byStatus = Object.groupBy(expected, (order) => order.status);
  expect(body.by_status).toEqual(
    Object.fromEntries(Object.entries(byStatus).map(([name, list]) => [name, list!.length])),
  );
  return expected.length;
}

test.each(Object.entries(lists))(
  "%s with each of its values, and with all of them, means what it says",
  async (name, values) => {
    const all = await readAll();
    let found = 0;
    for (const archived of ["false", "any"]) {
      for (const given of [...values, values]) found += await checkFilter(all, { [name]: given, archived });
    }
    expect(found).toBeGreaterThan(0);
  },
);

test("a filter finds the same orders in a list, in a selection and in the model (proof 10)", async () => {
  const all = await readAll();
  let found = 0;
  await fc.assert(
    fc.asyncProperty(filters, async (filter) => {
      found += await checkFilter(all, filter);
    }),
    { numRuns: 250 },
  );
  expect(found).toBeGreaterThan(250);
});

/** What may happen to an order between the selection and its turn; none of it is about tags, by which it is seen who was first. */
const changes = fc
  .record(
    {
      priority: fc.constantFrom("low", "normal", "high"),
      channel: fc.constantFrom(...channels, null),
      shipping: fc.constantFrom({ carrier: "ups" }, { carrier: "dhl" }, { service: "air" }, null),
      customFields: fc.constantFrom({ color: "red" }, { color: null, size: 1 }, { gift: true }),
      archived: fc.boolean(),
    },
    { requiredKeys: [] },
  )
  .filter((patch) => Object.keys(patch).length > 0);

test("a run over a selection changes the selected orders that still match, and no others (proof 10)", async () => {
  let skips = 0;
  let round = 0;
  await fc.assert(
    fc.asyncProperty(
      filters.map(({ lastRunFailed: _failed, ...filter }): Filter => filter),
      fc.array(fc.tuple(fc.nat(count - 1), changes), { maxLength: 12 }),
      fc.boolean(),
      async (filter, given, isMeanwhile) => {
        const before = await readAll();
        const chosen = before.filter((order) => meets(order, filter));
        fc.pre(chosen.length > 0);
        const { body: selection } = await org.post("/operations/selections", { filter });
        expect(selection.matched).toBe(chosen.length);
        const tag = `round-${round++}`;
        const patches = new Map(given.map(([n, patch]) => [before[n]!.id, patch]));
        const patch = async (): Promise<Map<string, Answer>> =>
          new Map(
            await Promise.all(
              Array.from(patches, async ([id, body]) => {
                const answer = await org.patch(`/orders/${id}`, body);
                expect(answer.status).toBe(200);
                return [id, answer.body as Answer] as const;
              }),
            ),
          );
        const start = async () =>
          await org.post("/operations/run", {
            selection_id: selection.id,
            actions: [{ type: "add_tags", params: { tags: [tag] } }],
          });
        const patching = patch();
        if (!isMeanwhile) await patching;
        const [{ body: run }, patched] = await Promise.all([start(), patching]);
        const results = (await org.get(`/operations/runs/${run.id}/results?limit=1000`)).body.data;
        expect(results.map(({ order_id }: { order_id: string }) => order_id)).toEqual(idsOf(chosen));
        const after = new Map((await readAll()).map((order) => [order.id, order]));
        const told = new Map<string, { status: string; error: { code: string } | null }>(
          results.map((result: { order_id: string }) => [result.order_id, result]),
        );
        for (const order of before) {
          const changed = patched.get(order.id);
          // The response to the change shows whether the run came first.
          const atTurn = changed && !changed.tags.includes(tag) ? changed : order;
          const isDone = told.has(order.id) && meets(atTurn, filter);
          expect(after.get(order.id)!.tags.includes(tag)).toBe(isDone);
          if (!told.has(order.id)) continue;
          const { status, error } = told.get(order.id)!;
          expect([status, error?.code]).toEqual(isDone ? ["succeeded", undefined] : ["skipped", "no_longer_matches"]);
          if (!isDone) skips++;
        }
        expect(run.status).toBe("succeeded");
        await act(numbers, "remove_tags", { tags: [tag] });
      },
    ),
    { numRuns: 40 },
  );
  expect(skips).toBeGreaterThan(0);
});
