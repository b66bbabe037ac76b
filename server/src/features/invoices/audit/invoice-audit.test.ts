import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../core/seeded-random.ts";
import { workOff } from "../../../queue/work.ts";
import type { AuditParcel, Facts } from "../../../testing/invoices/audit-book.ts";
import { aParcel, auditCards, furtherPlants, plants, priceOf } from "../../../testing/invoices/audit-book.ts";
import type { BookInvoice, BookParcel } from "../../../testing/invoices/invoice-book.ts";
import { netOf, shuffled } from "../../../testing/invoices/invoice-book.ts";
import { writeDhl, writeFedex, writeUps } from "../../../testing/invoices/write-invoices.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { startTestHub } from "../../../testing/test-hub.ts";
import { auditWork } from "../invoices.ts";

const hub = await startTestHub();

type Found = {
  id: string;
  trackingNumber: string;
  kind: string;
  code: string | null;
  amount: number;
  creditedAmount: number;
  state: string;
  confidence: string;
  evidence: { rule: string; billed: number; expected: number; values: Record<string, unknown> };
  version: number;
};

async function anAccount(org: TestOrg, unit: "lb" | "kg" = "lb"): Promise<string> {
  const { body } = await org.post("/carrier-accounts", { name: `Contract ${randomUUID()}`, carrier: "rate-card" });
  for (const card of auditCards(unit)) {
    const answer = await org.post(`/carrier-accounts/${body.id}/rate-cards`, { card });
    expect(answer.status, answer.text).toBe(201);
  }
  return body.id;
}

const cents = (amount: number): number => Math.round(amount * 100);
const anInvoice = (number: string, parcels: BookParcel[], day = "2026-05-01"): BookInvoice => ({
  number,
  account: "A1B2C3",
  day,
  parcels,
  fees: [{ kind: "fee", code: "SVC", name: "Weekly Service Charge", gross: 2_875, off: 0 }],
  error: 0,
});

async function importBook(org: TestOrg, csv: string, carrierAccountId?: string): Promise<string[]> {
  const answer = await org.post("/invoices/import", { csv, ...(carrierAccountId && { carrierAccountId }) });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.invoices.map(({ id }: { id: string }) => id);
}

async function findingsOf(org: TestOrg, id: string, query = ""): Promise<Found[]> {
  return (await org.get(`/invoices/${id}/findings?limit=1000${query}`)).body.data;
}

const summaryOf = (findings: Found[]): unknown[] =>
  findings.map(({ trackingNumber, kind, amount }) => `${trackingNumber} ${kind} ${cents(amount)}`).toSorted();
const plantedIn = (parcels: AuditParcel[]): unknown[] =>
  parcels
    .flatMap(({ tracking, planted }) => planted.map(({ kind, amount }) => `${tracking} ${kind} ${amount}`))
    .toSorted();

/** Parcels that are billed right, in every way, and one for each error. */
function makeParcels(seed: number, errors: typeof plants, hasSides: boolean): AuditParcel[] {
  const random = seededRandom(seed);
  let serial = seed * 1_000;
  const tracking = (): string => `1Z999AA1${String(serial++).padStart(10, "0")}`;
  const facts = (): Facts => ({
    day: random.pick(["2026-02-02", "2026-03-31", "2026-04-01", "2026-04-20"]),
    zone: random.pick(["2", "8"]),
    pounds: 4 + random.below(24) + random.pick([0, 0.4]),
    isHome: random.below(2) === 0,
  });
  const clean = Array.from({ length: 40 }, () => aParcel(tracking(), facts()));
  const long: Facts = { ...facts(), pounds: 8, isLong: true };
  clean.push(aParcel(tracking(), long, hasSides ? { sides: [50, 4, 4] } : {}));
  // Billed by size with the agreed divisor.
  if (hasSides) {
    const small: Facts = { ...facts(), pounds: 3 };
    const { charges } = aParcel("", { ...small, pounds: 14 });
    clean.push(aParcel(tracking(), small, { charges, billedPounds: 14, sides: [16, 12, 10], isByWeight: false }));
  }
  // A cent of rounding, and a charge that was forgotten: nothing to claim.
  const rounded = aParcel(tracking(), facts());
  rounded.charges[1]!.gross += 1;
  const forgotten = aParcel(tracking(), { ...facts(), isHome: false }, { service: "Ground Residential" });
  const wrong = Object.values(errors).flatMap((plant) => [plant(tracking(), facts()), plant(tracking(), facts())]);
  return [...clean, rounded, forgotten, ...wrong];
}

