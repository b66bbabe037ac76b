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
  await page.getByRole("button", { name: "New account" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New carrier account" });
  await dialog.getByLabel("Name").fill("Ground contract");
  await dialog.getByLabel("Carrier").click();
  await page.getByRole("option", { name: /rate card/i }).click();
  await dialog.getByRole("button", { name: "Make it" }).click();
  await page.getByText("No rate card yet.").waitFor();
  const prices = "service,weight,2,5,8\nGROUND,1,9.50,11.20,12.40\nGROUND,5,11,14,17.50\nGROUND,10,13,18,24\n";
  await page.getByLabel("Upload a rate card").setInputFiles(file("Ground 2026.csv", prices));
  const upload = page.getByRole("dialog", { name: "Prices of Ground 2026.csv" });
  await upload.getByLabel("Counts from").fill("2026-01-01");
  await upload.getByLabel(/^Fuel/).fill("10");
  await upload.getByRole("button", { name: "Upload" }).click();
  await page.getByText("in effect").waitFor();
  await page.getByRole("table", { name: "Prices by weight and zone" }).getByText("$17.50").waitFor();
  await page.getByRole("link", { name: "Quote" }).click();
  await page.getByLabel("From ZIP").fill("07114");
  await page.getByLabel("To ZIP").fill("90210");
  await page.getByLabel("Weight").fill("3");
  await page.getByRole("button", { name: "Price it" }).click();
  // Zone 8, up to 5 lb: 17.50, and 10 % fuel.
  await page
    .getByRole("region", { name: /GROUND/i })
    .first()
    .getByText("$19.25")
    .waitFor();
  await page.getByText(/10 % of 17.50/).waitFor();
  expect(page.url()).toContain("from=07114&to=90210&weight=3");
});

test("rate cards with charts, zones from a file, and the list", async () => {
  const { page } = person;
  const id = await seedContract(org, "National contract");
  await page.goto(`${hub.url}/carriers/${id}?tab=cards`);
  await page.getByRole("img", { name: /^Price by weight: zone 2/ }).waitFor();
  await page.getByText("2.10, to homes").waitFor();
  await checkPage(page, "carrier-cards");
  await page.getByRole("button", { name: "Take out of use: National 2026" }).click();
  await page.getByText("draft", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Put into effect: National 2026" }).click();
  await page.getByText("in effect").waitFor();
  await page.getByRole("link", { name: "Zones" }).click();
  const chart = "destination,zone\n900-902,8\n100-104,2\n";
  await page.getByLabel("Choose a CSV file").setInputFiles(file("Newark.csv", chart));
  await page.getByText("Name the origin").first().waitFor();
  await page.getByLabel("Origin of all rows (optional)").fill("070-073");
  await page.getByLabel("Choose a CSV file").setInputFiles(file("Newark.csv", chart));
  await page.getByRole("region", { name: "Zone chart", exact: true }).getByText("Newark", { exact: true }).waitFor();
  await takeScreenshot(page, "carrier-zones");
  await page.goto(`${hub.url}/carriers/${id}?tab=quote&from=07114&to=90210&weight=3&unit=lb&residential=yes`);
  await page.getByText("cheapest").waitFor();
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
  await both.getByRole("button", { name: "Save mine over it" }).click();
  await expect.poll(async () => (await org.get(`/carrier-accounts/${id}`)).body.description).toBe("Renewed in May");
  await page.getByRole("button", { name: "Add a name" }).click();
  await page.getByLabel("Their name 1").fill("UPS Ground");
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
  await rules.getByLabel("If it is asked for before").fill("13:30");
  await rules.getByRole("checkbox", { name: "Saturday" }).click();
  await rules.getByLabel("Comes until").fill("07:00");
  // A concurrent change of another field is not a conflict.
  await org.patch(`/carrier-accounts/${id}`, { description: "Renewed in July" });
  await rules.getByRole("button", { name: "Save the rules" }).click();
  await rules.getByText(/must be after earliestReadyTime/).waitFor();
  await rules.getByLabel("Comes until").fill("18:00");
  await rules.getByLabel("Packages, at most").fill("");
  await rules.getByRole("button", { name: "Save the rules" }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await expect.poll(() => rules.getByLabel("Packages, at most").inputValue()).toBe("99");
  const { body } = await org.get(`/carrier-accounts/${id}`);
  expect(body.description).toBe("Renewed in July");
  expect(body.pickupRules).toMatchObject({
    cutoffLocalTime: "13:30",
    latestCloseTime: "18:00",
    serviceDays: [1, 2, 3, 4, 5, 6],
  });
  await checkPage(page, "carrier");
});
