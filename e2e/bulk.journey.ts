import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { aParcel } from "../server/src/features/labels/labels.schemas.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import {
  checkPage,
  holdAnswers,
  openBrowser,
  signIn,
  startConsoleHub,
  takeScreenshot,
  waitForFocus,
} from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  await seedOrders(org, 340);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

async function openOrders(page: Page, query = ""): Promise<void> {
  await page.goto(`${hub.url}/orders${query}`);
  await page.getByRole("row", { name: /SHOP-/ }).first().waitFor();
}

/** Counts key presses; a typed value counts as one. */
function countKeys(page: Page): {
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  count(): number;
} {
  let keys = 0;
  return {
    async press(key) {
      keys++;
      await page.keyboard.press(key);
    },
    async type(text) {
      await page.keyboard.type(text);
    },
    count: () => keys,
  };
}

test("journey 1 by keyboard alone: filter, select all that match, build, check, run", async () => {
  const { page } = person;
  await openOrders(page, "?tagsAny=rush");
  const keys = countKeys(page);
  await keys.press("Control+a");
  await page.getByText(/1[07]0 selected, all that are shown/).waitFor();
  await keys.press("Control+a");
  await page.getByText("All 170 orders that match selected").waitFor();
  await takeScreenshot(page, "orders-selected");
  await keys.press("e");
  await page.getByText(/170 orders, selected/).waitFor();
  await keys.press("a");
  await waitForFocus(page.getByLabel("Find an action"));
  await keys.type("add tags");
  await keys.press("Enter");
  await waitForFocus(page.getByLabel("Tags", { exact: true }));
  await keys.type("vip");
  await keys.press("Enter");
  const run = page.getByRole("button", { name: /Run on 170 live orders/ });
  await run.waitFor();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await checkPage(page, "bulk-edit");
  await keys.press("Control+Enter");
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect(keys.count()).toBeLessThanOrEqual(12);
  await expect.poll(async () => (await org.get("/orders?tag=vip&limit=1")).body.pagination.total).toBe(170);
  await checkPage(page, "run");
});