const twice = (parcels: AuditParcel[]): BookParcel[] =>
  parcels.flatMap((parcel) => (parcel.isTwice ? [parcel, parcel] : [parcel]));

const all = { ...plants, ...furtherPlants };
const order = (rows: string[][]): string[][] => shuffled(rows, 3);

describe("every planted error is found, and no other", () => {
  test.for([
    { name: "UPS", write: writeUps, errors: all, unit: "lb" as const, hasSides: true },
    { name: "FedEx", write: writeFedex, errors: all, unit: "lb" as const, hasSides: true },
    { name: "DHL Express", write: writeDhl, errors: plants, unit: "kg" as const, hasSides: false },
  ])("$name", async ({ write, errors, unit, hasSides }) => {
    const org = await hub.org();
    const parcels = makeParcels(unit === "kg" ? 2 : 1, errors, hasSides);
    const [id] = await importBook(
      org,
      write([anInvoice("I-1", twice(parcels))], { order }),
      await anAccount(org, unit),
    );
    expect((await org.get(`/invoices/${id}/audit`)).body.status).toBe("queued");
    await workOff(hub.world, auditWork);
    const audit = (await org.get(`/invoices/${id}/audit`)).body;
    expect(audit).toMatchObject({
      status: "completed",
      parcels: parcels.length,
      audited: parcels.length,
      notAudited: [],
    });
    const found = await findingsOf(org, id!);
    expect(summaryOf(found)).toEqual(plantedIn(parcels));
    const coded = parcels.flatMap(({ tracking, planted }) =>
      planted.flatMap(({ code }) => (code ? [`${tracking} ${code}`] : [])),
    );
    expect(found.flatMap(({ trackingNumber, code }) => (code ? [`${trackingNumber} ${code}`] : [])).toSorted()).toEqual(
      coded.toSorted(),
    );
  });
});

