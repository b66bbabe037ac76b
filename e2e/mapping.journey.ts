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
const output = () => page.getByRole("region", { name: "Output" });

test("a mapping is edited between source and output, and tested while typing", async () => {
  await page.getByRole("link", { name: "Map fields" }).click();
  await page.getByText("Get a sample to start.").waitFor();
  await page.getByRole("button", { name: "Fetch a sample" }).click();
  await page.getByRole("button", { name: /^number/ }).waitFor();
  await page.getByRole("button", { name: "Suggest rows" }).click();
  await output().getByText("shippingAddress").first().waitFor();
  await takeScreenshot(page, "mapping-new");

  // An unknown path has a suggestion.
  await inRow("Row 1: source").fill("$.custmer_note");
  await page.getByRole("button", { name: "Use $.customer_note" }).click();
  await expect.poll(() => inRow("Row 1: source").inputValue()).toBe("$.customer_note");

  await page.getByRole("button", { name: "Save and activate", exact: true }).click();
  await page.getByRole("heading", { name: /Field mappings/ }).waitFor();
  await page.getByText("version 1").waitFor();
  id = (await org.get("/transformations")).body.data[0].id;
});

test("input survives a reload, and properties without a field are kept", async () => {
  await page.goto(`${hub.url}/transformations/${id}`);
  await page.getByRole("button", { name: "Fetch a sample" }).click();
  await page.getByRole("button", { name: /^number/ }).click();
  const added = page.getByRole("listitem").filter({ has: page.getByLabel(/: target/) });
  await added.last().waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Discard changes" }).waitFor();

  await page.getByRole("button", { name: "Edit as JSON" }).click();
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
  await page.getByRole("button", { name: "Edit as rows" }).click();
  await page.getByRole("button", { name: "Fetch a sample" }).click();
  await page.getByText("prefix W, fromTomorrow").waitFor();
  // The hub's error is shown at the row.
  await page
    .getByText(/fromTomorrow|unknown|not known|no such/i)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Row 1: details", exact: true }).click();
  await page.getByText("The form has no field for this option; edit it as JSON.").waitFor();
  await checkPage(page, "mapping");
  await page.getByRole("button", { name: "Edit as JSON" }).click();
  await page.getByText("fromTomorrow").first().waitFor();
});

test("a concurrent change is shown side by side; versions can be restored; a replay shows what would differ", async () => {
  const mappings = [{ source: "$.number", target: "number", transforms: [{ prefix: "X-" }] }];
  await org.patch(`/transformations/${id}`, { mappings });
  // The row with an unknown property is not complete: it can be saved as a draft only.
  await page.getByRole("switch", { name: "Active" }).click();
  await page.getByRole("button", { name: "Save", exact: false }).first().click();
  await page.getByText("Another user changed this while you were typing.").waitFor();
  await page.getByRole("region", { name: "Theirs and mine" }).waitFor();
  await takeScreenshot(page, "mapping-conflict");
  await page.getByRole("button", { name: "Use theirs" }).click();
  await page.getByText("version 2").waitFor();

  await org.post("/tasks/execute-sync", { bridgeId, taskName: "orders.import" });
  await org.patch(`/transformations/${id}`, { mappings: [{ source: "$.number", target: "number" }] });
  await page.goto(`${hub.url}/transformations/${id}?tab=versions`);
  await page.getByRole("region", { name: "Changes of version 3" }).waitFor();
  await checkPage(page, "mapping-versions");
  await page.goto(`${hub.url}/transformations/${id}?tab=replay`);
  await page.getByRole("button", { name: "Replay version 3" }).click();
  await page.getByText("Record 1: number").first().waitFor();
  await takeScreenshot(page, "mapping-replay");
  await page.goto(`${hub.url}/transformations/${id}?tab=versions&version=2`);
  await page.getByRole("button", { name: "Restore this version" }).click();
  await page.getByText("version 4").first().waitFor();
  expect((await org.get(`/transformations/${id}`)).body.mappings).toEqual(
    (await org.get(`/transformations/${id}/versions`)).body.data.find((one: { version: number }) => one.version === 2)
      .mappings,
  );
  await page.goto(`${hub.url}/transformations`);
  await page.getByRole("table", { name: "Field mappings" }).waitFor();
  await checkPage(page, "transformations");
});

