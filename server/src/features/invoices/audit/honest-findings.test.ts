import { describe, expect, test } from "vitest";
import type { AuditParcel, Facts } from "../../../testing/invoices/audit-book.ts";
import { aParcel, plants, priceOf } from "../../../testing/invoices/audit-book.ts";
import { audited, auditAccount, auditInvoice, findingsOf, saidOf } from "../../../testing/invoices/audit-hub.ts";
import type { BookCharge, BookParcel } from "../../../testing/invoices/invoice-book.ts";
import { writeUps } from "../../../testing/invoices/write-invoices.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();

const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: false };
const long: Facts = { ...facts, isLong: true };
const handling: BookCharge = { kind: "surcharge", code: "AHC", name: "Additional Handling", gross: 1_800, off: 0 };
const only = (tracking: string, ...charges: BookCharge[]): BookParcel => ({ ...aParcel(tracking, facts), charges });

/** Billed for two pieces that were handled by hand; fuel is right for what was billed. */
function handledTwice(tracking: string, more: Partial<AuditParcel> = {}): AuditParcel {
  const { net, handling: once } = priceOf(long);
  const fuel = Math.round((net + 2 * once) * 0.1);
  const charges = aParcel(tracking, long).charges.map((one) => (one.kind === "fuel" ? { ...one, gross: fuel } : one));
  return aParcel(tracking, long, { charges: [...charges, handling], sides: [50, 4, 4], ...more });
}

describe("equal surcharges", () => {
  test("of a shipment with several pieces are right, up to one for each piece", async () => {
    const org = await hub.org();
    const parcels = [
      handledTwice("1ZLEAD", { lead: "1ZLEAD" }),
      aParcel("1ZSECOND", facts, { lead: "1ZLEAD" }),
      // Its lead is on another invoice.
      handledTwice("1ZTHIRD", { lead: "1ZELSEWHERE" }),
    ];
    const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
    expect(await saidOf(org, id)).toEqual([]);
    const three = handledTwice("1ZLEAD", { lead: "1ZLEAD" });
    three.charges.push(handling);
    const next = await audited(
      org,
      writeUps([
        auditInvoice(
          "I-2",
          [three, parcels[1]!].map((one) => renamed(one)),
        ),
      ]),
    );
    expect(await saidOf(org, next)).toEqual(["NEW1ZLEAD duplicate 1800 high"]);
  });

  test("of one parcel are duplicates; without its number of pieces that is a guess", async () => {
    const org = await hub.org();
    const parcels = [handledTwice("1ZALONE", { lead: "1ZALONE" }), handledTwice("1ZUNKNOWN")];
    const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
    expect(await saidOf(org, id)).toEqual(["1ZALONE duplicate 1980 high", "1ZUNKNOWN duplicate 1980 low"]);
    const [unknown] = await findingsOf(org, id, "&trackingNumber=1ZUNKNOWN");
    expect(unknown!.evidence.rule).toContain("does not state how many pieces");
  });

  test("on another invoice are duplicates, unless the first one was credited", async () => {
    const org = await hub.org();
    const first = [handledOnce("1ZAGAIN"), handledOnce("1ZCREDITED"), aParcel("1ZNEW", facts)];
    await audited(org, writeUps([auditInvoice("I-1", first)]), await auditAccount(org));
    const credit: BookCharge = { kind: "credit", code: "CADJ", name: "Refund", gross: -1_800, off: 0 };
    await audited(org, writeUps([auditInvoice("I-2", [only("1ZCREDITED", credit)], "2026-05-08")]));
    const later = ["1ZAGAIN", "1ZCREDITED", "1ZNEW"].map((number) => only(number, handling));
    const id = await audited(org, writeUps([auditInvoice("I-3", later, "2026-05-15")]));
    expect(await saidOf(org, id)).toEqual(["1ZAGAIN duplicate 1800 high"]);
    const [finding] = await findingsOf(org, id);
    expect(finding!.evidence).toMatchObject({ billed: 18, expected: 0, values: { invoiceNumber: "I-1" } });
  });
});