describe("several invoices", () => {
  test("duplicates, corrections and credits that come later, without naming the contract again", async () => {
    const org = await hub.org();
    const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: false };
    const wrong = plants.base_rate!("1ZWRONG", facts);
    const partly = plants.discount!("1ZPARTLY", facts);
    const right = aParcel("1ZRIGHT", facts);
    const low = { ...facts, pounds: 3 };
    // Billed for less than the sender entered: the later correction is right.
    const light = aParcel("1ZLIGHT", facts, { charges: aParcel("", low).charges, billedPounds: 3 });
    const first = [wrong, partly, right, light];
    const [one] = await importBook(org, writeUps([anInvoice("I-1", first)]), await anAccount(org));
    await workOff(hub.world, auditWork);
    expect(summaryOf(await findingsOf(org, one!))).toEqual(plantedIn(first));

    const [, amount] = [partly, wrong.planted[0]!.amount];
    const later = (parcel: AuditParcel, kind: "credit" | "adjustment", gross: number): BookParcel => ({
      ...parcel,
      charges: [{ kind, code: "SCC", name: "Shipping Charge Correction", gross, off: 0 }],
    });
    const missing = priceOf(facts).total - priceOf(low).total;
    const second = [
      later(wrong, "credit", -amount),
      later(partly, "credit", -50),
      later(right, "adjustment", 375),
      later(light, "adjustment", missing),
      aParcel("1ZTWICE", facts),
    ];
    const third = [{ ...aParcel("1ZTWICE", facts), reference: "again" }, aParcel("1ZFINE", facts)];
    const [two] = await importBook(org, writeUps([anInvoice("I-2", second, "2026-05-20")]));
    const [three] = await importBook(org, writeUps([anInvoice("I-3", third, "2026-05-27")]));
    await workOff(hub.world, auditWork);
    expect(summaryOf(await findingsOf(org, two!))).toEqual(["1ZRIGHT adjustment 375"]);
    expect(summaryOf(await findingsOf(org, three!))).toEqual([`1ZTWICE duplicate ${priceOf(facts).total}`]);
    const [duplicate] = await findingsOf(org, three!);
    expect(duplicate!.evidence).toMatchObject({ expected: 0, values: { invoiceNumber: "I-2" } });
    const states = await findingsOf(org, one!);
    expect(
      states
        .map(({ trackingNumber, state, creditedAmount }) => [trackingNumber, state, cents(creditedAmount)])
        .toSorted(),
    ).toEqual([
      ["1ZPARTLY", "open", 50],
      ["1ZWRONG", "credited", amount],
    ]);
    // A rival sees nothing of it.
    const rival = await hub.org();
    expect((await rival.get("/findings")).body.data).toEqual([]);
    expect((await rival.get(`/invoices/${one}/findings`)).status).toBe(404);
    expect((await rival.post("/findings/update", { ids: states.map(({ id }) => id), state: "rejected" })).body).toEqual(
      {
        matched: 0,
        updated: 0,
      },
    );
  });

  test("what a person decided stays; an audit with another contract replaces the rest", async () => {
    const org = await hub.org();
    const facts: Facts = { day: "2026-02-02", zone: "2", pounds: 9, isHome: false };
    const numbers = ["1Z0000000A", "1Z0000000B", "1Z0000000C", "1Z0000000D"];
    const parcels = numbers.map((number) => plants.base_rate!(number, facts));
    const account = await anAccount(org);
    const [id] = await importBook(org, writeFedex([anInvoice("F-1", parcels)]), account);
    const audited = await org.post(`/invoices/${id}/audit`, {});
    expect(audited.status, audited.text).toBe(200);
    expect(audited.body).toMatchObject({ status: "completed", carrierAccountId: account });
    const before = await findingsOf(org, id!);
    const of = (number: string): Found => before.find(({ trackingNumber }) => trackingNumber === number)!;

    const stale = await org.patch(
      `/findings/${of("1Z0000000A").id}`,
      { state: "claimed" },
      { headers: { "if-match": '"7"' } },
    );
    expect(stale.status).toBe(412);
    const claimed = await org.patch(`/findings/${of("1Z0000000A").id}`, { state: "claimed", note: "Claim 4711" });
    expect(claimed.body).toMatchObject({
      state: "claimed",
      note: "Claim 4711",
      version: 2,
      decidedBy: { type: "api_key" },
    });
    const bulk = { filter: { invoiceId: id, trackingNumber: "1Z0000000B" }, state: "rejected" };
    expect((await org.post("/findings/update", bulk)).body).toEqual({ matched: 1, updated: 1 });
    expect((await org.post("/findings/update", bulk)).body).toEqual({ matched: 1, updated: 0 });
    expect((await org.post("/findings/update", { filter: {}, state: "open" })).body.errors[0].pointer).toBe("/filter");
    expect((await org.post("/findings/update", { state: "open" })).body.errors[0].pointer).toBe("/ids");

    const again = (await org.post(`/invoices/${id}/audit`, {})).body;
    expect(again.status).toBe("completed");
    const repeated = await findingsOf(org, id!);
    const decided = new Set(["1Z0000000A", "1Z0000000B"]);
    expect(repeated.filter(({ trackingNumber }) => !decided.has(trackingNumber)).toSorted(byId)).toEqual(
      before.filter(({ trackingNumber }) => !decided.has(trackingNumber)).toSorted(byId),
    );

    // A contract with the billed prices: nothing is wrong any more, but decisions stay.
    const { body: other } = await org.post("/carrier-accounts", { name: "Dearer", carrier: "rate-card" });
    const [card] = auditCards("lb") as { services: { rates: Record<string, number[]>; discounts: object[] }[] }[];
    const dearer = card!.services.map((service) => ({
      ...service,
      rates: Object.fromEntries(
        Object.entries(service.rates).map(([zone, row]) => [zone, row.map((price) => price + 9)]),
      ),
    }));
    await org.post(`/carrier-accounts/${other.id}/rate-cards`, { card: { ...card, services: dearer } });
    await org.post(`/invoices/${id}/audit`, { carrierAccountId: other.id });
    const left = await findingsOf(org, id!);
    expect(left.map(({ trackingNumber, state }) => [trackingNumber, state]).toSorted()).toEqual([
      ["1Z0000000A", "claimed"],
      ["1Z0000000B", "rejected"],
    ]);
    const counts = (await org.get(`/findings/counts?invoiceId=${id}`)).body;
    const amount = parcels[0]!.planted[0]!.amount / 100;
    expect(
      counts.groups
        .map(({ kind, state, findings }: Found & { findings: number }) => [kind, state, findings])
        .toSorted(),
    ).toEqual([
      ["base_rate", "claimed", 1],
      ["base_rate", "rejected", 1],
    ]);
    expect(counts.totals).toMatchObject([{ currency: "USD", findings: 2, amount: 2 * amount }]);

    const file = await org.get("/findings/export?carrier=FedEx&state=claimed");
    const rows = file.text.trimEnd().split("\r\n");
    expect(rows).toHaveLength(2);
    expect(rows[0]).toContain("Bill to Account Number,Invoice Number,Tracking ID,Shipment Date,Dispute Type");
    expect(rows[1]).toContain(`A1B2C3,F-1,1Z0000000A,20260202,Incorrect rate,,`);
    expect(rows[1]).toContain(amount.toFixed(2));
    expect((await org.get("/findings/export")).text.split("\r\n")[0]).toContain("carrier,account,invoiceNumber");
    const viewer = await org.withRole("viewer");
    expect((await viewer.get("/findings")).status).toBe(200);
    expect((await viewer.patch(`/findings/${of("1Z0000000A").id}`, { state: "open" })).status).toBe(403);
  });
});

