import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Parcel, Part } from "../../testing/recount-deliveries.ts";
import { expectLists, laneOf, pickPart, pickSums, recountDeliveries } from "../../testing/recount-deliveries.ts";
import { seedReports } from "../../testing/seed-reports.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const rival = await hub.org();
const zone = "America/New_York";
/** The clocks change on 1 November, within the window and between it and the one before. */
const now = Date.parse("2026-11-17T15:30:00Z");
const hour = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const ago = (hours: number): string => iso(now - hours * hour);
const window = "from=2026-10-19&to=2026-11-17";

beforeAll(async () => {
  hub.world.clock.set({ mode: "frozen", at: iso(now) });
  await org.patch(`/organizations/${org.id}`, { timezone: zone });
  await seedReports(hub, org, now);
});
afterAll(() => hub.world.clock.set({ mode: "real" }));

const rowsOf = <Row>(table: string): Promise<Row[]> =>
  hub.world.db.query<Row>(`select * from ${table} where org_id = $1`, [org.id]);

type OrderRow = { id: string; status: string; ordered_at: Date; ship_by: Date | null; location_id: string | null };

/** The calendar day in New York, by another way than the hub's. */
const dayOf = (at: Date | string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    new Date(at),
  );
const isIn = (at: Date | string | null, from: string, to: string): boolean =>
  at !== null && dayOf(at) >= from && dayOf(at) <= to;

const recount = (parcels: Parcel[], from: string, to: string): Part =>
  recountDeliveries(parcels, (at) => isIn(at, from, to), now);
const total = async (path: string): Promise<number> => (await org.get(path)).body.pagination.total;

