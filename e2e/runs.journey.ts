import { buffer } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../server/src/testing/after-file.ts";
import { startWithAccount } from "../server/src/testing/carriers/stand-in-accounts.ts";
import { readPdf } from "../server/src/testing/read-pdf.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import {
  checkPage,
  countClicks,
  openBrowser,
  signIn,
  startConsoleHub,
  takeScreenshot,
  waitForFocus,
} from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

const dock = {
  company: "Byron Mugs",
  address1: "120 Dock Road",
  city: "Austin",
  provinceCode: "TX",
  zip: "78701",
  countryCode: "US",
  phone: "5125550100",
};

beforeAll(async () => {
  const [started, browser, { standIn, account }] = await Promise.all([
    startConsoleHub(),
    openBrowser(),
    startWithAccount.easypost(),
  ]);
  hub = started;
  afterFile(() => standIn.close());
  org = await hub.org();
  expect((await org.post("/carrier-accounts", { ...account, name: "Our EasyPost" })).status).toBe(201);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

const anOrder = (number: string, more: object = {}): object => ({
  number,
  status: "ready",
  paymentStatus: "paid",
  shippingAddress: {
    name: `Customer of ${number}`,
    address1: "1 Elm Street",
    city: "Portland",
    provinceCode: "OR",
    zip: "97201",
    countryCode: "US",
  },
  lines: [{ sku: "MUG-01", name: "Mug", quantity: 1, weight: { value: 12, unit: "oz" } }],
  ...more,
});

async function selectAll(page: Page, search: string): Promise<void> {
  await page.goto(`${hub.url}/orders?search=${search}`);
  await page
    .getByRole("row", { name: new RegExp(search) })
    .first()
    .waitFor();
  await page.keyboard.press("Control+a");
}

test("74 labels are bought and printed in five clicks from the list", async () => {
  const { page } = person;
  const locationId = (await org.post("/locations", { name: "Dock", address: dock })).body.id as string;
  const orders = Array.from({ length: 74 }, (_, at) => anOrder(`LABEL-${100 + at}`, { locationId }));
  expect((await org.post("/orders/bulk", { orders })).status).toBe(200);
  await selectAll(page, "LABEL");
  const clicks = countClicks();
  await clicks.click(page.getByRole("button", { name: /^Buy (\d+ labels|label)$/ }));
  // The orders have no rate: the preview offers the step that is missing.
  const causes = page.getByRole("group", { name: "Why orders cannot change or have a warning" });
  await causes.getByText("No rate chosen").waitFor();
  await checkPage(page, "bulk-edit-causes");
  await clicks.click(causes.getByRole("button", { name: "Add step: Choose rate" }));
  const run = page.getByRole("button", { name: "Run on 74 live orders" });
  await run.waitFor({ timeout: 60_000 });
  await expect.poll(() => run.getAttribute("aria-disabled"), { timeout: 60_000 }).toBe(null);
  await clicks.click(run);
  const confirmation = page.getByRole("dialog", { name: "Run on 74 live orders?" });
  await confirmation.getByText(/costs \$\d+\.\d\d for 74 labels/i).waitFor();
  await confirmation.getByLabel("Type 74 to confirm").fill("74");
  // The hands are on the keys: Enter confirms.
  await page.keyboard.press("Enter");
  const print = page.getByRole("button", { name: "Print 74 labels" });
  await print.waitFor({ timeout: 60_000 });
  const download = page.waitForEvent("download", { timeout: 60_000 });
  await clicks.click(print);
  // On a busy machine the file comes too late for the click, and waits for another one.
  const late = page.getByRole("button", { name: "Download labels.pdf" });
  const isLate = await Promise.race([download.then(() => false), late.waitFor({ timeout: 60_000 }).then(() => true)]);
  if (isLate) await clicks.click(late);
  const file = await download;
  expect(await readPdf(await buffer(await file.createReadStream()))).toHaveLength(74);
  expect(clicks.count()).toBeLessThanOrEqual(5);

  const totals = page.getByRole("region", { name: "Totals" });
  const { data } = (await org.get("/operations/runs?limit=1")).body;
  const [{ total }] = data[0].labels.costs;
  await totals.getByText("74 labels", { exact: true }).first().waitFor();
  await totals
    .getByText(`$${total.toFixed(2)}`, { exact: true })
    .first()
    .waitFor();
  await totals.getByText("All 74 can still be voided.").waitFor();
  await page.getByText("74 of 74 printed").waitFor();
  const row = page.getByRole("row", { name: /LABEL-100 Customer of LABEL-100 Portland, OR, US .* \$\d+\.\d\d Bought/ });
  await row.waitFor();
  await checkPage(page, "run-labels");

  // One label of the run is printed again or voided in its row.
  const actions = row.getByRole("button", { name: "Label actions for LABEL-100" });
  await actions.click();
  const [one] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: /^Print label again/ }).click(),
  ]);
  expect(one.suggestedFilename()).toBe("label-LABEL-100.pdf");
  await actions.click();
  await page.getByRole("menuitem", { name: /^Void label/ }).click();
  await page.getByText(/1 order, selected/).waitFor();
  await page.getByRole("region", { name: "Steps", exact: true }).getByRole("button", { name: "Void labels" }).waitFor();
  await page.goBack();

  // Void is a step with the same preview.
  await totals.getByRole("button", { name: "Void labels" }).click();
  await page.getByRole("button", { name: "Run on 74 live orders" }).waitFor({ timeout: 60_000 });
  await page.getByRole("region", { name: "Steps", exact: true }).getByRole("button", { name: "Void labels" }).waitFor();
});

