import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { importFields } from "../console/src/features/orders/order-import.text.ts";
import { afterFile } from "../server/src/testing/after-file.ts";
import type { StandInShop } from "../server/src/testing/stand-in-shop.ts";
import { startStandInShop } from "../server/src/testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { lookAt, openBrowser, signIn, startConsoleHub, takePicture } from "./console-hub.ts";

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

/** Clicks as a person makes them; fields that are filled in are values. */
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

test("journey 9: from nothing to the first import of a shop, in at most ten clicks", async () => {
  const { click, count } = countClicks();
  await click("link", "Bridges");
  await page.getByText("Nothing is connected yet.").waitFor();
  await takePicture(page, "bridges-empty");
  await click("link", "New bridge");
  await page
    .getByText(/report shipments/)
    .first()
    .waitFor();
  await lookAt(page, "connectors");
  await click("link", "WooCommerce");
  await page.getByLabel("Shop address").fill(shop.url);
  await page.getByLabel("Consumer key").fill("ck_test");
  await page.getByLabel("Consumer secret").fill("cs_of_another_shop");
  await lookAt(page, "bridge-new");
  await click("button", "Connect and test");
  // What the shop says, word for word, and where to mend it.
  await page.getByText("Sorry, you cannot list resources.").first().waitFor();
  await takePicture(page, "bridge-refused");
  await click("link", "Credentials");
  await page.getByText("Credentials are stored, sealed.").waitFor();
  expect(await page.getByLabel("Consumer secret").inputValue()).toBe("");
  await page.getByLabel("Consumer secret").fill(shop.token);
  await click("button", "Replace and test");
  await page.getByText(/It answers, within/).waitFor();
  await click("button", "Pull a sample");
  await page.getByText("40 records there").waitFor();
  expect((await org.get("/orders?limit=1")).body.pagination.total).toBe(0);
  await click("button", "Import orders now");
  await page.getByText(/40 fetched, 40 created/).waitFor();
  expect(count()).toBeLessThanOrEqual(10);
  await page.getByRole("table", { name: "Last executions" }).waitFor();
  await lookAt(page, "bridge");
  expect((await org.get("/orders?limit=1")).body.pagination.total).toBe(40);
});

async function openBridge(query: string): Promise<string> {
  const { id } = (await org.get("/bridges")).body.data[0];
  await page.goto(`${hub.url}/bridges/${id}${query}`);
  return id;
}

test("a task is run with what it asks for, and what is wrong stands at its field", async () => {
  await openBridge("?tab=tasks&task=orders.import");
  const form = page.getByRole("form", { name: "Import orders" });
  await form.getByLabel(/Since/).fill("yesterday");
  await form.getByRole("button", { name: "Run now" }).click();
  await form
    .getByText(/date-time|RFC 3339|moment/i)
    .first()
    .waitFor();
  await lookAt(page, "bridge-tasks");
  await form.getByLabel(/Since/).fill("2026-01-01T00:00:00Z");
  await form.getByRole("button", { name: "Run now" }).click();
  await form.getByText(/40 fetched, 40 unchanged/).waitFor();
});

test("settings that somebody else changed meanwhile are shown beside one's own", async () => {
  const id = await openBridge("?tab=settings");
  await page.getByLabel("Name", { exact: true }).fill("My shop");
  await org.patch(`/bridges/${id}`, { name: "Their shop", settings: { notifyCustomer: true } });
  await page.getByRole("button", { name: "Save" }).click();
  const box = page.getByRole("alert");
  await box.getByText("Their shop").waitFor();
  await box.getByText("My shop").waitFor();
  await takePicture(page, "bridge-conflict");
  await box.getByRole("button", { name: "Save mine over it" }).click();
  await page.getByRole("heading", { name: "Bridges My shop" }).waitFor();
  const saved = (await org.get(`/bridges/${id}`)).body;
  expect([saved.name, saved.settings.url]).toEqual(["My shop", shop.url]);
});

const file = (text: string) => ({ name: "july.csv", mimeType: "text/csv", buffer: Buffer.from(text) });

test("a file is looked at before it is imported; what is wrong with it comes back as a file", async () => {
  await page.goto(`${hub.url}/orders`);
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByText("One row per line of an order").waitFor();
  const rows = [
    "Order Number,Artikel,Qty,Ship City",
    "J-1,MUG-01,2,Albany",
    "J-1,TEE-02,1,Albany",
    "J-2,MUG-01,many,Reno",
  ];
  await page.getByLabel("Choose a CSV file").setInputFiles(file(rows.join("\n")));
  await page.getByText("1 column not read").waitFor();
  await page.getByLabel("Field of Artikel").fill("line.sku");
  await page.keyboard.press("Enter");
  await page.getByText("all 4 are read").waitFor();
  await page.getByRole("region", { name: "What is wrong" }).first().getByText("Qty").waitFor();
  await lookAt(page, "order-import");
  await page.getByRole("button", { name: "Import 1 order" }).click();
  await page.getByText("1 created").waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Rejected rows as CSV" }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe("july-rejected.csv");
  expect(await text(await saved.createReadStream())).toContain("J-2");
  const order = (await org.get("/orders/J-1")).body;
  expect(order.lines.map(({ sku }: { sku: string }) => sku)).toEqual(["MUG-01", "TEE-02"]);
});

test("every field that is offered for a column is one that the hub knows", async () => {
  const columns = importFields.map((_, at) => `Column ${at}`);
  const mapping = Object.fromEntries(columns.map((column, at) => [column, importFields[at]]));
  const { status, body } = await org.post("/orders/import", { csv: `${columns.join(",")}\n`, mapping, dryRun: true });
  expect([status, body.columns.map(({ field }: { field: string }) => field)]).toEqual([200, importFields]);
});