describe("deliveries", () => {
  test.each([
    ["carrier", (one: Parcel) => one.carrier_key ?? "", "carrier"],
    ["service", (one: Parcel) => one.service?.toLowerCase() ?? "", "service"],
    ["account", (one: Parcel) => one.carrier_account_id ?? "", "carrierAccountId"],
    ["lane", laneOf, "lane"],
    ["zone", (one: Parcel) => one.zone ?? "", "zone"],
    ["state", (one: Parcel) => one.destination?.provinceCode ?? "", "state"],
    ["location", undefined, "locationId"],
    ["day", undefined, undefined],
  ] as const)(
    "by %s equal a recount of the rows, add up to the totals, and open their lists",
    async (by, keyOf, param) => {
      const parcels = await rowsOf<Parcel>("shipments");
      const places = new Map((await rowsOf<OrderRow>("orders")).map(({ id, location_id }) => [id, location_id]));
      const { body } = await org.get(`/reports/deliveries?groupBy=${by}&${window}`);
      expect(pickPart(body.totals)).toEqual(recount(parcels, "2026-10-19", "2026-11-17"));
      expect(pickSums(body.previous)).toEqual(pickSums(recount(parcels, "2026-09-19", "2026-10-18")));
      const overview = (await org.get(`/v1/overview?${window}`)).body.data;
      expect(body.totals).toMatchObject({
        delivered: overview.delivered,
        onTimePct: overview.on_time_pct,
        onTime: overview.promises.kept,
        late: overview.promises.missed,
        atRisk: overview.at_risk,
        avgTransitDays: overview.avg_transit_days,
      });
      const parts = [...body.rows, ...(body.others ? [body.others] : [])];
      for (const name of ["delivered", "onTime", "late", "atRisk"] as const) {
        expect(parts.reduce((sum: number, part: Record<string, number>) => sum + part[name]!, 0)).toBe(
          body.totals[name],
        );
      }
      for (const reason of ["noPromise", "cancelled", "returned", "noFirstScan"] as const) {
        expect(body.totals.leftOut[reason], reason).toBeGreaterThan(0);
        expect(parts.reduce((sum: number, part: Part) => sum + part.leftOut[reason], 0)).toBe(
          body.totals.leftOut[reason],
        );
      }
      expect(body.totals.late).toBeGreaterThan(3);
      expect(body.rows.length).toBeGreaterThan(1);
      for (const row of body.rows) {
        const [from, to] = by === "day" ? [row.key, row.key] : ["2026-10-19", "2026-11-17"];
        const own = (one: Parcel): string =>
          by === "location" ? (places.get(one.order_id ?? "") ?? "") : (keyOf?.(one) ?? "");
        const mine = by === "day" ? parcels : parcels.filter((one) => own(one) === row.key);
        expect(pickPart(row), row.key).toEqual(recount(mine, from, to));
        const isAtRisk = (one: Parcel): boolean => one.risk_at !== null && one.risk_at.getTime() <= now;
        const risky = mine.filter((one) => isAtRisk(one) && (by !== "day" || isIn(one.risk_at, from, to)));
        expect(row.atRisk, row.key).toBe(risky.length);
        const group = param === undefined ? "" : `&${param}=${encodeURIComponent(row.key)}`;
        await expectLists(total, row, { group, from, to, by });
      }
    },
  );

  test("can be limited to a part, whose figures are those of its row, and whose lists are the same", async () => {
    const parcels = await rowsOf<Parcel>("shipments");
    for (const filter of ["carrier=UPS&lane=NV-CA", "zone=", "state=ny&service=ground"]) {
      const { body } = await org.get(`/reports/deliveries?groupBy=zone&${window}&${filter}`);
      const given = new URLSearchParams(filter);
      const isMine = (one: Parcel): boolean =>
        (given.get("carrier") === null || one.carrier_key === "ups") &&
        (given.get("lane") === null || laneOf(one) === "NV-CA") &&
        (given.get("zone") === null || one.zone === null) &&
        (given.get("state") === null || one.destination?.provinceCode === "NY") &&
        (given.get("service") === null || one.service === "Ground");
      const mine = parcels.filter(isMine);
      expect(mine.length).toBeGreaterThan(5);
      expect(pickPart(body.totals), filter).toEqual(recount(mine, "2026-10-19", "2026-11-17"));
      expect(pickSums(body.previous)).toEqual(pickSums(recount(mine, "2026-09-19", "2026-10-18")));
      const days30 = { from: "2026-10-19", to: "2026-11-17" };
      await expectLists(total, body.totals, { group: `&${filter}`, ...days30, by: "all" });
      const days = (await org.get(`/reports/deliveries?groupBy=day&${window}&${filter}`)).body;
      expect(days.totals).toEqual(body.totals);
    }
  });

  test("say of each parcel what it is: the outcomes of all parcels are the lists of the figures", async () => {
    const { body } = await org.get("/shipments?limit=100");
    const second = (await org.get("/shipments?limit=100&page=2")).body;
    const all: { id: string; promiseOutcome: string }[] = [...body.data, ...second.data];
    expect(all).toHaveLength(160);
    const lists: Record<string, string> = { on_time: "onTime=true", late: "onTime=false" };
    for (const outcome of ["on_time", "late", "no_promise", "cancelled", "returned", "undecided"]) {
      const list = lists[outcome] ?? `leftOut=${outcome}`;
      const listed = (await org.get(`/shipments?limit=100&${list}`)).body.data;
      const same = all.filter(({ promiseOutcome }) => promiseOutcome === outcome);
      expect(listed.map(({ id }: { id: string }) => id).toSorted(), outcome).toEqual(
        same.map(({ id }) => id).toSorted(),
      );
      expect(listed.length, outcome).toBeGreaterThan(0);
    }
    const refused = await org.get("/shipments?leftOut=cancelled&onTime=true");
    expect(refused.body).toMatchObject({ status: 400, errors: [{ pointer: "query/leftOut", code: "contradiction" }] });
    expect((await org.get("/shipments?leftOut=lost")).status).toBe(400);
  });

  test("of the gateway agree by location, and a malformed location is rejected", async () => {
    const { rows } = (await org.get(`/reports/deliveries?groupBy=location&${window}`)).body;
    const { points } = (await org.get(`/v1/overview/series?group_by=location&${window}`)).body.data;
    expect(points.map(({ key, delivered }: { key: string; delivered: number }) => [key, delivered])).toEqual(
      rows.map(({ key, delivered }: { key: string; delivered: number }) => [key, delivered]),
    );
    const wrong = await org.get("/shipments?locationId=Newark");
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ pointer: "query/locationId" }] });
  });
});

