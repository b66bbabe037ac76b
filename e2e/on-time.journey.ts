import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let accountId: string;

const origin = { address1: "1 Port Street", city: "Newark", provinceCode: "NJ", zip: "07114", countryCode: "US" };
const places = [
  ["Albany", "NY", "12207"],
  ["Miami", "FL", "33101"],
  ["Austin", "TX", "78701"],
  ["Portland", "OR", "97201"],
] as const;
const iso = (hoursAgo: number): string => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();

/** Parcels of three weeks: on time, late, lost, without promise, without a scan, returned and cancelled. */
async function seed(): Promise<void> {
  accountId = (await org.post("/carrier-accounts", { name: "Ground contract", carrier: "demo" })).body.id;
  const service = { code: "NAT_GROUND", level: "ground", weightBreaks: [{ upTo: 10 }], rates: { "2": [11] } };
  const card = {
    name: "Ground",
    effectiveFrom: "2020-01-01",
    zoneScheme: "ups",
    services: [{ ...service, transitDays: { "2": 3 } }],
  };
  const uploaded = await org.post(`/carrier-accounts/${accountId}/rate-cards`, { card });
  expect(uploaded.status, uploaded.text).toBe(201);
  const shipments = Array.from({ length: 90 }, (_, at) => {
    const [city, provinceCode, zip] = places[at % 4]!;
    const sent = 60 + ((at * 37) % 480);
    const end = at % 17 === 0 ? "returned" : "delivered";
    return {
      trackingNumber: `1Z7000${1_000 + at}`,
      carrier: ["UPS", "FedEx", "USPS"][at % 3]!,
      service: at % 4 === 0 ? "2nd Day Air" : "Ground",
      shippedAt: iso(sent),
      ...(at % 11 === 0 ? { service: "Special" } : { promisedDate: iso(sent - (at % 5 === 0 ? 24 : 96)).slice(0, 10) }),
      origin,
      destination: { city, provinceCode, zip, countryCode: "US" },
      events: [
        ...(at % 13 === 0 ? [] : [{ at: iso(sent - 4), status: "picked_up" }]),
        ...(at % 9 === 0 ? [] : [{ at: iso(sent - 20 - ((at * 7) % 38)), status: end }]),
      ],
    };
  });
  const { body } = await org.post("/shipments/bulk", { shipments });
  expect(body.summary.failed).toBe(0);
  expect((await org.post(`/shipments/${body.results[0].id}/void`)).status).toBe(200);
  // Only labels bring an account and a zone.
  await hub.world.db.query(
    `update shipments set carrier_account_id = $2, zone = (2 + length(destination ->> 'city') % 3)::text
      where org_id = $1 and carrier_key = 'ups'`,
    [org.id, accountId],
  );
}

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  await seed();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/reports");
});

async function listTotal(): Promise<number> {
  const total = person.page
    .getByRole("main")
    .getByText(/\bof [\d,]+ shipments/)
    .first();
  await total.waitFor();
  const [, count = ""] = /of ([\d,]+) shipments/.exec((await total.textContent()) ?? "") ?? [];
  return Number(count.replaceAll(",", ""));
}
/** Opens a figure, compares it with the number of listed shipments, and comes back. */
async function expectOpens(figure: Locator, count: number): Promise<void> {
  const href = await figure.getAttribute("href");
  await figure.click();
  expect([href, await listTotal()]).toEqual([href, count]);
  await person.page.goBack();
  await figure.waitFor();
}

test("on time and transit: each figure opens its parcels", async () => {
  const { page } = person;
  await page.getByRole("link", { name: "On time and transit" }).click();
  const table = page.getByRole("table", { name: "On time by carrier" });
  await table.waitFor();
  await page.getByRole("table", { name: "On time per day" }).waitFor();
  await checkPage(page, "on-time");
  const { totals, rows } = (await org.get("/reports/deliveries?groupBy=carrier")).body;
  const figures = page.getByRole("region", { name: "Figures" });
  await expectOpens(figures.getByRole("link", { name: /^On time: / }), totals.onTime + totals.late);
  await expectOpens(figures.getByRole("link", { name: `Late: ${totals.late}. Open the shipments` }), totals.late);
  await expectOpens(figures.getByRole("link", { name: /^At risk: / }), totals.atRisk);
  const reasons = {
    "No promise": "noPromise",
    Cancelled: "cancelled",
    Returned: "returned",
    "No first scan": "noFirstScan",
  };
  for (const [name, reason] of Object.entries(reasons)) {
    const count = totals.leftOut[reason];
    expect(count, name).toBeGreaterThan(0);
    await expectOpens(figures.getByRole("link", { name: `${name}: ${count}` }), count);
  }
  const first = table.getByRole("row").nth(1);
  for (const [cell, count] of [
    [1, rows[0].delivered],
    [2, rows[0].late],
    [5, rows[0].atRisk],
    [6, rows[0].leftOut.noPromise + rows[0].leftOut.cancelled + rows[0].leftOut.returned],
  ] as const) {
    const link = first.getByRole("cell").nth(cell).getByRole("link");
    if (count > 0) await expectOpens(link, count);
  }
});