const handledOnce = (tracking: string): AuditParcel => aParcel(tracking, long, { sides: [50, 4, 4] });
const renamed = (parcel: AuditParcel): AuditParcel => ({
  ...parcel,
  tracking: `NEW${parcel.tracking}`,
  lead: `NEW${parcel.lead!}`,
});

test("a parcel whose lead number is its own is priced alone, those of a shipment with prices for all of it are not", async () => {
  const org = await hub.org();
  const rates = { "8": [1, 2, 3, 4, 5, 6].map((pounds) => 12 + 1.1 * pounds) };
  const service = {
    code: "GROUND",
    level: "ground",
    weightBreaks: [1, 2, 3, 4, 5, 6].map((upTo) => ({ upTo })),
    rates,
    discounts: [{ percent: 30 }],
    hundredweight: { weightFrom: [200], rates: { "8": [20] } },
  };
  const card = {
    name: "Freight",
    effectiveFrom: "2026-01-01",
    zoneScheme: "ups",
    services: [service],
    fuel: { percent: 10, appliesTo: "subtotal" },
  };
  const parcels = [
    aParcel("1ZALONE", facts, { lead: "1ZALONE" }),
    aParcel("1ZFIRST", facts, { lead: "1ZFIRST" }),
    aParcel("1ZSECOND", facts, { lead: "1ZFIRST" }),
  ];
  const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org, [card]));
  const { body } = await org.get(`/invoices/${id}/parcels`);
  const reasons = body.data.map((one: { trackingNumber: string; reason: string }) => [one.trackingNumber, one.reason]);
  expect(reasons).toEqual([
    ["1ZALONE", null],
    ["1ZFIRST", "priced_together"],
    ["1ZSECOND", "priced_together"],
  ]);
  expect(await saidOf(org, id)).toEqual([]);
});

test("the return of an undeliverable parcel is no second transport; a return label is a parcel", async () => {
  const org = await hub.org();
  const { net, fuel } = priceOf(facts);
  const back: BookCharge[] = [
    { kind: "base", code: "3", name: "Ground Undeliverable Return", gross: net + 500, off: 0 },
    { kind: "fuel", code: "FSC", name: "Fuel Surcharge", gross: fuel + 50, off: 0 },
  ];
  const parcels = [
    aParcel("1ZBACK", facts),
    { ...only("1ZBACK", ...back), category: "RTN", detail: "RTS" },
    { ...plants.base_rate!("1ZLABEL", facts), category: "RTN", detail: "PRL" },
  ];
  const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
  const found = await findingsOf(org, id);
  expect(found.map(({ trackingNumber, kind }) => [trackingNumber, kind])).toEqual([["1ZLABEL", "base_rate"]]);
  const lines = (await org.get(`/invoices/${id}/lines?trackingNumber=1ZBACK`)).body.data;
  expect(lines.map(({ kind }: { kind: string }) => kind)).toEqual(["base", "fuel", "fee", "fee"]);
  expect(lines[2]).toMatchObject({ service: null, billedWeight: null });
});

test("a charge that is taken off and charged again is the difference, in both directions", async () => {
  const org = await hub.org();
  const parcels = ["1ZMORE", "1ZLESS", "1ZSAME"].map((number) => aParcel(number, facts));
  const wrong = plants.base_rate!("1ZLESS", facts);
  const one = await audited(
    org,
    writeUps([auditInvoice("I-1", [parcels[0]!, wrong, parcels[2]!])]),
    await auditAccount(org),
  );
  const before = await findingsOf(org, one);
  expect(before).toHaveLength(1);
  const amount = Math.round(before[0]!.amount * 100);
  const line = (kind: "credit" | "adjustment", gross: number): BookCharge => ({
    kind,
    code: "3",
    name: "Ground",
    gross,
    off: 0,
  });
  const corrections = [
    only("1ZMORE", line("credit", -1_200), line("adjustment", 1_500)),
    only("1ZLESS", line("credit", -1_200), line("adjustment", 1_200 - amount)),
    only("1ZSAME", line("credit", -1_200), line("adjustment", 1_200)),
  ];
  const two = await audited(org, writeUps([auditInvoice("I-2", corrections, "2026-05-20")]));
  expect(await saidOf(org, two)).toEqual(["1ZMORE adjustment 300 low"]);
  expect(await findingsOf(org, one)).toMatchObject([{ state: "credited", creditedAmount: before[0]!.amount }]);
  const { body } = await org.get(`/invoices/${two}/parcels/1ZMORE`);
  expect(body.billed).toBe(3);
});

