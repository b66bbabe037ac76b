import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { invoiceCsv, seedContract } from "./seed-parcels.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

const invoice = (count: number) => ({
  name: "invoice.csv",
  mimeType: "text/csv",
  buffer: Buffer.from(invoiceCsv(count)),
});

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/rates");
});

test("journey 7: an invoice is dropped, mapped, previewed and priced with five clicks", async () => {
  const { page } = person;
  await page.getByText("No comparison yet.").waitFor();
  let clicks = 0;
  const click = async (role: "button" | "link" | "option" | "combobox", name: string | RegExp): Promise<void> => {
    clicks++;
    await page.getByRole(role, { name }).first().click();
  };
  await seedContract(org, "National contract");
  await click("link", "New comparison");
  await page.getByRole("button", { name: "Download a sample file" }).waitFor();
  await takeScreenshot(page, "rates-new");
  const book = { name: "invoice.xlsx", mimeType: "application/zip", buffer: Buffer.from("PK\u0003\u0004 ...") };
  await page.getByLabel("Choose a CSV file").setInputFiles(book);
  await page.getByText("invoice.xlsx is a spreadsheet or an archive. Save its table as CSV.").waitFor();
  clicks++;
  await page.getByLabel("Choose a CSV file").setInputFiles(invoice(400));
  await page.getByText("Say which column is “Tracking number” and “What was paid”").waitFor();
  // The mapping of a header is remembered.
  for (const [column, field] of [
    ["Parcel", "Tracking number"],
    ["Billed", "What was paid"],
  ]) {
    await page.getByLabel(`What ${column} is`).click();
    await page.getByRole("option", { name: field! }).click();
  }
  await page.getByText("not a number").first().waitFor();
  await page.getByRole("button", { name: "Compare 400 items" }).waitFor();
  await page
    .getByRole("table", { name: "First rows, as they are read" })
    .getByText("Newark NJ 07114")
    .first()
    .waitFor();
  await checkPage(page, "rates-mapping");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Rejected rows as CSV" }).click();
  expect((await download).suggestedFilename()).toBe("rejected-invoice.csv");
  await click("button", "Compare 400 items");
  await page.getByText("paid for 400 items").waitFor();
  await page.getByRole("button", { name: /^California: / }).waitFor();
  await checkPage(page, "rate");
  expect(clicks).toBeLessThanOrEqual(5);
});

test("a file with the same header reuses the last mapping", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/rates/new`);
  await page.getByLabel("Choose a CSV file").setInputFiles(invoice(5));
  await page.getByText("The columns are as you said the last time").waitFor();
  await page.getByRole("button", { name: "Compare 5 items" }).waitFor();
});

test("a scenario changes fuel and discount by slider, and returns to the contract", async () => {
  const { page } = person;
  const { id } = (await org.get("/rate-comparisons")).body.data[0];
  await page.goto(`${hub.url}/rates/${id}`);
  const fuel = page.getByRole("slider", { name: "Fuel" });
  await page.getByText("14 %, as in the contract").waitFor();
  await fuel.press("End");
  await page.getByText(/Would pay .* more than with the contract as it is/).waitFor();
  expect(page.url()).toContain("fuel=40");
  const { totals } = (await org.get(`/rate-comparisons/${id}/summary?fuelPercent=40`)).body;
  const shown = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(totals.targetCost);
  await page.getByLabel("What it comes to").getByText(shown, { exact: true }).waitFor();
  await takeScreenshot(page, "rate-what-if");
  await page.getByRole("button", { name: "As in the contract" }).click();
  await expect.poll(() => page.url()).not.toContain("fuel=");
});

test("states, zones and services link to their items, and an item explains every price line", async () => {
  const { page } = person;
  const { id } = (await org.get("/rate-comparisons")).body.data[0];
  await page.goto(`${hub.url}/rates/${id}`);
  await page.getByRole("button", { name: /^Texas: / }).click();
  await page.getByText("1 to 50 of 50 items").waitFor();
  await page.getByRole("button", { name: "Drop the filter To TX" }).click();
  await page.getByText("1 to 50 of 400 items").waitFor();
  await page.goto(`${hub.url}/rates/${id}?tab=items&outcome=loss&sort=savings`);
  const first = page.getByRole("button", { name: /why this price$/ }).first();
  await first.waitFor();
  await takeScreenshot(page, "rate-items");
  await first.click();
  const panel = page.getByRole("dialog");
  await panel.getByText("14 % of").waitFor();
  await panel.getByText("by distance").waitFor();
  await checkPage(page, "rate-item");
  await page.keyboard.press("Escape");
  await page.goto(`${hub.url}/rates`);
  await page.getByRole("link", { name: "invoice" }).waitFor();
  await checkPage(page, "rates");
});