const byId = (a: Found, b: Found): number => (a.id < b.id ? -1 : 1);

test("a parcel that cannot be priced says why; a parcel has billed and expected side by side", async () => {
  const org = await hub.org();
  const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: true };
  const parcels = [
    plants.surcharge!("1Z00000SIDE", facts),
    aParcel("1Z00000OLD", { ...facts }, { day: "2025-12-31" }),
    aParcel("1Z00000ODD", facts, { service: "White glove" }),
    aParcel("1Z00000HEAVY", { ...facts, pounds: 40 }, { billedPounds: 41 }),
  ];
  const csv = writeFedex([anInvoice("F-1", parcels)]);
  const [id] = await importBook(org, csv);
  await workOff(hub.world, auditWork);
  expect((await org.get(`/invoices/${id}/audit`)).body).toMatchObject({
    audited: 0,
    notAudited: [{ reason: "no_contract", parcels: 4 }],
  });
  const rival = await hub.org();
  const foreign = { carrierAccountId: await anAccount(rival) };
  expect((await org.post(`/invoices/${id}/audit`, foreign)).body.errors[0].pointer).toBe("/carrierAccountId");
  expect((await org.post("/invoices/import", { csv, ...foreign })).body.errors[0].pointer).toBe("/carrierAccountId");
  await org.post(`/invoices/${id}/audit`, { carrierAccountId: await anAccount(org) });
  const listed = (await org.get(`/invoices/${id}/parcels?status=not_audited`)).body.data;
  expect(
    listed.map(({ trackingNumber, reason }: { trackingNumber: string; reason: string }) => [trackingNumber, reason]),
  ).toEqual([
    ["1Z00000HEAVY", "over_limit"],
    ["1Z00000ODD", "service_unmatched"],
    ["1Z00000OLD", "card_not_in_effect"],
  ]);
  const { body } = await org.get(`/invoices/${id}/parcels/1Z00000SIDE`);
  const price = priceOf(facts);
  const row = (charge: string): unknown => body.charges.find((one: { charge: string }) => one.charge === charge);
  expect(row("base")).toMatchObject({ billed: price.list / 100, expected: price.list / 100, difference: 0 });
  expect(row("residential")).toMatchObject({ billed: 5.5, expected: 4.5, difference: 1 });
  expect(body).toMatchObject({
    expected: price.total / 100,
    rateCard: { name: "Contract from 2026-01-01" },
    facts: { zone: { billed: "8", expected: "8" }, weight: { billed: "6 lb", expected: "6 lb" } },
  });
  expect(body.charges.reduce((sum: number, { billed }: { billed: number }) => sum + cents(billed), 0)).toBe(
    parcels[0]!.charges.reduce((sum, charge) => sum + netOf(charge), 0),
  );
  expect(body.findings).toMatchObject([{ kind: "surcharge", evidence: { billed: 5.5, expected: 4.5 } }]);
  expect((await org.get(`/invoices/${id}/parcels/1Z00000NONE`)).body.code).toBe("parcel_not_found");
});