test("blocked orders are grouped, can be inspected, and are excluded", async () => {
  const { page } = person;
  await openOrders(page, "?search=SHOP-1000");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("e");
  await page.getByText(/orders?, selected/).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("Find an action").fill("mark as shipped");
  await page.keyboard.press("Enter");
  const why = page.getByRole("group", { name: "Why orders cannot change or have a warning" });
  await why.getByText("Not possible in this status").first().waitFor();
  await why.getByText("Excluded").first().waitFor();
  await takeScreenshot(page, "preflight-blocked");
  await why.getByRole("button", { name: "Show", exact: true }).first().click();
  await page.getByText(/orders of 10 shown/).waitFor();
  const run = page.getByRole("button", { name: "Run on 5 live orders" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Done", { exact: true }).first().waitFor();
  await page.getByText(/5 orders in .*, 5 excluded/).waitFor();
});

test("journey 4: an undo shows what it would reverse before it runs", async () => {
  const { page } = person;
  const { body } = await org.post("/operations/run", {
    order_ids: ["SHOP-10203", "SHOP-10204", "SHOP-10205"],
    actions: [{ type: "set_priority", params: { priority: "urgent" } }],
  });
  await org.patch("/orders/SHOP-10204", { priority: "low" });
  await page.goto(`${hub.url}/operations/runs/${body.id}`);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Preview of the undo" });
  await dialog.getByText("SHOP-10204").waitFor();
  await takeScreenshot(page, "undo");
  await dialog.getByRole("button", { name: "Undo on 2 orders" }).click();
  await page.getByRole("heading", { name: /Undo/ }).waitFor();
  await expect.poll(async () => (await org.get("/orders/SHOP-10203")).body.priority).not.toBe("urgent");
  expect((await org.get("/orders/SHOP-10204")).body.priority).toBe("low");
});

test("journey 2: a preset is checked and run with its key and Ctrl+Enter", async () => {
  const { page } = person;
  const actions = [{ type: "add_tags", params: { tags: ["preset"] } }];
  await org.post("/operations/pipelines", { name: "Tag them", hotkey: 1, actions });
  // The key works before the presets have loaded.
  const presets = await holdAnswers(page, "/operations/pipelines");
  await openOrders(page, "?search=SHOP-1003");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Shift+1");
  await presets.letGo();
  const run = page.getByRole("button", { name: "Run on 10 live orders" });
  await run.waitFor();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await page.getByRole("heading", { name: /Tag them/ }).waitFor();
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect((await org.get("/orders?tag=preset&limit=1")).body.pagination.total).toBe(10);
});

test("journey 3: failures are grouped by code, and one code is retried", async () => {
  const { page } = person;
  const allowed = { type: "assert", params: { when: { path: "tags", op: "has_tag", value: "allowed" } } };
  const { body } = await org.post("/operations/run", {
    order_ids: ["SHOP-10300", "SHOP-10301", "SHOP-10302"],
    actions: [allowed, { type: "add_tags", params: { tags: ["repaired"] } }],
  });
  await org.post("/operations/run", {
    order_ids: ["SHOP-10300"],
    actions: [{ type: "add_tags", params: { tags: ["allowed"] } }],
  });
  await page.goto(`${hub.url}/operations/runs/${body.id}`);
  const failures = page.getByRole("group", { name: "Failures by cause" });
  await failures.getByText("Check failed").waitFor();
  await failures.getByText("SHOP-10300, SHOP-10301 and 1 more").waitFor();
  await takeScreenshot(page, "run-failed");
  await failures.getByRole("button", { name: "Retry" }).click();
  await page.getByRole("heading", { name: /Retry/ }).waitFor();
  await page.getByText("2 failed").first().waitFor();
  expect((await org.get("/orders?tag=repaired&limit=1")).body.pagination.total).toBe(1);
  await page.goto(`${hub.url}/operations/presets`);
  await page.getByText("Shift 1").waitFor();
  await checkPage(page, "presets");
  await page.goto(`${hub.url}/operations`);
  await page.getByRole("table", { name: "Runs" }).waitFor();
  await checkPage(page, "runs");
});

test("a filter is saved as a view, and the panel steps through orders", async () => {
  const { page } = person;
  await openOrders(page);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: "Priority" }).click();
  await page.getByRole("checkbox", { name: "High" }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "+ Save as view" }).click();
  await page.getByLabel("Name of the view").fill("Important");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: /Important/ }).waitFor();
  await openOrders(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "SHOP-10000" }).getByText("Albany").waitFor();
  await takeScreenshot(page, "panel");
  await page.keyboard.press("]");
  await page.getByRole("dialog", { name: "SHOP-10001" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("label costs are shown before the purchase, and the run follows its queued executions to their end", async () => {
  const { page } = person;
  const location = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
  await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" });
  const orders = ["SHOP-L1", "SHOP-L2", "SHOP-L3"].map((number) => ({
    number,
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
    locationId: location,
  }));
  await org.post("/orders/bulk", { orders });
  const actions = [{ type: "choose_rate", params: {} }, { type: "buy_label" }];
  await org.post("/operations/pipelines", { name: "Ship them", hotkey: 2, actions });
  await openOrders(page, "?search=SHOP-L");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Shift+2");
  const costs = /costs \$\d+\.\d\d for 3 labels/i;
  await page.getByText(costs).waitFor();
  // The cells of both steps have the price: the chosen rate, then the label.
  const prices = page.getByRole("row", { name: /SHOP-L1/ }).getByRole("button", { name: /^\$\d+\.\d\d / });
  const bought = prices.last();
  await bought.hover();
  await page.getByText(/^Demo: \$\d/).waitFor();
  await takeScreenshot(page, "operate-labels");
  const run = page.getByRole("button", { name: "Run on 3 live orders" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog", { name: "Run on 3 live orders?" });
  await dialog.getByText(costs).waitFor();
  await takeScreenshot(page, "run-costs");
  await dialog.getByLabel("Type 3 to confirm").fill("3");
  await dialog.getByRole("button", { name: "Run on 3 orders" }).click();
  await page.getByRole("heading", { name: /Ship them/ }).waitFor();
  await expect.poll(async () => (await org.get("/shipments/labels?status=purchased")).body.data.length).toBe(3);
  await page.getByRole("row", { name: /SHOP-L1 Ada Byron Albany, NY, US .* \$\d+\.\d\d Bought/ }).waitFor();

  const bridge_id = (await org.post("/bridges", { name: "Partner", connector: "demo" })).body.id as string;
  const begun = await org.post("/operations/run", {
    order_ids: ["SHOP-L1"],
    actions: [{ type: "run_task", params: { bridge_id, task_name: "sleep", input: { ms: 60_000 } } }],
  });
  await page.goto(`${hub.url}/operations/runs/${begun.body.id}`);
  const tasks = page.getByRole("region", { name: "Connection tasks" });
  await tasks.getByRole("link", { name: /1 (queued|running)/ }).waitFor();
  await checkPage(page, "run-tasks");
  await org.post(`/tasks/executions/${begun.body.results[0].steps[0].execution_id}/cancel`);
  await tasks.getByRole("link", { name: "1 cancelled" }).click();
  await page.getByRole("row", { name: /Sleep.*Partner/i }).waitFor();
});
