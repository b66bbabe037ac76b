import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { writeXlsx } from "../server/src/core/csv/xlsx.ts";
import { xlsxType } from "../server/src/route.ts";
import { afterFile } from "../server/src/testing/after-file.ts";
import { shopifyHeader, shopifyLine, shopifyOrder, shopifyRow } from "../server/src/testing/shopify-export.ts";
import type { StandInShop } from "../server/src/testing/stand-in-shop.ts";
import { startStandInShop } from "../server/src/testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let shop: StandInShop;
let page: Page;

beforeAll(async () => {
  const [started, browser, opened] = await Promise.all([
    startConsoleHub(),
    openBrowser(),
    startStandInShop({ orders: 40 }),
  ]);
  [hub, shop] = [started, opened];
  afterFile(() => shop.close());
  org = await hub.org();
  ({ page } = await browser.person());
  await signIn(page, hub, org.admin);
});

/** Counts clicks; typed values do not count. */
function countClicks() {
  let clicks = 0;
  return {
    async click(role: "link" | "button", name: string | RegExp): Promise<void> {
      clicks++;
      await page
        .getByRole(role, { name, exact: typeof name === "string" })
        .first()
        .click();
    },
    count: () => clicks,
  };
}

test("journey 9: from nothing to the first import of a shop, in at most six clicks", async () => {
  const { click, count } = countClicks();
  await click("link", "Connections");
  await page.getByText("No connections yet.").waitFor();
  await takeScreenshot(page, "bridges-empty");
  await click("link", "Add connection");
  await page
    .getByText(/report shipments/)
    .first()
    .waitFor();
  await checkPage(page, "connectors");
  await click("link", "WooCommerce");
  await page.getByLabel("Shop address").fill(shop.url);
  await page.getByLabel("Consumer key").fill("ck_test");
  await page.getByLabel("Consumer secret").fill(shop.token);
  await checkPage(page, "bridge-new");
  await click("button", "Connect and test");
  await page.getByText(/Connected in/).waitFor();
  await click("button", "Import orders now");
  await page.getByText(/40 fetched, 40 created/).waitFor();
  expect(count()).toBeLessThanOrEqual(6);
  await page.getByRole("table", { name: "Recent executions" }).waitFor();
  await checkPage(page, "bridge");
  expect((await org.get("/orders?limit=1")).body.pagination.total).toBe(40);
});

test("a connection whose first test fails is a draft that says what to do; a test that succeeds activates it", async () => {
  await page.goto(`${hub.url}/bridges/new/woocommerce`);
  await page.getByLabel("Name", { exact: true }).fill("Second shop");
  await page.getByLabel("Shop address").fill(shop.url);
  await page.getByLabel("Consumer key").fill("ck_test");
  await page.getByLabel("Consumer secret").fill("cs_of_another_shop");
  await page.getByRole("button", { name: "Connect and test" }).click();
  await page.getByText(`${new URL(shop.url).host} rejected the credentials`).waitFor();
  await page.getByText("This connection is a draft, because its first test failed.").waitFor();
  // The message of the shop is behind the details.
  await page.getByRole("button", { name: "Details" }).click();
  await page.getByText("Sorry, you cannot list resources.").first().waitFor();
  await checkPage(page, "bridge-refused");
  const draft = async () => (await org.get("/bridges?search=Second")).body.data[0];
  expect((await draft()).isActive).toBe(false);
  await page.getByRole("link", { name: "Change credentials" }).click();
  await page.getByText("Credentials are stored encrypted").waitFor();
  expect(await page.getByLabel("Consumer secret").inputValue()).toBe("");
  await page.getByLabel("Consumer secret").fill(shop.token);
  await page.getByRole("button", { name: "Replace and test" }).click();
  await page.getByText(/Connected in/).waitFor();
  await page.getByText("This connection is a draft").waitFor({ state: "detached" });
  const active = await draft();
  expect(active.isActive).toBe(true);
  await page.getByRole("button", { name: "Fetch a sample" }).click();
  await page.getByText("40 records found").waitFor();
  // A host that does not exist.
  await page.goto(`${hub.url}/bridges/new/shopify`);
  await page.getByRole("combobox", { name: "Sign in with" }).click();
  await page.getByRole("option", { name: "Admin API access token" }).click();
  await page.getByLabel("Admin API access token", { exact: true }).waitFor();
  expect(await page.getByLabel("Client secret").count()).toBe(0);
  expect((await org.delete(`/bridges/${active.id}`)).status).toBe(200);
});

async function openBridge(query: string): Promise<string> {
  const { id } = (await org.get("/bridges")).body.data[0];
  await page.goto(`${hub.url}/bridges/${id}${query}`);
  return id;
}