test("a failure is fixed with one button: the step that removes the cause comes before the one that failed", async () => {
  const { page } = person;
  await org.post("/orders/bulk", { orders: ["FIX-1", "FIX-2", "FIX-3"].map((number) => anOrder(number)) });
  await org.post("/operations/run", {
    order_ids: ["FIX-1", "FIX-2"],
    actions: [{ type: "hold", params: { reason: "customer_request" } }],
  });
  const { body } = await org.post("/operations/run", {
    order_ids: ["FIX-1", "FIX-2", "FIX-3"],
    note: "Ship by hand",
    actions: [
      { type: "add_tags", params: { tags: ["by-hand"] } },
      { type: "mark_shipped", params: { tracking_number: "T-{{number}}" } },
    ],
  });
  expect(body.status).toBe("partially_failed");
  await page.goto(`${hub.url}/operations/runs/${body.id}`);
  await page.getByRole("heading", { name: /Ship by hand/ }).waitFor();
  await page.getByText("2 failed", { exact: true }).first().waitFor();
  const failures = page.getByRole("region", { name: "Failures", exact: true });
  await failures.getByText("2 orders did not complete").waitFor();
  await failures.getByText("FIX-1, FIX-2").waitFor();
  // The code is there for support, and only there.
  expect(await failures.getByText("on_hold").isVisible()).toBe(false);
  await failures.getByText("Details").click();
  await failures.getByText("on_hold").waitFor();
  await checkPage(page, "run-failures");
  await failures.getByRole("button", { name: "Release hold" }).click();
  await page.getByText(/2 orders, selected/).waitFor();
  const steps = page.getByRole("region", { name: "Steps", exact: true }).getByRole("listitem");
  await expect.poll(() => steps.count()).toBe(2);
  await steps.first().getByRole("button", { name: "Release hold" }).waitFor();
  await steps.last().getByRole("button", { name: "Mark as shipped" }).waitFor();
  const run = page.getByRole("button", { name: "Run on 2 live orders" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Done", { exact: true }).first().waitFor();
  await expect.poll(async () => (await org.get("/orders/FIX-1")).body.status).toBe("shipped");

  // Retry what failed: one click on the page of the run, two from the list.
  await org.post("/orders/bulk", { orders: ["RETRY-1", "RETRY-2", "RETRY-3"].map((number) => anOrder(number)) });
  const asserting = (value: string) => ({ type: "assert", params: { when: { path: "tags", op: "has_tag", value } } });
  await org.post("/operations/run", {
    order_ids: ["RETRY-3"],
    actions: [{ type: "add_tags", params: { tags: ["first"] } }],
  });
  const checked = await org.post("/operations/run", {
    order_ids: ["RETRY-1", "RETRY-2", "RETRY-3"],
    note: "Check twice",
    actions: [asserting("first"), { type: "add_note", params: { text: "checked" } }, asserting("second")],
  });
  await page.goto(`${hub.url}/operations`);
  const clicks = countClicks();
  await clicks.click(page.getByRole("link", { name: "Check twice" }));
  // The same cause at two steps: each group shows and retries its own orders.
  const causes = page.getByRole("region", { name: "Failures", exact: true });
  const second = causes.getByRole("row", { name: /Check failed.*1 order/ });
  await second.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("row", { name: /^RETRY-3/ }).waitFor();
  await expect.poll(() => page.getByRole("row", { name: /^RETRY-1/ }).count()).toBe(0);
  await clicks.click(second.getByRole("button", { name: "Retry", exact: true }));
  await page.getByRole("heading", { name: /Retry: Check twice/ }).waitFor();
  expect(clicks.count()).toBe(2);
  const [retry] = (await org.get("/operations/runs?limit=1")).body.data;
  expect(retry).toMatchObject({ retry_of: checked.body.id, order_count: 1 });

  // The list shows the name and the state of each run.
  await page.goto(`${hub.url}/operations`);
  await page.getByRole("row", { name: /^Ship by hand 2 failed/ }).waitFor();
});

test("a run is repeated with a new preview, undone in two clicks and saved as a preset", async () => {
  const { page } = person;
  const numbers = ["AGAIN-1", "AGAIN-2"];
  await org.post("/orders/bulk", { orders: numbers.map((number) => anOrder(number)) });
  const locationId = (await org.post("/locations", { name: "Reno", address: dock })).body.id as string;
  const { body } = await org.post("/operations/run", {
    order_ids: numbers,
    actions: [{ type: "assign_location", params: { location_id: locationId } }],
  });
  const link = `${hub.url}/operations/runs/${body.id}`;
  await page.goto(link);
  // Names, not ids.
  await page.getByRole("row", { name: /AGAIN-1 \+ Reno Done/ }).waitFor();
  const clicks = countClicks();
  await clicks.click(page.getByRole("button", { name: "Undo", exact: true }));
  await clicks.click(page.getByRole("button", { name: "Undo on 2 orders" }));
  await page.getByRole("heading", { name: /Undo: Assign location/ }).waitFor();
  expect(clicks.count()).toBe(2);
  await expect.poll(async () => (await org.get("/orders/AGAIN-1")).body.locationId).toBe(null);

  await page.goto(link);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Run again" }).click();
  await page.getByText(/2 orders, selected/).waitFor();
  await page.getByRole("region", { name: "Steps", exact: true }).getByText("Reno").waitFor();
  await page.getByRole("row", { name: /AGAIN-1 \+ Reno Will change/ }).waitFor();

  await page.goto(link);
  await page.getByRole("button", { name: "More" }).click();
  await page.getByRole("menuitem", { name: "Save as preset" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as preset" });
  await dialog.getByLabel("Preset name").fill("Reno orders");
  await dialog.getByRole("button", { name: "Save preset" }).click();
  await page.getByText("Preset Reno orders saved").waitFor();
});

test("a preset is opened, changed, given a key, copied and deleted", async () => {
  const { page } = person;
  const location_id = (await org.post("/locations", { name: "Sparks", address: dock })).body.id as string;
  const actions = [{ type: "assign_location", params: { location_id } }];
  await org.post("/operations/pipelines", { name: "Sparks orders", actions });
  await page.goto(`${hub.url}/operations/presets`);
  await page.getByRole("link", { name: "Sparks orders" }).click();
  await page.getByRole("heading", { name: /Sparks orders/ }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Ship from Sparks");
  await page.getByLabel("Key in the order list (optional)").click();
  await page.getByRole("option", { name: "Shift 4" }).click();
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByLabel("Find an action").fill("add tags");
  await page.keyboard.press("Enter");
  await waitForFocus(page.getByLabel("Tags", { exact: true }));
  await page.keyboard.type("sparks");
  await page.keyboard.press("Enter");
  await checkPage(page, "preset");
  await page.getByRole("button", { name: "Save preset" }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  const read = async () =>
    ((await org.get("/operations/pipelines")).body.data as Array<{ name: string }>).filter(({ name }) =>
      name.includes("Sparks"),
    );
  expect(await read()).toMatchObject([
    { name: "Ship from Sparks", hotkey: 4, actions: [{ type: "assign_location" }, { type: "add_tags" }] },
  ]);
  await page.getByRole("button", { name: "More for Ship from Sparks" }).click();
  await page.getByRole("menuitem", { name: "Copy preset" }).click();
  await page.getByRole("heading", { name: /Ship from Sparks \(copy\)/, level: 1 }).waitFor();
  expect(await read()).toHaveLength(2);
  await page.getByRole("button", { name: /^More for Ship from Sparks \(copy\)/ }).click();
  await page.getByRole("menuitem", { name: "Delete preset" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete preset" }).click();
  await page.getByRole("row", { name: /Shift 4 Ship from Sparks/ }).waitFor();
  expect((await read()).map(({ name }) => name)).toEqual(["Ship from Sparks"]);
});

test("the bulk edit creates a missing location, brings a removed step back, and builds conditions of every form", async () => {
  const { page } = person;
  await org.post("/orders/bulk", { orders: ["EDIT-1", "EDIT-2"].map((number) => anOrder(number)) });
  await selectAll(page, "EDIT-");
  await page.keyboard.press("e");
  await page.getByText(/2 orders, selected/).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("Find an action").fill("assign location");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Create location" }).click();
  const dialog = page.getByRole("dialog", { name: "Create location" });
  await dialog.getByLabel("Name").fill("Tulsa");
  await dialog.getByLabel("Company").fill("Byron Mugs");
  await dialog.getByLabel("Address line 1").fill("9 Route 66");
  await dialog.getByLabel("City").fill("Tulsa");
  await dialog.getByLabel("State or province").fill("OK");
  await dialog.getByLabel("Postal code").fill("74103");
  await dialog.getByRole("button", { name: "Create location" }).click();
  await page.getByRole("row", { name: /EDIT-1 \+ Tulsa Will change/ }).waitFor();

  const steps = page.getByRole("region", { name: "Steps", exact: true });
  await steps.getByRole("button", { name: "Remove step 1" }).click();
  await expect.poll(() => steps.getByRole("listitem").count()).toBe(0);
  await page.getByText("Step 1 removed").waitFor();
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await steps.getByRole("button", { name: "Assign location" }).waitFor();

  // The value of one field is not kept for another.
  await steps.getByRole("button", { name: "Add condition" }).click();
  await steps.getByRole("button", { name: /^Field: Status/ }).click();
  await page.getByLabel("Find: Field").fill("order total");
  await takeScreenshot(page, "condition-fields");
  await page.keyboard.press("Enter");
  await steps.getByRole("button", { name: /^Field: Order total/i }).waitFor();
  expect(await steps.getByLabel("Value", { exact: true }).inputValue()).toBe("");
  await steps.getByLabel("Value", { exact: true }).fill("abc");
  await steps
    .getByText(/number/)
    .first()
    .waitFor();
  await steps.getByLabel("Value", { exact: true }).fill("5");

  // Another field, a list, and a moment.
  await steps.getByRole("button", { name: "Add condition" }).click();
  await steps.getByRole("button", { name: /^Field: Status/ }).click();
  await page.getByLabel("Find: Field").fill("any of the items");
  await page.keyboard.press("Enter");
  await steps.getByRole("button", { name: /^Field: SKU/i }).waitFor();
  await steps.getByLabel("Value", { exact: true }).last().fill("MUG-01");
  await steps.getByRole("button", { name: "Add condition" }).last().click();
  await steps
    .getByRole("button", { name: /^Field: Status/ })
    .last()
    .click();
  await page.getByLabel("Find: Field").fill("ordered at");
  await page.keyboard.press("Enter");
  await steps.getByLabel("Value: amount").fill("2");
  await steps.getByLabel("Value: unit").click();
  await page.getByRole("option", { name: "working days" }).click();
  await checkPage(page, "conditions");
  await steps.getByRole("button", { name: "Assign location" }).click();
  await steps.getByText(/order total is 5|total is 5 and any of the items: sku is MUG-01 and ordered at/i).waitFor();
});

test("the service of a label is one of the list of the carrier account", async () => {
  const { page } = person;
  await org.post("/locations", { name: "Quotes", address: dock });
  await org.post("/orders", anOrder("SERVICE-1"));
  await selectAll(page, "SERVICE-");
  await page.getByRole("button", { name: /^Buy (\d+ labels|label)$/ }).click();
  const steps = page.getByRole("region", { name: "Steps", exact: true });
  await steps.getByLabel("Carrier account (optional)").click();
  await page.getByRole("option", { name: "Our EasyPost" }).click();
  await steps.getByRole("button", { name: /^Service \(optional\)/ }).click();
  await page.getByRole("option", { name: /Ground Advantage/ }).click();
  await steps.getByRole("button", { name: /^Service \(optional\): .*Ground Advantage/ }).waitFor();
  // The order has no location: the preview names the step that sets one.
  await page.getByRole("button", { name: "Add step: Assign location" }).waitFor();
});

test("Ctrl+Enter runs from a dropdown, and Order and Result stay in sight beside many steps", async () => {
  const { page } = person;
  await org.post("/orders/bulk", { orders: ["WIDE-1", "WIDE-2"].map((number) => anOrder(number)) });
  const tags = Array.from({ length: 12 }, (_, at) => ({ type: "add_tags", params: { tags: [`a-long-tag-${at}`] } }));
  const actions = [...tags, { type: "set_priority", params: { priority: "urgent" } }];
  await org.post("/operations/pipelines", { name: "Wide", hotkey: 7, actions });
  await selectAll(page, "WIDE-");
  await page.keyboard.press("Shift+7");
  const row = page.getByRole("row", { name: /WIDE-1 .*Will change/ });
  await row.waitFor();
  const inSight = async (): Promise<boolean[]> =>
    await Promise.all(
      [row.getByText("WIDE-1"), row.getByText("Will change")].map(async (cell) => {
        const box = (await cell.boundingBox())!;
        return box.x >= 0 && box.x + box.width <= 1360;
      }),
    );
  expect(await inSight()).toEqual([true, true]);
  const scrolled = `(document.querySelector('[role=group][aria-label="Preview of each order"]').scrollLeft += 600)`;
  expect(await page.evaluate<number>(scrolled)).toBe(600);
  expect(await inSight()).toEqual([true, true]);
  await takeScreenshot(page, "bulk-edit-wide");
  const steps = page.getByRole("region", { name: "Steps", exact: true });
  await steps.getByRole("button", { name: "Set priority" }).click();
  const priority = steps.getByLabel("Priority", { exact: true });
  await priority.focus();
  const run = page.getByRole("button", { name: "Run on 2 live orders" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect((await org.get("/orders/WIDE-1")).body.priority).toBe("urgent");
});