test("orders and shipments per day equal a recount and open their lists", async () => {
  const { body } = await org.get(`/reports/volume?${window}`);
  const [orders, parcels] = [await rowsOf<OrderRow>("orders"), await rowsOf<Parcel>("shipments")];
  const shipped = parcels.filter(({ status }) => status !== "cancelled");
  const received = (from: string, to: string): number =>
    orders.filter(({ ordered_at }) => isIn(ordered_at, from, to)).length;
  const sent = (from: string, to: string): number => shipped.filter((one) => isIn(one.shipped_at, from, to)).length;
  const [from, to] = ["2026-10-19", "2026-11-17"];
  expect(body.totals).toMatchObject({ received: received(from, to), shipped: sent(from, to) });
  expect(body.previous).toMatchObject({
    received: received("2026-09-19", "2026-10-18"),
    shipped: sent("2026-09-19", "2026-10-18"),
  });
  expect(body.totals.received).toBeGreaterThan(10);
  expect(body.window).toEqual({
    from,
    to,
    timeZone: zone,
    startsAt: "2026-10-19T04:00:00.000Z",
    endsAt: "2026-11-18T05:00:00.000Z",
    days: 30,
  });
  expect(body.rows).toHaveLength(30);
  for (const row of body.rows) {
    expect(row).toMatchObject({ received: received(row.day, row.day), shipped: sent(row.day, row.day) });
  }
  const range = `From=${body.window.startsAt}`;
  const archived = `/orders?limit=1&archived=any&ordered${range}&orderedTo=${body.window.endsAt}`;
  expect(await total(archived)).toBe(body.totals.received);
  expect(await total(`/shipments?limit=1&statusNot=cancelled&shippedFrom=${from}&shippedTo=${to}`)).toBe(
    body.totals.shipped,
  );
  const byId = new Map(orders.map((order) => [order.id, order.ordered_at.getTime()]));
  const hours = shipped
    .filter((one) => one.order_id !== null && isIn(one.shipped_at, from, to))
    .map((one) => Math.max(0, one.shipped_at.getTime() - byId.get(one.order_id!)!) / hour)
    .toSorted((a, b) => a - b);
  const middle = (hours[Math.floor((hours.length - 1) / 2)]! + hours[Math.ceil((hours.length - 1) / 2)]!) / 2;
  expect(body.totals.medianHoursToShip).toBeCloseTo(middle, 0);
});

test("exceptions by cause equal a recount and open their lists", async () => {
  const { body } = await org.get(`/reports/exceptions?${window}`);
  type Row = { kind: string; code: string; status: string; opened_at: Date };
  const opened = (await rowsOf<Row>("exceptions")).filter((one) => isIn(one.opened_at, "2026-10-19", "2026-11-17"));
  expect(body.totals).toEqual({
    opened: opened.length,
    open: opened.filter(({ status }) => status === "open").length,
  });
  expect(opened.length).toBeGreaterThan(5);
  for (const row of body.rows) {
    expect(row.opened).toBe(opened.filter(({ kind, code }) => kind === row.kind && code === row.code).length);
    const list = `/exceptions?limit=1&kind=${row.kind}&code=${row.code}&from=2026-10-19&to=2026-11-17`;
    expect(await total(`${list}&status=open,resolved,dismissed`)).toBe(row.opened);
    expect(await total(`${list}&status=open`)).toBe(row.open);
  }
});

test("label costs by carrier equal a recount and open their lists", async () => {
  const { body } = await org.get(`/reports/labels?${window}`);
  type Row = {
    carrier: string;
    currency: string;
    status: string;
    order_id: string | null;
    cost_cents: number;
    created_at: Date;
  };
  const labels = (await rowsOf<Row>("shipment_labels")).filter(
    ({ status, created_at }) => status === "purchased" && isIn(created_at, "2026-10-19", "2026-11-17"),
  );
  expect(body.rows.length).toBeGreaterThan(2);
  for (const row of body.rows) {
    const mine = labels.filter(({ carrier, currency }) => carrier === row.carrier && currency === row.currency);
    const cents = mine.reduce((sum, { cost_cents }) => sum + cost_cents, 0);
    const orders = new Set(mine.flatMap(({ order_id }) => order_id ?? []));
    expect(row).toMatchObject({ labels: mine.length, cost: cents / 100, orders: orders.size });
    expect(row.costPerLabel).toBeCloseTo(cents / 100 / mine.length, 1);
  }
  for (const carrier of ["ups", "fedex"]) {
    const list = `/shipments/labels?limit=1&status=purchased&carrier=${carrier}&createdFrom=2026-10-19&createdTo=2026-11-17`;
    expect(await total(list)).toBe(labels.filter((one) => one.carrier === carrier).length);
  }
  const dollars = labels.filter(({ currency }) => currency === "USD");
  expect(body.totals[0]).toMatchObject({ currency: "USD", labels: dollars.length });
  expect(body.days.reduce((sum: number, day: { labels: number }) => sum + day.labels, 0)).toBe(dollars.length);
});