test("a task runs with its input, and errors are shown at their fields", async () => {
  await openBridge("?tab=tasks&task=orders.import");
  const form = page.getByRole("form", { name: "Import orders" });
  await form.getByLabel(/Since/).fill("yesterday");
  await form.getByRole("button", { name: "Run now" }).click();
  await form
    .getByText(/date-time|RFC 3339|moment/i)
    .first()
    .waitFor();
  await checkPage(page, "bridge-tasks");
  await form.getByLabel(/Since/).fill("2026-01-01T00:00:00Z");
  await form.getByRole("button", { name: "Run now" }).click();
  await form.getByText(/40 fetched, 40 unchanged/).waitFor();
});

test("concurrent changes of settings are shown side by side", async () => {
  const id = await openBridge("?tab=settings");
  await page.getByLabel("Name", { exact: true }).fill("My shop");
  await org.patch(`/bridges/${id}`, { name: "Their shop", settings: { notifyCustomer: true } });
  await page.getByRole("button", { name: "Save" }).click();
  const box = page.getByRole("alert");
  await box.getByText("Their shop").waitFor();
  await box.getByText("My shop").waitFor();
  await takeScreenshot(page, "bridge-conflict");
  await box.getByRole("button", { name: "Save mine" }).click();
  await page.getByRole("heading", { name: "Connections My shop" }).waitFor();
  const saved = (await org.get(`/bridges/${id}`)).body;
  expect([saved.name, saved.settings.url]).toEqual(["My shop", shop.url]);
});

/** Four orders in Shopify's format: valid, without quantity, with an invalid price, and one that exists. */
function shopifyExport(): string {
  const order = (number: string, cells: Record<string, string>): string =>
    shopifyRow({ ...shopifyOrder, Name: number, Id: number.replace("#", "555"), ...cells });
  return [
    shopifyHeader,
    order("#7001", shopifyLine("Mug", "2", "MUG-1")),
    shopifyRow({ Name: "#7001", Email: "ann@example.com", ...shopifyLine("Poster", "1", "POS-1") }),
    order("#7002", { ...shopifyLine("Mug", "none", "MUG-1"), Email: "bob@example.com" }),
    order("#7003", { ...shopifyLine("Mug", "1", "MUG-1"), "Lineitem price": "a lot" }),
    order("#7004", shopifyLine("Mug", "1", "MUG-1")),
  ].join("\n");
}

test("a shop's export is detected, previewed, corrected and imported; rejected rows come back as a file", async () => {
  await org.post("/orders", { number: "#7004" });
  await page.goto(`${hub.url}/orders`);
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByText("Exports of Shopify").waitFor();
  const file = { name: "july.csv", mimeType: "text/csv", buffer: Buffer.from(shopifyExport()) };
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file);
  await page
    .getByText("Detected as Shopify: orders export, by the columns Name, Lineitem name, and Lineitem quantity.")
    .waitFor();
  const rejected = page.getByRole("table", { name: "Rejected rows" });
  await rejected.getByRole("row", { name: /4 Lineitem quantity Not a number/ }).waitFor();
  await rejected.getByRole("row", { name: /6 Name Order number taken/ }).waitFor();
  await page.getByRole("button", { name: "Import 1 order" }).waitFor();
  await checkPage(page, "order-import");
  // Show the unmapped columns and map one of them.
  await page.getByRole("button", { name: /^Show \d+ unused columns/ }).click();
  await page.getByRole("button", { name: "Field for Accepts Marketing: Not imported" }).click();
  await page.getByPlaceholder("Type to find").fill("newsletter");
  await page.getByRole("option", { name: "Custom field: newsletter" }).click();
  await page.getByLabel("If the order number exists").click();
  await page.getByRole("option", { name: "Update the order" }).click();
  await page.getByRole("button", { name: "Import 2 orders" }).click();
  await page.getByLabel("Result").getByText("Rejected").waitFor();
  await takeScreenshot(page, "order-import-done");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download rejected rows" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("july-rejected.csv");
  const kept = await text(await saved.createReadStream());
  expect([kept.includes("#7002"), kept.includes("#7003"), kept.includes("#7004")]).toEqual([true, true, false]);
  const order = (await org.get(`/orders/${encodeURIComponent("#7001")}`)).body;
  expect(order.lines.map(({ sku }: { sku: string }) => sku)).toEqual(["MUG-1", "POS-1"]);
  expect(order.customFields).toEqual({ newsletter: "no" });
});

