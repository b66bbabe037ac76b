import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const day = 86_400_000;
// A Thursday: no weekend lies within what is too long.
const start = Date.parse("2026-03-19T15:00:00Z");
hub.world.clock.set({ mode: "frozen", at: new Date(start).toISOString() });
afterFile(() => hub.world.clock.set({ mode: "real" }));
const ago = (days: number): string => new Date(start - days * day).toISOString();
const dateAgo = (days: number): string => ago(days).slice(0, 10);

type Row = { trackingNumber: string; carrier: string | null; orderNumber: string | null };
const request = [
  { trackingNumber: "A-1", carrier: "ups", shippedAt: ago(0.5), orderNumber: "SO-1" },
  { trackingNumber: "A-2", carrier: "UPS", shippedAt: ago(3), orderNumber: "SO-2" },
  { trackingNumber: "A-3", carrier: "dhl", shippedAt: ago(4), events: [{ at: ago(1), status: "in_transit" }] },
  { trackingNumber: "B-4", shippedAt: ago(5), events: [{ at: ago(3), status: "in_transit" }], orderNumber: "A-77" },
  { trackingNumber: "B-5", shippedAt: ago(6), acceptedAt: ago(5), deliveredAt: ago(2), promisedDate: dateAgo(1) },
  { trackingNumber: "B-6", shippedAt: ago(7), events: [{ at: ago(0.5), status: "exception" }] },
  {
    trackingNumber: "C-7",
    shippedAt: ago(0.2),
    promisedDate: dateAgo(-3),
    events: [{ at: ago(0.1), status: "picked_up" }],
  },
  {
    trackingNumber: "C-8",
    shippedAt: ago(9),
    promisedDate: dateAgo(3),
    events: [{ at: ago(0.1), status: "attempt_failed" }],
  },
];
// One by one, a moment apart: the newest is listed first.
for (const [index, shipment] of request.entries()) {
  hub.world.clock.set({ mode: "frozen", at: new Date(start + index).toISOString() });
  await org.post("/shipments", shipment);
}

async function listed(query: string): Promise<string[]> {
  const { body } = await org.get(`/shipments?${query}`);
  expect(body.pagination.total).toBe(body.data.length);
  return body.data.map(({ trackingNumber }: Row) => trackingNumber);
}

describe("the list of shipments", () => {
  test.each([
    ["all, the newest first", "", "C-8 C-7 B-6 B-5 B-4 A-3 A-2 A-1"],
    ["one status", "status=in_transit", "C-7 B-4 A-3"],
    ["several statuses", "status=delivered,exception", "B-6 B-5"],
    ["a carrier, in any case", "carrier=Ups", "A-2 A-1"],
    ["a tracking number, in any spelling", "trackingNumber=a2", "A-2"],
    ["what is at risk, the longest first", "atRisk=true", "C-8 A-2 B-4 B-6"],
    ["what is not at risk", "atRisk=false", "C-7 B-5 A-3 A-1"],
    ["a reason: no scan for two days", "riskReason=stalled", "B-4"],
    ["a reason: never scanned", "riskReason=not_accepted", "A-2"],
    ["a reason: past its day", "riskReason=late", "C-8"],
    ["a reason: nobody was home", "riskReason=attempt_failed", "C-8"],
    ["a reason: something is wrong", "riskReason=exception", "B-6"],
    ["when shipped, the latest first", `shippedFrom=${ago(5.5)}&shippedTo=${ago(2)}`, "A-2 A-3 B-4"],
    ["when delivered", `deliveredFrom=${ago(2.5)}`, "B-5"],
    ["for when promised, the soonest first", `promisedFrom=${dateAgo(2)}&promisedTo=${dateAgo(-3)}`, "B-5 C-7"],
    ["the beginning of a number of the parcel or its order", "search=a", "B-4 A-3 A-2 A-1"],
    ["a beginning in another spelling", "search=so-1", "A-1"],
    ["a beginning, with a status", "search=b&status=in_transit", "B-4"],
    ["the number of nothing", "search=zzz", ""],
    ["a search for nothing but blanks", "search=%20", ""],
  ])("%s", async (_, query, expected) => {
    expect((await listed(query)).join(" ")).toBe(expected);
  });

  test("is read page by page, none twice and none left out", async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page++) {
      const { body } = await org.get(
        `/shipments?limit=3&page=${page}&status=in_transit,pre_transit,delivered,exception`,
      );
      seen.push(...body.data.map(({ trackingNumber }: Row) => trackingNumber));
      expect(body.pagination).toMatchObject({ total: 7, pages: 3, hasMore: page < 3 });
    }
    expect(seen.join(" ")).toBe("C-7 B-6 B-5 B-4 A-3 A-2 A-1");
  });

  test("names a status that there is not, and a date that is none", async () => {
    const { body } = await org.get("/shipments?status=deliverd&shippedFrom=0000-01-01T00:00:60Z");
    expect(body.status).toBe(400);
    const wrong = await org.get("/shipments?status=deliverd");
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "query/status", suggestion: "delivered" });
  });

  test("is counted by status", async () => {
    expect((await org.get("/shipments/counts")).body).toMatchObject({
      pre_transit: 2,
      in_transit: 3,
      exception: 1,
      attempt_failed: 1,
      delivered: 1,
      cancelled: 0,
      at_risk: 4,
      total: 8,
    });
  });

  test("shows each shipment as at risk that is listed as such, and with the reasons it is found by", async () => {
    const { body } = await org.get("/shipments?limit=100");
    for (const { trackingNumber, atRisk, riskReasons } of body.data) {
      expect((await listed("atRisk=true")).includes(trackingNumber)).toBe(atRisk);
      for (const reason of riskReasons) expect(await listed(`riskReason=${reason}`)).toContain(trackingNumber);
    }
  });
});

test("a search finds what begins like it, whatever is typed", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 4 }), async (text) => {
      const { status, body } = await org.get(`/shipments?search=${encodeURIComponent(text.toWellFormed())}`);
      expect([200, 400]).toContain(status);
      const wanted = text.trim().toUpperCase();
      for (const { trackingNumber, orderNumber } of (body.data ?? []) as Row[]) {
        const key = text.replaceAll(/[\s-]/g, "").toUpperCase();
        const isFound = trackingNumber.replaceAll("-", "").startsWith(key) || orderNumber?.startsWith(wanted);
        expect(isFound).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});
