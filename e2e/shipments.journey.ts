import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let stuck: string;

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const places = [
  ["Albany", "NY", "12207"],
  ["Miami", "FL", "33101"],
  ["Duluth", "MN", "55802"],
] as const;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  await seedOrders(org, 12);
  const shipments = Array.from({ length: 24 }, (_, at) => {
    const [city, provinceCode, zip] = places[at % 3]!;
    return {
      orderNumber: `SHOP-${10_000 + (at % 12)}`,
      carrier: at % 2 ? "ups" : "fedex",
      service: "ground",
      trackingNumber: `1Z999AA1012345${String(6700 + at)}`,
      shippedAt: hoursAgo(70),
      promisedDate: hoursAgo(at === 3 ? 30 : -72).slice(0, 10),
      destination: { name: "Ada Byron", address1: "12 Analytical Way", city, provinceCode, zip, countryCode: "US" },
      weight: { value: 2.5, unit: "lb" },
      cost: 11.4 + at,
      events: [
        { at: hoursAgo(60), status: "picked_up", location: "Newark, NJ" },
        {
          at: hoursAgo(20),
          status: at % 4 === 0 ? "delivered" : "in_transit",
          description: "Departed",
          location: "Columbus, OH",
        },
      ],
    };
  });
  const { body } = await org.post("/shipments/bulk", { shipments });
  expect(body.summary.failed).toBe(0);
  stuck = body.results[3].id;
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/shipments");
});

test("shipments are filtered by status, risk and number, and the address keeps the filters", async () => {
  const { page } = person;
  await page.getByRole("table", { name: "Shipments" }).waitFor();
  await page.getByText("1 to 24 of 24 shipments").waitFor();
  await checkPage(page, "shipments");
  await page.getByRole("link", { name: /At risk/ }).click();
  await page.getByText("1 to 1 of 1 shipments").waitFor();
  await page.getByRole("link", { name: /^All/ }).click();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: "Carrier" }).click();
  await page.getByLabel("Carrier").fill("ups");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("1 to 12 of 12 shipments").waitFor();
  await page.getByLabel("Tracking or order number").fill("1Z999AA10123456703");
  await page.getByText("1 to 1 of 1 shipments").waitFor();
  expect(new URL(page.url()).search).toBe("?carrier=ups&search=1Z999AA10123456703");
  await page.getByRole("button", { name: "Drop the filter Carrier ups" }).click();
  await page.goBack();
  await page.getByRole("button", { name: "Drop the filter Carrier ups" }).waitFor();
  await page.getByLabel("Tracking or order number").fill("nothing like it");
  await page.getByText("No shipments match these filters.").waitFor();
});

test("a shipment shows its tracking and risk; a correction never silently overwrites another", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/shipments/${stuck}`);
  await page.getByRole("list", { name: "Reasons for the risk" }).getByText("The promised day has passed").waitFor();
  await page.getByRole("region", { name: "Tracking" }).getByText("Columbus, OH").waitFor();
  await checkPage(page, "shipment");
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Edit shipment" });
  await dialog.getByLabel("Service").fill("express");
  expect((await org.patch(`/shipments/${stuck}`, { service: "two day" })).status).toBe(200);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const theirs = dialog.getByRole("table", { name: "Your changes and theirs" });
  await theirs.getByText("two day").waitFor();
  await takeScreenshot(page, "shipment-conflict");
  await dialog.getByRole("button", { name: "Save mine" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await org.get(`/shipments/${stuck}`)).body).toMatchObject({ service: "express", carrier: "ups" });
  await page.getByRole("button", { name: "Add event" }).click();
  await page
    .getByRole("dialog", { name: "Add tracking event" })
    .getByRole("button", { name: "Add event", exact: true })
    .click();
  await page.getByRole("region", { name: "Tracking" }).getByText("Delivered").waitFor();
  // Tracking has ended: the button is disabled with the reason.
  await expect
    .poll(() => page.getByRole("button", { name: "Check tracking" }).getAttribute("aria-disabled"))
    .toBe("true");
});

test("labels are printed and voided", async () => {
  const { page } = person;
  const carrierAccountId = (await org.post("/carrier-accounts", { name: "Ground contract", carrier: "demo" })).body.id;
  const from = {
    company: "Byron Mugs",
    address1: "1 Port Street",
    city: "Newark",
    provinceCode: "NJ",
    zip: "07114",
    countryCode: "US",
  };
  const to = {
    name: "Ada Byron",
    address1: "12 Analytical Way",
    city: "Albany",
    provinceCode: "NY",
    zip: "12207",
    countryCode: "US",
  };
  await org.post("/locations", { name: "Newark", address: from, is_default: true });
  const lines = [{ sku: "MUG-01", name: "Mug", quantity: 2, weight: { value: 1, unit: "lb" } }];
  await org.post("/orders", { number: "FRESH-1", status: "ready", shippingAddress: to, lines });
  await page.goto(`${hub.url}/orders/FRESH-1`);
  await page.getByRole("button", { name: "Buy label" }).click();
  await expect.poll(() => page.getByLabel("Weight", { exact: true }).inputValue()).toBe("2");
  const cheapest = page.getByRole("table", { name: "Prices" }).getByRole("row", { name: /Cheapest/ });
  const price = await cheapest.getByRole("cell", { name: /^\$/ }).textContent();
  await checkPage(page, "label-new");
  expect((await org.get("/shipments/labels")).body.data).toEqual([]);
  await cheapest.getByRole("button", { name: `Buy for ${price}` }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: `Buy for ${price}` })
    .click();
  await page.getByRole("region", { name: "Labels" }).getByText(price!).waitFor();
  const { data } = (await org.get("/shipments/labels")).body;
  expect(data).toMatchObject([{ status: "purchased", reference: "FRESH-1", weight: { value: 2, unit: "lb" } }]);
  expect(price).toBe(`$${data[0].cost.toFixed(2)}`);
  for (const reference of ["SHOP-18", "SHOP-19"]) {
    const { status } = await org.post("/shipments/labels", {
      carrierAccountId,
      service: "NAT_GROUND",
      from,
      to,
      weight: { value: 2, unit: "lb" },
      reference,
    });
    expect(status).toBe(201);
  }
  await page.goto(`${hub.url}/shipments/labels`);
  const row = page.getByRole("row", { name: /SHOP-18/ });
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    row.getByRole("link", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^label-.*\.(txt|pdf|png|zpl)$/);
  await checkPage(page, "labels");
  await row.getByRole("button", { name: "Void" }).click();
  await page.getByRole("button", { name: "Void label" }).click();
  await row.getByText("Voided").waitFor();
  expect((await org.get("/shipments/labels?status=voided")).body.data).toMatchObject([{ reference: "SHOP-18" }]);
  await page.getByRole("button", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: "Print 2 labels" }).click();
  await expect.poll(async () => (await org.get("/shipments/labels?isPrinted=true")).body.data.length).toBe(2);
});