test("labels of the hub: voided, never scanned, unknown, and bought for a commercial address", async () => {
  const org = await hub.org();
  const { body: seller } = await org.post("/carrier-accounts", { name: "Seller", carrier: "demo" });
  const address = { address1: "1 Dock Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
  const to = {
    name: "A",
    address1: "2 Main Street",
    city: "New York",
    provinceCode: "NY",
    zip: "10001",
    countryCode: "US",
  };
  const weight = { value: 5, unit: "lb" };
  type Bought = { label: { id: string; trackingNumber: string }; shipment: { id: string } };
  const buy = async (options: object = {}): Promise<Bought> => {
    const request = { carrierAccountId: seller.id, service: "NAT_GROUND", from: address, to, weight, options };
    const answer = await org.post("/shipments/labels", request);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const bought = [await buy({ residential: false }), await buy(), await buy(), await buy(), await buy()];
  const at = new Date(Date.now() - 60_000).toISOString();
  for (const { shipment } of bought.slice(0, 3)) {
    const answer = await org.post(`/shipments/${shipment.id}/events`, { status: "in_transit", at });
    expect(answer.status, answer.text).toBeLessThan(300);
  }
  const [commercial, fine, alsoFine, voided, lost] = bought.map(({ label }) => label.trackingNumber);
  const answer = await org.delete(`/shipments/labels/${bought[3]!.label.id}`);
  expect(answer.status, answer.text).toBeLessThan(300);
  const facts: Facts = { day: "2026-02-02", zone: "2", pounds: 5, isHome: false };
  const parcels = [
    aParcel(commercial!, { ...facts, isHome: true }),
    aParcel(fine!, { ...facts, isHome: true }),
    aParcel(alsoFine!, facts),
    aParcel(voided!, facts),
    aParcel(lost!, facts),
    aParcel("1ZUNKNOWN", facts),
  ];
  const [id] = await importBook(org, writeUps([anInvoice("I-1", parcels)]), await anAccount(org));
  await workOff(hub.world, auditWork);
  const { total } = priceOf(facts);
  expect(summaryOf(await findingsOf(org, id!))).toEqual(
    [
      `${commercial} residential ${priceOf({ ...facts, isHome: true }).total - total}`,
      `${voided} voided_label ${total}`,
      `${lost} not_shipped ${total}`,
      `1ZUNKNOWN not_shipped ${total}`,
    ].toSorted(),
  );
});

test("an audit that dies goes on after the last batch; another request begins anew", async () => {
  const org = await hub.org();
  const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: false };
  const number = (index: number): string => `1Z${String(index).padStart(8, "0")}`;
  const parcels = Array.from({ length: 1_200 }, (_, index) =>
    index % 100 === 0 ? plants.base_rate!(number(index), facts) : aParcel(number(index), facts),
  );
  const [id] = await importBook(org, writeUps([anInvoice("I-1", parcels)], { cut: true, order }), await anAccount(org));
  const { db } = hub.world;
  await db.query(
    `create function die_late() returns trigger language plpgsql as $$
       begin if new.parcel_number > '${number(1_100)}' then raise exception 'dead'; end if; return new; end $$`,
  );
  await db.query("create trigger dead before insert on invoice_parcels for each row execute function die_late()");
  await workOff(hub.world, auditWork);
  const [row] = await db.query<{ processed: number; lease_owner: string | null }>(
    "select processed, lease_owner from invoice_audits where id = $1",
    [id],
  );
  expect(row).toEqual({ processed: 1_000, lease_owner: null });
  expect(await findingsOf(org, id!)).toHaveLength(10);
  await db.query("drop function die_late cascade");
  await db.query("update invoice_audits set due_at = now() where id = $1", [id]);
  await workOff(hub.world, auditWork);
  expect((await org.get(`/invoices/${id}/audit`)).body).toMatchObject({ status: "completed", audited: 1_200 });
  const found = await findingsOf(org, id!);
  expect(summaryOf(found)).toEqual(plantedIn(parcels));
  // Too large for a request to wait; requested twice, it is audited once.
  const answers = await Promise.all([1, 2].map(() => org.post(`/invoices/${id}/audit`, {})));
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  expect(await workOff(hub.world, auditWork)).toBe(1);
  expect((await findingsOf(org, id!)).toSorted(byId)).toEqual(found.toSorted(byId));
  const events = (await org.get(`/audit?objectId=${id}`)).body.data.map(({ type }: { type: string }) => type);
  expect(events.filter((type: string) => type === "invoice.audited")).toHaveLength(2);
  await org.delete(`/invoices/${id}`);
  expect((await org.get("/findings")).body.pagination.total).toBe(0);
});
