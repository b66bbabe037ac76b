import { expect, test } from "vitest";
import type { Facts } from "../../../testing/invoices/audit-book.ts";
import { aParcel, plants } from "../../../testing/invoices/audit-book.ts";
import { audited, auditAccount, auditInvoice } from "../../../testing/invoices/audit-hub.ts";
import { writeFedex, writeUps } from "../../../testing/invoices/write-invoices.ts";
import { startTestHub } from "../../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: false };
const account = await auditAccount(org);
const file = writeUps([
  auditInvoice("U-1", [
    plants.base_rate!("1ZBASE", facts),
    plants.fuel!("1ZFUEL", facts),
    plants.discount!("1ZOFF", facts),
    aParcel("1ZRIGHT", facts),
  ]),
]);
const ups = await audited(org, file, account);
const fedex = await audited(org, writeFedex([auditInvoice("F-1", [plants.base_rate!("7700000001", facts)])]), account);

test("lines of parcels with a finding, by its kind", async () => {
  const numbersOf = async (query: string): Promise<string[]> => {
    const { body } = await org.get(`/invoices/${ups}/lines?${query}`);
    expect(body.pagination.total).toBe(body.data.length);
    return body.data.map(({ trackingNumber }: { trackingNumber: string }) => trackingNumber);
  };
  expect(new Set(await numbersOf("finding=fuel"))).toEqual(new Set(["1ZFUEL"]));
  expect(await numbersOf("finding=fuel,discount&kind=base")).toEqual(["1ZFUEL", "1ZOFF"]);
  expect(await numbersOf("finding=zone")).toEqual([]);
  expect((await org.get(`/invoices/${ups}/lines?finding=rain`)).status).toBe(400);
});

test("findings by amount, and their amounts by invoice, carrier and service", async () => {
  const amounts = async (query: string): Promise<number[]> =>
    (await org.get(`/findings?${query}`)).body.data.map(({ amount }: { amount: number }) => amount);
  const [base, off, fuel] = [3.3, 1.65, 0.95];
  expect(await amounts("sort=amount")).toEqual([base, base, off, fuel]);
  expect(await amounts("sort=amount&kind=fuel,discount")).toEqual([off, fuel]);
  const listed = await org.get(`/invoices/${ups}/findings?sort=amount`);
  expect(listed.body.data.map(({ kind }: { kind: string }) => kind)).toEqual(["base_rate", "discount", "fuel"]);

  const by = async (groupBy: string, query = ""): Promise<unknown[]> =>
    (await org.get(`/findings/counts?groupBy=${groupBy}${query}`)).body.breakdown;
  const all = { currency: "USD", creditedAmount: 0 };
  const upsSum = { ...all, findings: 3, amount: 5.9 };
  const fedexSum = { ...all, findings: 1, amount: base };
  expect(await by("invoice")).toEqual([
    { name: "U-1", invoiceId: ups, carrier: "UPS", ...upsSum },
    { name: "F-1", invoiceId: fedex, carrier: "FedEx", ...fedexSum },
  ]);
  expect(await by("carrier")).toEqual([
    { name: "UPS", invoiceId: null, carrier: "UPS", ...upsSum },
    { name: "FedEx", invoiceId: null, carrier: "FedEx", ...fedexSum },
  ]);
  expect(await by("service", "&kind=base_rate")).toEqual([
    { name: "Ground", invoiceId: null, carrier: null, ...all, findings: 2, amount: 2 * base },
  ]);
  expect((await org.get("/findings/counts")).body.breakdown).toEqual([]);
  const rival = await hub.org();
  expect((await rival.get("/findings/counts?groupBy=invoice")).body.breakdown).toEqual([]);
});
