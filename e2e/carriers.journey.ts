import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedContract } from "./seed-parcels.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/carriers");
});

const file = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

test("an account is created, gets a rate card from a file, and quotes a parcel", async () => {
  const { page } = person;
  await page.getByText("No carrier account yet.").waitFor();
  await page.getByRole("button", { name: "Add carrier account" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Add carrier account" });
  await dialog.getByLabel("Name").fill("Ground contract");
  await dialog.getByLabel("Carrier").click();
  await page.getByRole("option", { name: /rate card/i }).click();
  await dialog.getByRole("button", { name: "Create account" }).click();
  await page.getByText("No rate card yet.").waitFor();
  const prices = "service,weight,2,5,8\nGROUND,1,9.50,11.20,12.40\nGROUND,5,11,14,17.50\nGROUND,10,13,18,24\n";
  await page.getByLabel("Upload a rate card").setInputFiles(file("Ground 2026.csv", prices));
  const upload = page.getByRole("dialog", { name: "Upload Ground 2026.csv" });
  await upload.getByLabel("Valid from").fill("2026-01-01");
  await upload.getByLabel(/^Fuel/).fill("10");
  await upload.getByRole("button", { name: "Upload rate card" }).click();
  await page.getByText("In effect").waitFor();
  await page.getByRole("table", { name: "Prices by weight and zone" }).getByText("$17.50").waitFor();
  await page.getByRole("link", { name: "Quote" }).click();
  await page.getByLabel("From ZIP").fill("07114");
  await page.getByLabel("To ZIP").fill("90210");
  await page.getByLabel("Weight").fill("3");
  await page.getByRole("button", { name: "Get prices" }).click();
  // Zone 8, up to 5 lb: 17.50, and 10 % fuel.
  await page
    .getByRole("region", { name: /GROUND/i })
    .first()
    .getByText("$19.25")
    .waitFor();
  await page.getByText(/10 % of 17.50/).waitFor();
  expect(page.url()).toContain("from=07114&to=90210&weight=3");
});

test("a rate card with the usual header is read, columns can be chosen, and a second of one period is announced", async () => {
  const { page } = person;
  const { id } = (await org.get("/carrier-accounts?search=Ground")).body.data[0];
  await page.goto(`${hub.url}/carriers/${id}?tab=cards`);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download a sample file" }).click();
  expect((await download).suggestedFilename()).toBe("rate-card-sample.csv");
  const prices = "Weight (lb),Zone 2,Far\n1,9.50,11.20\n5,11,14\n";
  await page.getByLabel("Upload a rate card").setInputFiles(file("Ground 2026.csv", prices));
  const upload = page.getByRole("dialog", { name: "Upload Ground 2026.csv" });
  await upload.getByLabel("Valid from").fill("2026-01-01");
  await upload.getByText("already has a card with this name and period").waitFor();
  await upload.getByRole("button", { name: "Columns of the file (3)" }).click();
  await upload.getByLabel("Far").click();
  await page.getByRole("option", { name: "Prices of zone 5" }).click();
  await takeScreenshot(page, "card-upload");
  await upload.getByRole("button", { name: "Upload rate card" }).click();
  await page
    .getByText(/has the same name .* and period/)
    .first()
    .waitFor();
  await page.getByRole("table", { name: "Prices by weight and zone" }).getByText("$14.00").waitFor();
});

test("terms of a contract are changed in a form, as another version of the card", async () => {
  const { page } = person;
  const id = await seedContract(org, "Contract with terms");
  await page.goto(`${hub.url}/carriers/${id}?tab=cards`);
  await page.getByRole("button", { name: "Change terms" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Fuel of all services in %").fill("2026-01-05 soon");
  await dialog.getByText("“2026-01-05 soon” is not a date and a percentage").waitFor();
  await dialog.getByLabel("Fuel of all services in %").fill("2026-01-05 14.5\n2026-02-02 15.25");
  const ground = dialog.getByRole("group", { name: "Ground" });
  await ground.getByLabel("Divisor of dimensional weight").fill("1728 194\n139");
  await ground.getByLabel("Minimum charge").fill("9.50");
  await dialog.getByRole("group", { name: "Two days" }).getByLabel("Own fuel in %").fill("21");
  await dialog.getByRole("button", { name: "Add a peak surcharge" }).click();
  await dialog.getByLabel("Code").fill("PEAK");
  await dialog.getByLabel("Amount for each parcel").fill("1.35");
  await dialog.getByLabel("First day").fill("2026-10-01");
  await dialog.getByLabel("Last day").fill("2027-01-15");
  await checkPage(page, "card-terms");
  await dialog.getByRole("button", { name: "Save rate card" }).click();
  await page.getByText("by 194 up to 1,728 cubic in, else by 139").waitFor();
  await page.getByText("1.35, from 1 Oct 2026, until 15 Jan 2027").waitFor();
  const { data } = (await org.get(`/carrier-accounts/${id}/rate-cards`)).body;
  expect(data).toHaveLength(2);
  const { card } = (await org.get(`/carrier-accounts/${id}/rate-cards/${page.url().match(/card=([^&]+)/)![1]}`)).body;
  expect(card).toMatchObject({
    fuel: { table: [{ percent: 14.5 }, { from: "2026-02-02", percent: 15.25 }], appliesTo: "base_net" },
    fuelByService: [{ services: ["2DAY"], percent: 21 }],
  });
  expect(card.services[0]).toMatchObject({ minimum: { amount: 9.5 }, discounts: [{ percent: 12 }] });
});

test("tiers by volume, per hundredweight and by weekly revenue are entered in the form", async () => {
  const { page } = person;
  const id = await seedContract(org, "Contract with tiers");
  await page.goto(`${hub.url}/carriers/${id}?tab=cards`);
  await page.getByRole("button", { name: "Change terms" }).click();
  const dialog = page.getByRole("dialog");
  const ground = dialog.getByRole("group", { name: "Ground" });
  await ground.getByRole("button", { name: "Tiers and several parcels" }).click();
  await ground.getByLabel("Prices by volume").fill("zones 2 99\n0.1 6.50 7.25");
  await ground.getByText("The service has no prices by weight for zone 99.").waitFor();
  await ground.getByLabel("Prices by volume").fill("zones 2\n0.1 6.50\n0.5 8.80");
  await ground.getByLabel("By volume up to a weight of").fill("20 lb");
  await ground.getByLabel("By volume up to a length of (in)").fill("18");
  await ground.getByLabel("Prices per hundredweight").fill("zones 2\n200 21.50");
  await ground.getByLabel("Hundredweight discount in %").fill("10");
  await ground.getByLabel("Earned discount").fill("5000 10");
  await dialog.getByText("Earned discounts require the weekly revenue.").first().waitFor();
  await dialog.getByLabel("Weekly revenue").fill("2026-01-01 12000");
  await ground.getByLabel("Several parcels are priced by").click();
  await page.getByRole("option", { name: "The sum of their weights" }).click();
  await checkPage(page, "card-tiers");
  await dialog.getByRole("button", { name: "Save rate card" }).click();
  await page.getByText("2 tiers up to 0.5 cubic ft, up to 20 lb, up to 18 in long").waitFor();
  await page.getByText("from 200 lb, less 10 %").waitFor();
  await page.getByText("10 % from a weekly revenue of 5,000").waitFor();
  const { card } = (await org.get(`/carrier-accounts/${id}/rate-cards/${page.url().match(/card=([^&]+)/)![1]}`)).body;
  expect(card.weeklyRevenue).toEqual([{ from: "2026-01-01", amount: 12_000 }]);
  expect(card.services[0]).toMatchObject({
    cubic: {
      tiers: [0.1, 0.5],
      rates: { "2": [6.5, 8.8] },
      maxWeight: { value: 20, unit: "lb" },
      maxLength: 18,
    },
    hundredweight: { weightFrom: [200], rates: { "2": [21.5] }, discountPercent: 10 },
    discounts: [{ percent: 12 }, { tiers: [{ revenueFrom: 5000, percent: 10 }] }],
    multiPiece: "total",
  });
});

test("rate cards with charts, zones from a file, and the list", async () => {
  const { page } = person;
  const id = await seedContract(org, "National contract");
  await page.goto(`${hub.url}/carriers/${id}?tab=cards`);
  await page.getByRole("img", { name: /^Price by weight: zone 2/ }).waitFor();
  await page.getByText("2.10, to homes").waitFor();
  await checkPage(page, "carrier-cards");
  await page.getByRole("button", { name: "Deactivate: National 2026" }).click();
  await page.getByText("Draft", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Activate: National 2026" }).click();
  await page.getByText("In effect").waitFor();
  await page.getByRole("link", { name: "Zones" }).click();
  const chart = "destination,zone\n900-902,8\n100-104,2\n";
  await page.getByLabel("Choose a CSV file").setInputFiles(file("Newark.csv", chart));
  await page.getByText("An origin is required").first().waitFor();
  await page.getByLabel("Origin of all rows (optional)").fill("070-073");
  await page.getByLabel("Choose a CSV file").setInputFiles(file("Newark.csv", chart));
  await page.getByRole("region", { name: "Zone chart", exact: true }).getByText("Newark", { exact: true }).waitFor();
  await takeScreenshot(page, "carrier-zones");
  await page.goto(`${hub.url}/carriers/${id}?tab=quote&from=07114&to=90210&weight=3&unit=lb&residential=yes`);
  await page.getByText("Cheapest").waitFor();
  await checkPage(page, "carrier-quote");
  await page.goto(`${hub.url}/carriers`);
  await page.getByRole("link", { name: "National contract" }).waitFor();
  await checkPage(page, "carriers");
});

test("a concurrent change shows both versions and loses no input", async () => {
  const { page } = person;
  const { body } = await org.get("/carrier-accounts?search=National");
  const { id } = body.data[0];
  await page.goto(`${hub.url}/carriers/${id}`);
  await page.getByLabel("Description").fill("Renewed in May");
  await org.patch(`/carrier-accounts/${id}`, { description: "Renewed in June" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const both = page.getByRole("alert");
  await both.getByText("Renewed in June").waitFor();
  await checkPage(page, "carrier-conflict");
  await both.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(async () => (await org.get(`/carrier-accounts/${id}`)).body.description).toBe("Renewed in May");
  await page.getByRole("button", { name: "Add a name" }).click();
  await page.getByLabel("Name in the order 1").fill("UPS Ground");
  await page.getByLabel("Service of the card 1").fill("GROUND");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect
    .poll(async () => (await org.get(`/carrier-accounts/${id}`)).body.serviceAliases)
    .toEqual({ "UPS Ground": "GROUND" });
});

test("pickup rules of the account override the defaults of the carrier", async () => {
  const { page } = person;
  const { id } = (await org.get("/carrier-accounts?search=National")).body.data[0];
  const rules = page.getByRole("region", { name: "Pickup rules" });
  await rules.getByLabel("Same-day cut-off").fill("13:30");
  await rules.getByRole("checkbox", { name: "Saturday" }).click();
  await rules.getByLabel("Latest close time").fill("07:00");
  // A concurrent change of another field is not a conflict.
  await org.patch(`/carrier-accounts/${id}`, { description: "Renewed in July" });
  await rules.getByRole("button", { name: "Save pickup rules" }).click();
  await rules.getByText(/must be after earliestReadyTime/).waitFor();
  await rules.getByLabel("Latest close time").fill("18:00");
  await rules.getByLabel("Maximum packages").fill("");
  await rules.getByRole("button", { name: "Save pickup rules" }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await expect.poll(() => rules.getByLabel("Maximum packages").inputValue()).toBe("99");
  const { body } = await org.get(`/carrier-accounts/${id}`);
  expect(body.description).toBe("Renewed in July");
  expect(body.pickupRules).toMatchObject({
    cutoffLocalTime: "13:30",
    latestCloseTime: "18:00",
    serviceDays: [1, 2, 3, 4, 5, 6],
  });
  await checkPage(page, "carrier");
});
