import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";
import { invoiceCsv, seedContract } from "./seed-parcels.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

const money = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });

/** The contract of the seed with other prices: dearer near, cheaper far away. */
async function seedOffer(name: string): Promise<void> {
  const id = await seedContract(org, name);
  const listed = await org.get(`/carrier-accounts/${id}/rate-cards`);
  const { body } = await org.get(`/carrier-accounts/${id}/rate-cards/${listed.body.data[0].id}`);
  for (const service of body.card.services)
    for (const [zone, prices] of Object.entries(service.rates as Record<string, number[]>))
      service.rates[zone] = prices.map((price) => Math.round(price * (1.14 - Number(zone) * 0.03) * 100) / 100);
  const card = { ...body.card, name: "Offer 2027", effectiveFrom: "2021-01-01" };
  const uploaded = await org.post(`/carrier-accounts/${id}/rate-cards`, { card });
  if (uploaded.status !== 201) throw new Error(uploaded.text);
}

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await seedContract(org, "National contract");
  await seedOffer("Regional offer");
  await signIn(person.page, hub, org.admin, "/rates/new");
});

const idOfShown = (): string => /rates\/([0-9a-f-]{36})/.exec(person.page.url())![1]!;
const mixOf = async () => (await org.get(`/rate-comparisons/${idOfShown()}/mix`)).body;

test("an invoice is compared with two contracts at once", async () => {
  const { page } = person;
  const csv = invoiceCsv(400).replace("Parcel,Billed", "Tracking Number,Net Charge");
  const file = { name: "quarter.csv", mimeType: "text/csv", buffer: Buffer.from(csv) };
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file);
  await page.getByRole("combobox", { name: "Compare with" }).click();
  await page.getByRole("option", { name: "National contract" }).click();
  await page.getByRole("button", { name: "Compare with several contracts" }).click();
  await page.getByRole("checkbox", { name: "Regional offer" }).click();
  await page.getByRole("button", { name: "Compare 400 items" }).click();
  const matrix = page.getByRole("table", { name: "Contracts" });
  await matrix.getByRole("cell", { name: "Best mix" }).waitFor();
  const mix = await mixOf();
  for (const { targetCost } of mix.targets)
    await matrix
      .getByRole("cell", { name: money.format(targetCost), exact: true })
      .first()
      .waitFor();
  await page.getByLabel("Costs of the mixes").getByText(money.format(mix.bestMix.cost), { exact: true }).waitFor();
  await page.getByRole("table", { name: "Cost by zone" }).getByText("Total").waitFor();
  await checkPage(page, "rate-contracts");
});

test("a scenario with terms, a rule and a commitment is saved beside the contracts", async () => {
  const { page } = person;
  await page.getByRole("button", { name: "New scenario" }).click();
  const dialog = page.getByRole("dialog", { name: "New scenario" });
  await dialog.getByLabel("Name").fill("Increase of 2027");
  await dialog.getByLabel("General increase, %").fill("5.9");
  await dialog.getByRole("button", { name: "Surcharges" }).click();
  await dialog.getByLabel("RESI, % more").fill("ten");
  await dialog.getByRole("button", { name: "Save scenario" }).hover();
  await page.getByText("ten is not a number.").first().waitFor();
  await dialog.getByLabel("RESI, % more").fill("10");
  await dialog.getByRole("button", { name: "Add rule" }).click();
  await dialog.getByRole("combobox", { name: "Rule 1: contract" }).click();
  await page.getByRole("option", { name: "Regional offer" }).click();
  await dialog.getByLabel("Paid carriers").fill("UPS, USPS");
  await dialog.getByLabel("Zones").fill("2, 3, 4");
  await dialog.getByLabel("Up to, lb").fill("10");
  await dialog.getByRole("button", { name: "Commitments" }).click();
  await dialog.getByLabel("National contract: minimum parcels").fill("300");
  await checkPage(page, "rate-scenario-form");
  await dialog.getByRole("button", { name: "Save scenario" }).click();
  await page.getByRole("table", { name: "Mix by rules" }).getByText("1. Regional offer").waitFor();
  await page.getByRole("table", { name: "Commitments" }).getByText("Met").waitFor();
  const [saved] = (await org.get(`/rate-comparisons/${idOfShown()}/scenarios`)).body.data;
  expect(saved).toMatchObject({
    terms: [{ increasePercent: 5.9, surchargePercents: { RESI: 10 } }],
    rules: [{ target: 2, carriers: ["UPS", "USPS"], zones: ["2", "3", "4"], weightUpTo: { value: 10, unit: "lb" } }],
    commitments: [{ target: 1, minParcels: 300 }],
  });
  const row = page.getByRole("table", { name: "Scenarios" }).getByRole("row", { name: /Increase of 2027/ });
  await row.getByText(money.format(saved.result.bestMix.cost), { exact: true }).waitFor();
  await row.getByText(money.format(saved.result.committedMix.cost), { exact: true }).waitFor();
  await checkPage(page, "rate-scenario");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Prices of all contracts as CSV" }).click();
  expect((await download).suggestedFilename()).toBe(`rate-comparison-${idOfShown()}-mix.csv`);
});

test("a scenario that is outdated is run again, and deleted", async () => {
  const { page } = person;
  await page.getByRole("button", { name: "Process again" }).click();
  await page.getByText("outdated").waitFor();
  await page.getByRole("button", { name: "Run again" }).click();
  await page.getByText("outdated").waitFor({ state: "detached" });
  await page.getByRole("table", { name: "Scenarios" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete scenario" }).click();
  await page.getByRole("table", { name: "Mix by rules" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Summary of National contract" }).click();
  await page.getByText("paid for 400 items").waitFor();
});

test("a viewer sees the contracts, and why no scenario can be saved", async () => {
  const viewer = await org.withRole("viewer");
  const { email } = (await viewer.get("/me")).body.actor as { email: string };
  const browser = await openBrowser();
  const { page } = await browser.person();
  const path = new URL(person.page.url()).pathname;
  await signIn(page, hub, { ...org.admin, email }, path);
  await page.getByRole("table", { name: "Contracts" }).waitFor();
  const button = page.getByRole("button", { name: "New scenario" });
  expect(await button.getAttribute("aria-disabled")).toBe("true");
});