test("runs by person equal a recount and open their lists", async () => {
  const { body } = await org.get(`/reports/people?${window}`);
  type Row = { succeeded: number; failed: number; no_change: number; created_at: Date; created_by: { id: string } };
  const runs = (await rowsOf<Row>("operation_runs")).filter((run) => isIn(run.created_at, "2026-10-19", "2026-11-17"));
  const [row] = body.rows;
  expect(body.rows).toHaveLength(1);
  expect(row).toMatchObject({
    runs: runs.length,
    ordersChanged: runs.reduce((sum, run) => sum + run.succeeded - run.no_change, 0),
    ordersFailed: runs.reduce((sum, run) => sum + run.failed, 0),
  });
  expect(row.ordersFailed).toBeGreaterThan(2);
  const list = `/operations/runs?limit=1&created_by=${row.actor.id}&from=2026-10-19&to=2026-11-17`;
  expect(await total(list)).toBe(row.runs);
});

describe("what needs attention", () => {
  type Item = {
    id?: string;
    kind: string;
    severity: string;
    count: number;
    reason: string | null;
    since: string | null;
  };
  const read = async (client: { get: typeof org.get } = org): Promise<{ data: Item[]; lateOrders: object }> =>
    (await client.get("/reports/attention")).body;

  test("is counted like its lists, most severe first", async () => {
    const { body } = await org.get("/reports/attention");
    const of = (kind: string): Item => body.data.find((item: Item) => item.kind === kind);
    const late = (await rowsOf<OrderRow & { is_archived: boolean }>("orders")).filter(
      ({ status, ship_by, is_archived }) =>
        ["new", "ready", "sent", "partially_shipped"].includes(status) &&
        !is_archived &&
        ship_by !== null &&
        ship_by.getTime() < now,
    );
    expect(of("late_orders")).toMatchObject({
      count: late.length,
      since: iso(Math.min(...late.map(({ ship_by }) => ship_by!.getTime()))),
    });
    const { status, shipByTo } = body.lateOrders;
    expect(await total(`/orders?limit=1&status=${status.join(",")}&shipByTo=${shipByTo}`)).toBe(late.length);
    expect(await total("/exceptions?limit=1")).toBe(of("exceptions").count);
    expect(await total("/exceptions?limit=1&kind=stock")).toBe(of("stock_shortages").count);
    expect(await total("/exceptions?limit=1&kind=label&code=outcome_unknown")).toBe(of("unknown_labels").count);
    const risks = body.data.filter(({ kind }: Item) => kind === "risky_shipments");
    expect(risks.length).toBeGreaterThan(1);
    for (const { reason, count, since } of risks) {
      expect(await total(`/shipments?limit=1&riskReason=${reason}`)).toBe(count);
      expect(Date.parse(since)).toBeLessThanOrEqual(now);
    }
    const order = body.data.map(({ severity }: Item) => ["bad", "warning", "info"].indexOf(severity));
    expect(order).toEqual(order.toSorted());
  });

  test("names runs with failed orders until they are retried or undone", async () => {
    const fails = { type: "assert", params: { when: { path: "tags", op: "has_tag", value: "never" } } };
    const { body: run } = await org.post("/operations/run", { order_ids: ["R-1", "R-2"], actions: [fails] });
    const runs = async () => (await read()).data.filter(({ kind }) => kind === "failed_run");
    expect(await runs()).toContainEqual(
      expect.objectContaining({ id: run.id, count: 2, total: 2, severity: "bad", actionTypes: ["assert"] }),
    );
    const retry = await org.post(`/operations/runs/${run.id}/retry`, {});
    expect(retry.status, retry.text).toBeLessThan(300);
    const ids = (await runs()).map(({ id }) => id);
    expect(ids).not.toContain(run.id);
    expect(ids).toContain(retry.body.id);
  });

  test("names bridges that fail and automations that the hub paused", async () => {
    const bridge = await org.post("/bridges", { name: "Outlet shop", connector: "demo", settings: {} });
    await hub.world.db.query(
      `update bridges set consecutive_failures = 3, last_failure_at = $2, last_error = '{"code":"unauthorized","message":"Token expired."}'
        where id = $1`,
      [bridge.body.id, ago(1)],
    );
    expect((await read()).data).toContainEqual(
      expect.objectContaining({
        kind: "failing_bridge",
        id: bridge.body.id,
        name: "Outlet shop",
        count: 3,
        message: "Token expired.",
        severity: "bad",
      }),
    );
    await org.patch(`/bridges/${bridge.body.id}`, { isActive: false });
    expect((await read()).data.map(({ kind }) => kind)).not.toContain("failing_bridge");
    for (const [position, name, code] of [
      [1, "Rush first", "hourly_limit_reached"],
      [2, "Paused by hand", "manual"],
    ] as const) {
      await hub.world.db.query(
        `insert into automations (id, org_id, name, description, trigger, pipeline_digest, mode, max_orders_per_hour, owner, is_active,
           paused_at, pause_reason, cursor, counted_since, created_at, updated_at, version, position)
         values ($1, $2, $3, '', '{}', '', 'run', 10, '{"type":"system","name":"test"}', false, $4, $5, 0, $4, $4, $4, 1, $6)`,
        [randomUUID(), org.id, name, ago(2), { code, message: "Limit of 10 orders reached." }, position],
      );
    }
    expect((await read()).data.filter(({ kind }) => kind === "paused_automation")).toMatchObject([
      { name: "Rush first", message: "Limit of 10 orders reached.", since: ago(2) },
    ]);
  });

  test("is only what the caller may read, and nothing of another organization", async () => {
    expect((await read(rival)).data).toEqual([]);
    const clerk = await org.withScopes(["exceptions:read"]);
    const kinds = new Set((await read(clerk)).data.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(["exceptions", "stock_shortages", "unknown_labels"]);
  });
});

test("today's orders are counted until the end of the day, by carrier with its cut-off", async () => {
  await org.post("/carrier-accounts", { name: "UPS", carrier: "ups", pickupRules: { cutoffLocalTime: "16:30" } });
  await org.patch(`/organizations/${org.id}`, { cutoffTime: "14:00" });
  const { body } = await org.get("/reports/today");
  const end = Date.parse("2026-11-18T05:00:00Z");
  type Row = OrderRow & { is_archived: boolean; shipping: { carrier?: string } };
  const open = (await rowsOf<Row>("orders")).filter(
    ({ status, ship_by, is_archived }) =>
      ["new", "ready", "sent", "partially_shipped"].includes(status) &&
      !is_archived &&
      ship_by !== null &&
      ship_by.getTime() < end,
  );
  const parcels = (await rowsOf<Parcel>("shipments")).filter(({ status }) => status !== "cancelled");
  expect(body).toMatchObject({
    date: "2026-11-17",
    timeZone: zone,
    open: open.length,
    late: open.filter(({ ship_by }) => ship_by!.getTime() < now).length,
    shipped: parcels.filter(({ shipped_at }) => dayOf(shipped_at) === "2026-11-17").length,
    shippedLastHour: parcels.filter(({ shipped_at }) => now - shipped_at.getTime() <= hour).length,
    pickups: 0,
  });
  expect(body.shipped).toBeGreaterThan(body.shippedLastHour);
  expect(body.open).toBeGreaterThan(body.late);
  for (const { carrier, open: count, cutoffAt } of body.carriers) {
    expect(count).toBe(open.filter(({ shipping }) => (shipping.carrier ?? null) === carrier).length);
    expect(cutoffAt).toBe(carrier === "UPS" ? "2026-11-17T21:30:00.000Z" : "2026-11-17T19:00:00.000Z");
    if (carrier === null) continue;
    const { status, shipByTo } = body.filter;
    expect(await total(`/orders?limit=1&status=${status.join(",")}&shipByTo=${shipByTo}&carrier=${carrier}`)).toBe(
      count,
    );
  }
  expect(await total(`/orders?limit=1&status=${body.filter.status.join(",")}&shipByTo=${body.filter.shipByTo}`)).toBe(
    body.open,
  );
});

test("a rival organization counts nothing, and a wrong window names its field", async () => {
  for (const name of ["volume", "exceptions", "people", "labels"]) {
    const { status, body } = await rival.get(`/reports/${name}`);
    expect(status).toBe(200);
    expect(name === "volume" ? body.totals.received : body.rows.length).toBe(0);
    const wrong = await org.get(`/reports/${name}?from=2026-11-02&to=2026-11-01`);
    expect(wrong.body).toMatchObject({ status: 400, errors: [{ pointer: "query/from", code: "date_order" }] });
  }
});