test("targets are chosen from the known fields, and an incomplete mapping is not activated", async () => {
  const demo = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id as string;
  await page.goto(`${hub.url}/transformations/new?bridgeId=${demo}&taskName=orders.import`);
  const active = page.getByRole("switch", { name: "Active" });
  await page.getByText("There are no rows yet. Add a row for each field to fill.").first().waitFor();
  await expect.poll(() => active.getAttribute("aria-checked")).toBe("false");
  await page.getByRole("button", { name: "Paste a sample" }).click();
  const sample = { order_number: "A-1", email: "ada@example.com", Positionen: [{ Artikelnummer: "MUG", Menge: 2 }] };
  await page.getByLabel("One record as JSON").fill(JSON.stringify(sample));
  await page.getByRole("button", { name: "Use this sample" }).click();
  await page.getByRole("button", { name: "Add row", exact: true }).click();
  await inRow("Row 1: source").fill("$.order_number");
  const target = page.getByRole("button", { name: /^Row 1: target/ });
  const type = async (typed: string): Promise<void> => {
    await target.click();
    await page.getByPlaceholder("Type to find").fill(typed);
  };
  // The list says what each field takes.
  await type("shipping address: zip");
  await page.getByRole("option", { name: /Shipping address: ZIP/ }).waitFor();
  await page.getByPlaceholder("Type to find").fill("nu");
  await page.getByRole("option", { name: "nu", exact: true }).click();
  await page.getByText("An order has no field nu. Did you mean number?").waitFor();
  const verdict = page.getByRole("region", { name: "Result" });
  await verdict.getByText("Incomplete", { exact: true }).waitFor();
  await checkPage(page, "mapping-wrong-target");
  await page.getByRole("button", { name: "Use number" }).click();
  await page.getByRole("button", { name: "Row 1: target: Number" }).waitFor();
  await page.getByText("text, such as 1001").waitFor();
  await verdict.getByText("Complete", { exact: true }).waitFor();
  await expect.poll(() => active.getAttribute("aria-checked")).toBe("true");
  // A list without one of its required fields.
  await page.getByRole("button", { name: /^Positionen/ }).click();
  await page.getByRole("button", { name: /^Row 2: target/ }).click();
  await page.getByPlaceholder("Type to find").fill("lines");
  await page.getByRole("option", { name: /^Lines/ }).click();
  await page.getByText("Each of lines needs sku, and no row fills it.").first().waitFor();
  await expect.poll(() => active.getAttribute("aria-checked")).toBe("false");
  await page.getByRole("button", { name: "Save as draft" }).waitFor();
  await page.getByRole("button", { name: "Row 2: remove" }).click();
  await page.getByRole("button", { name: "Suggest rows" }).click();
  await page.getByRole("button", { name: "Inner row 2: target: Quantity" }).waitFor();
  await page.getByText("number, such as 2, required").waitFor();
  await takeScreenshot(page, "mapping-suggested");
  await page.getByRole("button", { name: "Save and activate" }).click();
  await page.getByText("version 1").waitFor();
  const [saved] = (await org.get(`/transformations?bridgeId=${demo}`)).body.data;
  expect(saved).toMatchObject({ isActive: true });
  // The hub itself refuses an unknown target.
  const refused = await org.patch(`/transformations/${saved.id}`, { mappings: [{ source: "a", target: "nu" }] });
  expect(refused.body.errors).toMatchObject([{ code: "unknown_target", suggestion: "number" }]);
});