test("an unknown spreadsheet is mapped by hand, and the mapping is saved for the next one", async () => {
  async function* rows() {
    yield [["Tilausnro", "Tuote", "Kpl", "Kaupunki", "Pvm"]];
    yield [
      ["N-1", "MUG", 2, "Ulm", "03/02/2026"],
      ["N-2", "TEE", 1, "Köln", "04/02/2026"],
    ];
  }
  const buffer = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Juli", portions: rows() }])));
  const file = { name: "juli.xlsx", mimeType: xlsxType, buffer };
  await page.goto(`${hub.url}/orders/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file);
  await page.getByText("Unknown format.").waitFor();
  await page.getByText("0 of 5 imported").waitFor();
  const says = async (column: string, typed: string, name: string): Promise<void> => {
    await page.getByRole("button", { name: `Field for ${column}: Not imported` }).click();
    await page.getByPlaceholder("Type to find").fill(typed);
    await page.getByRole("option", { name }).first().click();
    await page.getByRole("button", { name: `Field for ${column}: ${name}` }).waitFor();
  };
  await says("Tilausnro", "order number", "Order number");
  await says("Tuote", "sku", "Line: SKU");
  await says("Kpl", "line: quantity", "Line: quantity");
  await says("Kaupunki", "ship to: city", "Ship to: city");
  await says("Pvm", "ordered", "Ordered on");
  await page.getByText("03/02/2026 was read as 2026-03-02. Set the date order on the left").waitFor();
  await page.getByRole("button", { name: "Encoding, number and date formats" }).click();
  await page.getByLabel("Date order").click();
  await page.getByRole("option", { name: "Day first" }).click();
  await page.getByText("was read as 2026-03-02").waitFor({ state: "detached" });
  await takeScreenshot(page, "order-import-by-hand");
  await page.getByRole("button", { name: "Save as preset" }).click();
  await page.getByLabel("Preset name").fill("Lager Nord");
  await page.keyboard.press("Enter");
  await page.getByText("Saved preset. Other columns are matched by name.").waitFor();
  await page.getByRole("button", { name: "Import 2 orders" }).click();
  await page.getByText("All rows were imported.").waitFor();
  const order = (await org.get("/orders/N-1")).body;
  expect(order).toMatchObject({ orderedAt: "2026-02-03T00:00:00.000Z", shippingAddress: { city: "Ulm" } });
  await page.getByLabel("Another file").setInputFiles(file);
  await page.getByText("0 of 5 imported").waitFor();
  await page.getByLabel("Preset", { exact: true }).click();
  await page.getByRole("option", { name: "Lager Nord" }).click();
  await page.getByText("all 5 imported").waitFor();
  await page.getByRole("table", { name: "Rejected rows" }).getByText("Order number taken").first().waitFor();
});

test("a long import shows its progress and cannot be started twice", async () => {
  const lines = Array.from({ length: 9_000 }, (_, at) => `L-${at},MUG,1`);
  const buffer = Buffer.from(["Order Number,SKU,Quantity", ...lines].join("\n"));
  await page.goto(`${hub.url}/orders/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles({ name: "long.csv", mimeType: "text/csv", buffer });
  const button = page.getByRole("button", { name: "Import 9,000 orders" });
  await button.click();
  // Both at one moment: the import can end between two looks.
  await page
    .getByRole("main")
    .filter({ has: page.getByText(/^[1-9],000 of 9,000 rows/) })
    .filter({ has: button.and(page.locator("[aria-disabled=true]")) })
    .waitFor();
  await page.getByText("All rows were imported.").waitFor();
  expect((await org.get("/orders/counts?search=L-8999")).body.total).toBe(1);
});

test("damaged cells are listed, and a strict import rejects the whole file", async () => {
  const rows = ["number,sku,quantity,currency,price,zip", "Z-1,MUG,1,USD,5,02108", "Z-2,12-Mar,1,USD,5,1067"];
  const buffer = Buffer.from(rows.join("\n"));
  await page.goto(`${hub.url}/orders/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles({ name: "zip.csv", mimeType: "text/csv", buffer });
  const damaged = page.getByRole("table", { name: "Damaged cells" });
  await damaged.getByRole("row", { name: /^3 zip/ }).waitFor();
  await damaged.getByRole("row", { name: /^3 sku/ }).waitFor();
  await page.getByRole("button", { name: "Import 2 orders" }).waitFor();
  await page.getByRole("switch", { name: "Strict import" }).click();
  const rejected = page.getByRole("table", { name: "Rejected rows" });
  await rejected.getByRole("row", { name: /^3 sku Looks like date/ }).waitFor();
  await checkPage(page, "order-import-strict");
  const button = page.getByRole("button", { name: "Import 0 orders" });
  expect(await button.getAttribute("aria-disabled")).toBe("true");
  expect((await org.get("/orders/counts?search=Z-1")).body.total).toBe(0);
});
