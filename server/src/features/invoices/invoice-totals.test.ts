import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();

const header =
  "invoice number,invoice date,invoice amount,tracking number,original tracking number,charge kind,description,net amount,discount,currency\n";
const july =
  "J-1,2026-07-20,31.25,RP1,,base,Ground,12.50,5.00,USD\n" +
  "J-1,2026-07-20,31.25,RP1,,fuel,Fuel,2.25,,USD\n" +
  "J-1,2026-07-20,31.25,RP2,,base,Ground,1.005,,USD\n" +
  "J-1,2026-07-20,31.25,,,fee,Weekly fee,15.00,,USD\n" +
  "J-1,2026-07-20,31.25,RP2,,tax,Tax,3.00,,CAD\n";
const august =
  "A-1,2026-08-20,-1.50,RP1,,credit,Late delivery,-3.50,,USD\n" +
  "A-1,2026-08-20,-1.50,RP9,RP1,adjustment,Weight correction,2.00,,USD\n";

async function importText(org: Awaited<ReturnType<typeof hub.org>>, csv: string) {
  const answer = await org.post("/invoices/import", { carrier: "Regional Parcel", csv });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.invoices[0].id as string;
}

test("totals of an invoice by kind and currency, to the millionth", async () => {
  const org = await hub.org();
  const id = await importText(org, header + july);
  const { body } = await org.get(`/invoices/${id}/totals`);
  expect(body).toEqual({
    parcelCount: 2,
    kinds: [
      { kind: "base", parcelCount: 2, currency: "USD", lineCount: 2, gross: 18.505, discount: 5, net: 13.505 },
      { kind: "fuel", parcelCount: 1, currency: "USD", lineCount: 1, gross: 2.25, discount: 0, net: 2.25 },
      { kind: "tax", parcelCount: 1, currency: "CAD", lineCount: 1, gross: 3, discount: 0, net: 3 },
      { kind: "fee", parcelCount: 0, currency: "USD", lineCount: 1, gross: 15, discount: 0, net: 15 },
    ],
  });
  const rival = await hub.org();
  expect((await rival.get(`/invoices/${id}/totals`)).status).toBe(404);
});

test("all charges of a parcel, over invoices, with corrections under another number", async () => {
  const org = await hub.org();
  const later = await importText(org, header + august);
  const first = await importText(org, header + july);
  const { body } = await org.get("/invoices/charges?trackingNumber=RP1");
  expect(body.trackingNumber).toBe("RP1");
  expect(body.totals).toEqual([{ currency: "USD", lineCount: 4, gross: 18.25, discount: 5, net: 13.25 }]);
  type Line = { invoice: { id: string; number: string; carrier: string; date: string }; kind: string };
  expect(body.lines.map(({ invoice, kind }: Line) => [invoice.id, kind])).toEqual([
    [first, "base"],
    [first, "fuel"],
    [later, "credit"],
    [later, "adjustment"],
  ]);
  expect(body.lines[0].invoice).toEqual({ id: first, carrier: "Regional Parcel", number: "J-1", date: "2026-07-20" });
  expect(body.lines[3]).toMatchObject({ trackingNumber: "RP9", originalTrackingNumber: "RP1", net: 2 });
  const rival = await hub.org();
  const nothing = { trackingNumber: "RP1", totals: [], lines: [] };
  expect((await rival.get("/invoices/charges?trackingNumber=RP1")).body).toEqual(nothing);
});

test("a file of an unknown shape is refused with its columns, so that they can be mapped", async () => {
  const org = await hub.org();
  const rows = Array.from({ length: 9 }, (_, index) => `R-1,P${index},${"x".repeat(80)}`).join("\n");
  const unknown = await org.post("/invoices/import", { csv: `Rechnung,Sendung,Betrag\n${rows}\n` });
  expect(unknown.body).toMatchObject({
    code: "validation_failed",
    errors: [{ pointer: "/csv", code: "unknown_format" }],
    columns: [
      { column: "Rechnung", field: null },
      { column: "Sendung", field: null },
      { column: "Betrag", field: null },
    ],
  });
  expect(unknown.body.fields).toContain("netAmount");
  expect(unknown.body.sample).toHaveLength(5);
  expect(unknown.body.sample[0]).toEqual(["R-1", "P0", "x".repeat(60)]);
  const nameless = await org.post("/invoices/import", { csv: "Tracking,Amount\nP1,2.50\n" });
  expect(nameless.body).toMatchObject({
    errors: [{ pointer: "/carrier", code: "required" }],
    columns: [
      { column: "Tracking", field: "trackingNumber" },
      { column: "Amount", field: "netAmount" },
    ],
    sample: [["P1", "2.50"]],
  });
});