test("a finding is open again when the invoice with its credit is deleted; a decision stays", async () => {
  const org = await hub.org();
  const numbers = ["1ZOPEN", "1ZCLAIMED", "1ZDECIDED", "1ZPARTLY"];
  const parcels = numbers.map((number) => plants.base_rate!(number, facts));
  const one = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
  const idOf = async (number: string) => (await findingsOf(org, one, `&trackingNumber=${number}`))[0]!.id;
  await org.patch(`/findings/${await idOf("1ZCLAIMED")}`, { state: "claimed" });
  await org.patch(`/findings/${await idOf("1ZDECIDED")}`, { state: "credited" });
  const amount = parcels[0]!.planted[0]!.amount;
  const credit = (gross: number): BookCharge => ({ kind: "credit", code: "GSR", name: "Refund", gross, off: 0 });
  const credits = [
    ...["1ZOPEN", "1ZCLAIMED"].map((number) => only(number, credit(-amount))),
    only("1ZPARTLY", credit(-100)),
  ];
  const two = await audited(org, writeUps([auditInvoice("I-2", credits, "2026-05-20")]));
  const states = async () =>
    Object.fromEntries(
      (await findingsOf(org, one)).map(({ trackingNumber, state, creditedAmount }) => [
        trackingNumber,
        [state, creditedAmount],
      ]),
    );
  expect(await states()).toEqual({
    "1ZOPEN": ["credited", amount / 100],
    "1ZCLAIMED": ["credited", amount / 100],
    "1ZDECIDED": ["credited", 0],
    "1ZPARTLY": ["open", 1],
  });
  expect((await org.delete(`/invoices/${two}`)).status).toBe(200);
  expect(await states()).toEqual({
    "1ZOPEN": ["open", 0],
    "1ZCLAIMED": ["claimed", 0],
    "1ZDECIDED": ["credited", 0],
    "1ZPARTLY": ["open", 0],
  });
});

test("the promise of the contract counts from the day on which the carrier takes the parcel", async () => {
  const org = await hub.org();
  // A Saturday; two days after Monday is Wednesday with Saturday delivery or without.
  const sent = (tracking: string, zone: "2" | "8", delivered: string): AuditParcel =>
    aParcel(tracking, { ...facts, day: "2026-01-31", zone }, { service: "2 Day", delivered });
  const parcels = [sent("1ZINTIME", "2", "2026-02-03"), sent("1ZLATE", "2", "2026-02-04")];
  const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
  const found = await findingsOf(org, id);
  expect(found.map(({ trackingNumber, kind }) => [trackingNumber, kind])).toEqual([["1ZLATE", "late_delivery"]]);
  expect(found[0]!.evidence.values).toMatchObject({ promisedDate: "2026-02-03", transitDays: 1 });
});

