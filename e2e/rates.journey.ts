import { beforeAll, expect, test } from "vitest";
import { writeXlsx } from "../server/src/core/csv/xlsx.ts";
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
  clicks++;
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(invoice(400));
  await page.getByText("Choose the column for “Tracking number” and “Amount paid”").waitFor();
  // The mapping of a header is remembered.
  for (const [column, field] of [
    ["Parcel", "Tracking number"],
    ["Billed", "Amount paid"],
  ]) {
    await page.getByLabel(`What ${column} is`).click();
    await page.getByRole("option", { name: new RegExp(`^${field}`) }).click();
  }
  await page.getByText("not a number").first().waitFor();
  await page.getByRole("button", { name: "Compare 400 items" }).waitFor();
  await page.getByRole("table", { name: "First rows as imported" }).getByText("Newark NJ 07114").first().waitFor();
  await checkPage(page, "rates-mapping");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download rejected rows" }).click();
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
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(invoice(5));
  await page.getByText("The columns are mapped as in your last file").waitFor();
  await page.getByRole("button", { name: "Compare 5 items" }).waitFor();
});

test("a spreadsheet is priced as a CSV file is, and one that cannot be read says so", async () => {
  const { page } = person;
  const book = (buffer: Buffer) => ({ name: "july.xlsx", mimeType: "application/zip", buffer });
  await page.goto(`${hub.url}/rates/new`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(book(Buffer.from("PK\u0003\u0004 ...")));
  await page.getByRole("alert").getByText("It cannot be unpacked.").first().waitFor();
  const cells = invoiceCsv(6)
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
  async function* portions() {
    yield cells;
  }
  const workbook = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "July", portions: portions() }])));
  await page.getByLabel("Another file").setInputFiles(book(workbook));
  await page.getByRole("button", { name: "Compare 6 items" }).click();
  await page.getByText("paid for 6 items").waitFor();
  const [comparison] = (await org.get("/rate-comparisons?search=july")).body.data;
  expect(comparison).toMatchObject({ name: "july", itemCount: 6 });
  expect((await org.delete(`/rate-comparisons/${comparison.id}`)).status).toBe(200);
});

test("a scenario changes fuel and discount by slider, and returns to the contract", async () => {
  const { page } = person;
  const { id } = (await org.get("/rate-comparisons")).body.data[0];
  await page.goto(`${hub.url}/rates/${id}`);
  const fuel = page.getByRole("slider", { name: "Fuel" });
  await page.getByText("14 %, as in the contract").waitFor();
  await fuel.press("End");
  await page.getByText(/Would pay .* more than with the contract unchanged/).waitFor();
  await page.waitForURL(/fuel=40/);
  const { totals } = (await org.get(`/rate-comparisons/${id}/summary?fuelPercent=40`)).body;
  const shown = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(totals.targetCost);
  await page.getByLabel("Totals", { exact: true }).getByText(shown, { exact: true }).waitFor();
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
  const bar = page.getByRole("search", { name: "Filters" });
  const addFilter = async (title: string, option: string): Promise<void> => {
    await bar.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("button", { name: title, exact: true }).click();
    await page.getByRole("button", { name: option, exact: true }).click();
  };
  const countOf = async (query: string): Promise<number> =>
    (await org.get(`/rate-comparisons/${id}/items?limit=1&${query}`)).body.pagination.total;
  await addFilter("Address", "Residential");
  const homes = await countOf("residential=true");
  expect(homes).toBeLessThan(400);
  await page.getByText(`of ${homes} items`).waitFor();
  await addFilter("Service of the contract", "2DAY");
  const fast = await countOf("residential=true&targetService=2DAY");
  expect(fast).toBeLessThan(homes);
  await page.getByText(`of ${fast} items`).waitFor();
  await bar.getByRole("button", { name: "Drop the filter Service of the contract 2DAY" }).click();
  await bar.getByRole("button", { name: "Drop the filter Address Residential" }).click();
  await addFilter("Price component", "Resi");
  await page.getByText(`of ${await countOf("charge=RESI")} items`).waitFor();
  await page.goto(`${hub.url}/rates/${id}?tab=items&outcome=loss&sort=savings`);
  const first = page.getByRole("button", { name: /why this price$/ }).first();
  await first.waitFor();
  const [item] = (await org.get(`/rate-comparisons/${id}/items?outcome=loss&sort=savings&limit=1`)).body.data;
  const row = page.getByRole("row").nth(1);
  await row.getByText(`${item.weight.value} ${item.weight.unit}`).first().waitFor();
  if (item.ratedWeight.value !== item.weight.value) await row.getByText(`billed ${item.ratedWeight.value}`).waitFor();
  await takeScreenshot(page, "rate-items");
  // A click anywhere in the row opens the item.
  await page.getByRole("row").nth(1).getByRole("cell").nth(1).click();
  const panel = page.getByRole("dialog");
  await panel.getByText("14 % of").waitFor();
  await panel.getByText("by distance").waitFor();
  await checkPage(page, "rate-item");
  await page.keyboard.press("Escape");
  await page.goto(`${hub.url}/rates`);
  // Exactly this name: the menu has a link "Invoices".
  await page.getByRole("main").getByRole("link", { name: "invoice", exact: true }).waitFor();
  await checkPage(page, "rates");
});