test("the report is grouped and limited in the address, and downloaded as CSV", async () => {
  const { page } = person;
  const groups = page.getByRole("group", { name: "Group by" });
  await page.getByRole("link", { name: "Only UPS" }).click();
  await page.getByRole("button", { name: "Drop the filter Carrier ups" }).waitFor();
  await groups.getByRole("button", { name: "Account" }).click();
  const accounts = page.getByRole("table", { name: "On time by account" });
  await accounts.getByRole("link", { name: "Only Ground contract" }).waitFor();
  await groups.getByRole("button", { name: "Lane" }).click();
  const lanes = page.getByRole("table", { name: "On time by lane" });
  await lanes.getByRole("link", { name: "Only NJ to TX" }).waitFor();
  expect(new URL(page.url()).search).toContain("carrier=ups&by=lane");
  const { rows, totals } = (await org.get("/reports/deliveries?groupBy=lane&carrier=UPS")).body;
  await expectOpens(lanes.getByRole("row").nth(1).getByRole("cell").nth(1).getByRole("link"), rows[0].delivered);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV: On time by lane" }).click();
  const file = path.join(tmpdir(), `${randomUUID()}.csv`);
  await (await download).saveAs(file);
  const lines = (await readFile(file, "utf8")).trim().split("\r\n");
  await rm(file);
  expect(lines[0]).toMatch(/^Lane,Delivered,On time,Late,On time %,Days in transit,At risk now,No promise,/);
  expect(lines.at(-1)).toMatch(new RegExp(`^Total,${totals.delivered},${totals.onTime},${totals.late},`));
  await groups.getByRole("button", { name: "Zone" }).click();
  await page.getByRole("table", { name: "On time by zone" }).waitFor();
  await checkPage(page, "on-time-by-zone");
});

test("the pages of shipment and order show the promise, its rule and whether it is at risk", async () => {
  const { page } = person;
  // Parcels are sent today, by the calendar of the organization: at night in UTC that is tomorrow in Newark, before its cut-off.
  expect((await org.patch(`/organizations/${org.id}`, { timezone: "America/New_York" })).status).toBe(200);
  const { body: location } = await org.post("/locations", { name: "Newark", address: origin, cutoff_time: "00:00" });
  const { body: order } = await org.post("/orders", {
    number: "PROMISE-1",
    status: "ready",
    locationId: location.id,
    shippingAddress: {
      name: "Ada Byron",
      address1: "12 Analytical Way",
      city: "Albany",
      provinceCode: "NY",
      zip: "12207",
      countryCode: "US",
    },
    lines: [{ sku: "MUG-01", name: "Mug", quantity: 1, weight: { value: 1, unit: "lb" } }],
  });
  const label = await org.post("/shipments/labels", {
    carrierAccountId: accountId,
    service: "NAT_GROUND",
    orderId: order.id,
  });
  expect(label.status, label.text).toBe(201);
  await page.goto(`${hub.url}/shipments/${label.body.shipment.id}`);
  await page.getByText(/business days? from .* Bought after the cut-off, 00:00 in New York\./).waitFor();
  await page.getByText("On schedule").waitFor();
  await checkPage(page, "shipment-promise");
  await org.post(`/shipments/${label.body.shipment.id}/events`, { status: "exception", at: iso(0.01) });
  await page.goto(`${hub.url}/orders/PROMISE-1`);
  await page.getByText("At risk: exception").waitFor();
  await page.getByText(/^Promised \w{3} \d+ \w{3}( \d{4})?, by the contract$/).waitFor();
  await page.goto(`${hub.url}/locations/${location.id}`);
  await page.getByLabel("Cut-off time").fill("16:3");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByLabel("Cut-off time").and(page.locator("[aria-invalid]")).waitFor();
  await page.getByLabel("Cut-off time").fill("16:30");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await org.get(`/locations/${location.id}`)).body.cutoff_time).toBe("16:30");
  // The refused cut-off.
  expect(person.complaints.splice(0).every((one) => /\b400\b/.test(one))).toBe(true);
});
