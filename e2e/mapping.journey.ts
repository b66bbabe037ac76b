import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../server/src/testing/after-file.ts";
import { startStandInShop } from "../server/src/testing/stand-in-shop.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let page: Page;
let bridgeId: string;
let id: string;

beforeAll(async () => {
  const [started, browser, shop] = await Promise.all([
    startConsoleHub(),
    openBrowser(),
    startStandInShop({ orders: 12 }),
  ]);
  hub = started;
  afterFile(() => shop.close());
  org = await hub.org();
  const credentials = { consumerKey: "ck_test", consumerSecret: shop.token };
  const bridge = { name: "Shop", connector: "woocommerce", settings: { url: shop.url }, credentials };
  bridgeId = (await org.post("/bridges", bridge)).body.id;
  ({ page } = await browser.person());
  await signIn(page, hub, org.admin, `/bridges/${bridgeId}`);
});

const inRow = (name: string) => page.getByLabel(name, { exact: true });
const output = () => page.getByRole("region", { name: "Output" }).last();

test("a mapping is edited between source and output, and tested while typing", async () => {
  await page.getByRole("link", { name: "Map its fields" }).click();
  await page.getByText("Nothing has come yet: take one.").waitFor();
  await page.getByRole("button", { name: "Pull a sample" }).click();
  await page.getByRole("button", { name: /^number/ }).waitFor();
  await page.getByRole("button", { name: "Suggest rows" }).click();
  await output().getByText("shippingAddress").first().waitFor();
  await takeScreenshot(page, "mapping-new");

  // An unknown path has a suggestion.
  await inRow("Row 1: source").fill("$.custmer_note");
  await page.getByRole("button", { name: "Take $.customer_note" }).click();
  expect(await inRow("Row 1: source").inputValue()).toBe("$.customer_note");

  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: /Transformations/ }).waitFor();
  await page.getByText("version 1").waitFor();
  id = (await org.get("/transformations")).body.data[0].id;
});

test("input survives a reload, and properties without a field are kept", async () => {
  await page.goto(`${hub.url}/transformations/${id}`);
  await page.getByRole("button", { name: "Pull a sample" }).click();
  await page.getByRole("button", { name: /^number/ }).click();
  const added = page.getByRole("listitem").filter({ has: page.getByLabel(/: target$/) });
  await added.last().waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Put back" }).waitFor();

  await page.getByRole("button", { name: "As JSON" }).click();
  const editor = page.getByRole("textbox", { name: "Mapping as JSON" });
  await editor.click();
  await page.keyboard.press("Control+a");
  const rows = [
    { source: "$.number", target: "number", transforms: [{ prefix: "W" }], fromTomorrow: { deep: [1] } },
    {
      each: "$.line_items",
      target: "lines",
      mappings: [
        { source: "@.sku", target: "sku" },
        { source: "@.quantity", target: "quantity" },
      ],
    },
  ];
  await page.keyboard.insertText(JSON.stringify(rows));
  await page.getByRole("button", { name: "As rows" }).click();
  await page.getByRole("button", { name: "Pull a sample" }).click();
  await page.getByText("prefix W, fromTomorrow").waitFor();
  // The hub's error is shown at the row.
  await page
    .getByText(/fromTomorrow|unknown|not known|no such/i)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Row 1: details", exact: true }).click();
  await page.getByText("No field is drawn for it; it is kept as it stands here.").waitFor();
  await checkPage(page, "mapping");
  await page.getByRole("button", { name: "As JSON" }).click();
  await page.getByText("fromTomorrow").first().waitFor();
});

test("a concurrent change is shown side by side; versions can be restored; a replay shows what would differ", async () => {
  const mappings = [{ source: "$.number", target: "number", transforms: [{ prefix: "X-" }] }];
  await org.patch(`/transformations/${id}`, { mappings });
  await page.getByRole("button", { name: "Save", exact: false }).first().click();
  await page.getByText("Another user changed this while you were typing.").waitFor();
  await page.getByRole("region", { name: "Theirs and mine" }).waitFor();
  await takeScreenshot(page, "mapping-conflict");
  await page.getByRole("button", { name: "Take theirs" }).click();
  await page.getByText("version 2").waitFor();

  await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import" });
  await org.patch(`/transformations/${id}`, { mappings: [{ source: "$.number", target: "number" }] });
  await page.goto(`${hub.url}/transformations/${id}?tab=versions`);
  await page.getByRole("region", { name: "Changes of version 3" }).waitFor();
  await checkPage(page, "mapping-versions");
  await page.goto(`${hub.url}/transformations/${id}?tab=replay`);
  await page.getByRole("button", { name: "Replay version 3" }).click();
  await page.getByText("record 1: number").first().waitFor();
  await takeScreenshot(page, "mapping-replay");
  await page.goto(`${hub.url}/transformations/${id}?tab=versions&version=2`);
  await page.getByRole("button", { name: "Restore this version" }).click();
  await page.getByText("version 4").first().waitFor();
  expect((await org.get(`/transformations/${id}`)).body.mappings).toEqual(
    (await org.get(`/transformations/${id}/versions`)).body.data.find((one: { version: number }) => one.version === 2)
      .mappings,
  );
  await page.goto(`${hub.url}/transformations`);
  await page.getByRole("table", { name: "Transformations" }).waitFor();
  await checkPage(page, "transformations");
});

test("targets are checked against the order fields, and an incomplete mapping is not activated", async () => {
  const demo = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id as string;
  await page.goto(`${hub.url}/transformations/new?bridgeId=${demo}&taskName=orders.import`);
  const active = page.getByRole("switch", { name: "Active at once" });
  await page.getByText("There are no rows: nothing fills the fields of an order.").first().waitFor();
  await expect.poll(() => active.getAttribute("aria-checked")).toBe("false");
  await page.getByRole("button", { name: "Paste one" }).click();
  await page
    .getByLabel("JSON of one record")
    .fill(JSON.stringify({ order_number: "A-1", email: "ada@example.com", items: [{ sku: "MUG", qty: 2 }] }));
  await page.getByRole("button", { name: "Use it" }).click();
  await page.getByRole("button", { name: "Row", exact: true }).click();
  await inRow("Row 1: source").fill("$.order_number");
  await inRow("Row 1: target").fill("nu");
  await page.getByText("An order has no field nu.").waitFor();
  const verdict = page.getByRole("region", { name: "Output" }).first();
  await verdict.getByText("fails", { exact: true }).waitFor();
  await checkPage(page, "mapping-wrong-target");
  await page.getByRole("button", { name: "Take number" }).click();
  expect(await inRow("Row 1: target").inputValue()).toBe("number");
  await verdict.getByText("maps", { exact: true }).waitFor();
  await expect.poll(() => active.getAttribute("aria-checked")).toBe("true");
  const known = await page.locator("#target-paths option").allTextContents();
  expect(known).toEqual(expect.arrayContaining(["number", "shippingAddress.zip", "customer.email", "total"]));
  await page.getByRole("button", { name: "Suggest rows" }).click();
  await output()
    .getByText(/^lines/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("version 1").waitFor();
});