describe("what is claimed", () => {
  test("is never more than the parcel was billed above the contract", async () => {
    const org = await hub.org();
    const home: Facts = { ...facts, isHome: true };
    // 5.00 too much for the transport; 1.50 too little for residential delivery; fuel is right for what was billed.
    const mixed = (tracking: string, less: number): AuditParcel => {
      const price = priceOf(home);
      const fuel = Math.round((price.net + 500 + price.home - less) * 0.1);
      return aParcel(tracking, home, {
        charges: [
          { kind: "base", code: "3", name: "Ground", gross: price.list + 500, off: price.off },
          { kind: "fuel", code: "FSC", name: "Fuel Surcharge", gross: fuel, off: 0 },
          { kind: "surcharge", code: "RES", name: "Residential Surcharge", gross: price.home - less, off: 0 },
        ],
      });
    };
    // Above all charges: less is billed than the contract's price.
    const low = mixed("1ZLOW", 0);
    low.charges[1]!.gross = 0;
    low.charges[0]!.off += 400;
    const parcels = [mixed("1ZPLAIN", 0), mixed("1ZNETTED", 150), low];
    const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
    const found = await findingsOf(org, id);
    expect(await saidOf(org, id)).toEqual(["1ZNETTED base_rate 385 high", "1ZPLAIN base_rate 550 high"]);
    const netted = found.find(({ trackingNumber }) => trackingNumber === "1ZNETTED")!;
    expect(netted.evidence.values).toMatchObject({ billedBelow: 1.65 });
    expect(netted.evidence.rule).toContain("Less 1.65, by which other charges of the parcel are below the contract");
    for (const { trackingNumber } of found) {
      const { billed, expected, findingAmount } = (await org.get(`/invoices/${id}/parcels/${trackingNumber}`)).body;
      expect(Math.round((billed - expected) * 100)).toBe(Math.round(findingAmount * 100));
    }
  });

  test("each row of the file adds up, and rows that cannot be claimed are left out", async () => {
    const org = await hub.org();
    const kinds = ["base_rate", "discount", "surcharge", "fuel", "weight", "minimum"];
    const parcels = kinds.map((kind, index) => plants[kind]!(`1ZKIND${index}`, facts));
    const both = plants.discount!("1ZBOTH", facts);
    both.charges[0]!.gross += 300;
    parcels.push(both);
    const id = await audited(org, writeUps([auditInvoice("I-1", parcels)]), await auditAccount(org));
    const found = await findingsOf(org, id);
    expect(found.length).toBeGreaterThanOrEqual(8);
    const amount = parcels[0]!.planted[0]!.amount;
    const credit = (gross: number): BookCharge => ({ kind: "credit", code: "GSR", name: "Refund", gross, off: 0 });
    const credits = [only("1ZKIND0", credit(-amount)), only("1ZKIND1", credit(-50))];
    await audited(org, writeUps([auditInvoice("I-2", credits, "2026-05-20")]));
    const rejected = found.find(({ trackingNumber }) => trackingNumber === "1ZKIND2")!;
    await org.patch(`/findings/${rejected.id}`, { state: "rejected" });

    for (const [carrier, names] of [
      ["UPS", ["Tracking Number", "Billed Amount", "Expected Amount", "Disputed Amount"]],
      ["", ["trackingNumber", "billed", "expected", "disputed"]],
    ] as const) {
      const { text } = await org.get(`/findings/export${carrier && `?carrier=${carrier}`}`);
      const [header, ...rows] = text
        .trimEnd()
        .split("\r\n")
        .map((row) => row.split(","));
      const at = (name: string): number => header!.indexOf(name);
      const [fuel, credited] = carrier === "" ? ["fuel", "creditedAmount"] : ["Fuel on Difference", "Credited Amount"];
      const cents = (row: string[], name: string): number => Math.round(Number(row[at(name)]) * 100);
      const [number, billed, expected, disputed] = names;
      for (const row of rows)
        expect(cents(row, billed) - cents(row, expected) + cents(row, fuel) - cents(row, credited), row.join()).toBe(
          cents(row, disputed),
        );
      const listed = rows.map((row) => row[at(number)]);
      expect(listed).not.toContain("1ZKIND0");
      expect(listed).not.toContain("1ZKIND2");
      const partly = rows.find((row) => row[at(number)] === "1ZKIND1")!;
      expect([cents(partly, credited), cents(partly, disputed)]).toEqual([50, parcels[1]!.planted[0]!.amount - 50]);
      // Both findings of a parcel start from the same billed amount.
      const ofBoth = rows.filter((row) => row[at(number)] === "1ZBOTH");
      expect(ofBoth).toHaveLength(2);
    }
    const rejectedFile = await org.get("/findings/export?carrier=UPS&state=rejected");
    expect(rejectedFile.text.trimEnd().split("\r\n")).toHaveLength(2);
  });
});
