import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import type { TestHub, TestOrg } from "./test-hub.ts";

type Seeds = { hub: TestHub; org: TestOrg; now: number; locations: string[] };

const hour = 3_600_000;
const iso = (ms: number): string => new Date(ms).toISOString();
const agoFrom =
  (now: number) =>
  (hours: number): string =>
    iso(now - hours * hour);
/** Always the same numbers: a failure can be repeated. */
const roll = (seed: number, sides: number): number => ((seed * 7_919 + 104_729) % 65_537) % sides;
const carriers = ["UPS", "FedEx", "USPS"];
const services = ["Ground", "2nd Day Air", undefined];

/** Orders, shipments, exceptions, labels and runs of the last weeks, with some of everything that reports count. */
export async function seedReports(hub: TestHub, org: TestOrg, now: number): Promise<void> {
  const locations: string[] = [];
  for (const name of ["Newark", "Reno"]) locations.push((await org.post("/locations", { name })).body.id);
  const seeds = { hub, org, now, locations };
  await seedOrders(seeds);
  await seedShipments(seeds);
  await seedRecords(seeds);
}

async function seedOrders({ org, now, locations }: Seeds): Promise<void> {
  const ago = agoFrom(now);
  const statuses = ["new", "ready", "sent", "cancelled", "review_required", "awaiting_payment", "draft"];
  const orders = Array.from({ length: 90 }, (_, i) => ({
    number: `R-${i}`,
    status: statuses[i % statuses.length],
    orderedAt: ago(roll(i, 70 * 24)),
    ...(i % 5 === 0 ? {} : { shipBy: iso(now + (roll(i, 80) - 40) * hour) }),
    ...(i % 4 === 3 ? {} : { locationId: locations[i % 2] }),
    ...(i % 3 === 0 ? {} : { shipping: { carrier: carriers[i % 3]! } }),
    lines: [{ sku: "MUG", quantity: 1 }],
  }));
  const { body } = await org.post("/orders/bulk", { orders });
  expect(body.summary.failed).toBe(0);
  await org.post("/operations/run", { order_ids: ["R-3", "R-10"], actions: [{ type: "archive" }] });
}

async function seedShipments({ hub, org, now }: Seeds): Promise<void> {
  const orders = await hub.world.db.query<{ id: string }>("select id from orders where org_id = $1 order by number", [
    org.id,
  ]);
  const shipments = Array.from({ length: 160 }, (_, i) => {
    const shipped = now - (i < 5 ? i + 0.5 : roll(i, 65 * 24)) * hour;
    const took = (30 + roll(i + 500, 120)) * hour;
    const scanned = i % 8 === 0 ? [] : [{ at: iso(shipped + 5 * hour), status: "in_transit" }];
    const end = i % 17 === 0 ? "returned" : i % 19 === 0 ? "exception" : "delivered";
    const isOver = i % 6 !== 0 && shipped + took < now;
    return {
      trackingNumber: `T${i}`,
      carrier: carriers[roll(i, 3)],
      ...(services[i % 3] === undefined ? {} : { service: services[i % 3] }),
      shippedAt: iso(shipped),
      ...(i % 7 === 0 ? {} : { promisedDate: iso(shipped + (2 + (i % 4)) * 24 * hour).slice(0, 10) }),
      ...(i % 2 === 0 ? { orderId: orders[i % 90]!.id } : {}),
      destination: { provinceCode: ["NY", "CA"][i % 2], countryCode: "US", zip: ["10001", "90210"][i % 2] },
      ...(i % 5 === 0 ? {} : { origin: { provinceCode: i % 3 === 0 ? "nj" : "NV", countryCode: "US" } }),
      events: [...scanned, ...(isOver ? [{ at: iso(shipped + took), status: end }] : [])].filter(
        ({ at }) => Date.parse(at) < now,
      ),
    };
  });
  const { body } = await org.post("/shipments/bulk", { shipments });
  expect(body.summary.failed).toBe(0);
  for (const at of [6, 66, 96]) await org.post(`/shipments/${body.results[at].id}/void`);
  // Only labels bring an account and a zone.
  const accounts = [randomUUID(), randomUUID()];
  await hub.world.db.query(
    `update shipments set carrier_account_id = ($2::uuid[])[1 + length(tracking_number) % 3], zone = right(tracking_number, 1)
      where org_id = $1 and tracking_number not like '%1'`,
    [org.id, accounts],
  );
}

/** Exceptions, labels and runs at chosen times, which no request can give them. */
async function seedRecords({ hub, org, now }: Seeds): Promise<void> {
  const ago = agoFrom(now);
  const { db } = hub.world;
  const kinds = [
    ["label", "outcome_unknown"],
    ["stock", "out_of_stock"],
    ["push", "rejected"],
  ];
  for (let i = 0; i < 24; i++) {
    const [kind, code] = kinds[i % 3]!;
    const at = ago(roll(i, 65 * 24));
    await db.query(
      `insert into exceptions (id, org_id, dedup_key, kind, code, status, message, subject_type, details, digest, opening,
         times_seen, first_seen_at, opened_at, last_seen_at)
       values ($1, $2, $3, $4, $5, $6, 'It failed.', 'order', '{}', '', $1, 1, $7, $7, $7)`,
      [randomUUID(), org.id, `key ${i}`, kind, code, i % 2 === 0 ? "open" : "resolved", at],
    );
  }
  const orders = await db.query<{ id: string }>("select id from orders where org_id = $1 order by number", [org.id]);
  for (let i = 0; i < 40; i++) {
    await db.query(
      `insert into shipment_labels (id, org_id, carrier, order_id, status, service, from_address, to_address, weight, lines,
         cost_cents, currency, attempts, purchased_at, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'GROUND', '{}', '{}', '{"value":1,"unit":"lb"}', '[]', $6, $7, 0, $8, $8, $8)`,
      [
        randomUUID(),
        org.id,
        ["ups", "fedex"][i % 2],
        i % 5 === 0 ? null : orders[i % 11]!.id,
        i % 9 === 0 ? "voided" : "purchased",
        500 + roll(i, 2_000),
        i % 13 === 0 ? "EUR" : "USD",
        ago(roll(i, 60 * 24)),
      ],
    );
  }
  for (let i = 0; i < 6; i++) {
    const fails = { type: "assert", params: { when: { path: "tags", op: "has_tag", value: "never" } } };
    const actions = i % 3 === 0 ? [fails] : [{ type: "add_tags", params: { tags: [`t${i}`] } }];
    const { body } = await org.post("/operations/run", { order_ids: ["R-1", "R-2", "R-4"], actions });
    await db.query("update operation_runs set created_at = $2 where id = $1", [body.id, ago(i * 300)]);
  }
}
