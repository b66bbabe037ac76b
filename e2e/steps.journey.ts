import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot, waitForFocus } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  await seedOrders(org, 60);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

async function operateOn(page: Page, search: string): Promise<void> {
  await page.goto(`${hub.url}/orders?search=${search}`);
  await page.getByRole("row", { name: /SHOP-/ }).first().waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("e");
  await page.getByText(/orders?, selected/).waitFor();
}

const addedStep = (page: Page) => page.getByRole("region", { name: "Steps", exact: true }).getByRole("listitem").last();

test("Enter adds the action whose name matches, not one that only mentions the text", async () => {
  const { page } = person;
  await operateOn(page, "SHOP-1000");
  const find = page.getByLabel("Find an action");
  await page.keyboard.press("a");
  await waitForFocus(find);
  await page.keyboard.type("note");
  await takeScreenshot(page, "add-a-step");
  await page.keyboard.press("Enter");
  await addedStep(page).getByRole("button", { name: "Add note" }).waitFor();
  await page.getByRole("button", { name: "Add step" }).click();
  const dialog = page.getByRole("dialog", { name: "Add step" });
  await waitForFocus(find);
  await page.keyboard.type("refund");
  await dialog.getByRole("button", { name: /^Cancel/ }).waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByText("No available action has this name.").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await page.getByRole("region", { name: "Steps", exact: true }).getByRole("listitem").count()).toBe(1);
});

test("typing after adding a step fills its first field", async () => {
  const { page } = person;
  await operateOn(page, "SHOP-1001");
  const find = page.getByLabel("Find an action");
  await page.keyboard.press("a");
  await waitForFocus(find);
  await page.keyboard.type("add tags");
  await page.keyboard.press("Enter");
  const tags = page.getByLabel("Tags", { exact: true });
  await waitForFocus(tags);
  await page.keyboard.type("sale");
  expect(await tags.inputValue()).toBe("sale");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Run on 10 live orders" }).waitFor();

  // With a select as the first field, letters are type-ahead and not shortcuts.
  await page.getByRole("button", { name: "Add step" }).click();
  await page
    .getByRole("dialog", { name: "Add step" })
    .getByRole("button", { name: /^Set priority/ })
    .click();
  const priority = page.getByLabel("Priority", { exact: true });
  await waitForFocus(priority);
  await page.keyboard.press("a");
  await page.keyboard.type("urg");
  await expect.poll(() => priority.textContent()).toBe("urgent");
  expect(await page.getByRole("dialog", { name: "Add step" }).count()).toBe(0);
  const run = page.getByRole("button", { name: /Run on \d+ live orders/ });
  await takeScreenshot(page, "step-added");
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect((await org.get("/orders/SHOP-10010")).body).toMatchObject({ priority: "urgent" });

  // A step without fields focuses its heading.
  await operateOn(page, "SHOP-1002");
  await page.keyboard.press("a");
  await waitForFocus(find);
  await page.keyboard.type("archive");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Archive");
});

test("an undo of some steps is shown as partial and not as failed", async () => {
  const { page } = person;
  const ids = ["SHOP-10030", "SHOP-10031"];
  const { body: done } = await org.post("/operations/run", {
    order_ids: ids,
    actions: [
      { type: "add_tags", params: { tags: ["winter"] } },
      { type: "set_priority", params: { priority: "urgent" } },
    ],
  });
  for (const id of ids) await org.patch(`/orders/${id}`, { priority: "low" });
  await page.goto(`${hub.url}/operations/runs/${done.id}`);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByRole("button", { name: "Undo on 2 orders" }).click();
  await page.getByRole("heading", { name: /Undo/ }).waitFor();
  await page.getByText("Partly undone", { exact: true }).first().waitFor();
  await page.goto(`${hub.url}/operations`);
  await page
    .getByRole("row", { name: /^Undo: Add tags, Set priority Partly undone/ })
    .getByRole("link")
    .click();
  await page.waitForURL(/\/operations\/runs\/./);
  const undo = new URL(page.url()).pathname;
  const left = page.getByRole("group", { name: "What could not be undone" });
  await left.getByText("Changed since the run").waitFor();
  await page.getByRole("row", { name: /SHOP-10030 .*winter.*Changed since the run.*Partly undone/ }).waitFor();
  await checkPage(page, "undone-in-part");
  await page.goto(hub.url);
  const attention = page.getByRole("list", { name: "Needs attention" });
  await attention.waitFor();
  await page.getByRole("table", { name: "Recent runs" }).getByText("Partly undone").first().waitFor();
  expect(await attention.locator(`a[href^="${undo}"]`).count()).toBe(0);
});

test("a group of blocked orders shows common text and the count of each reason", async () => {
  const { page } = person;
  await org.post("/operations/run", {
    order_ids: ["SHOP-10042", "SHOP-10043"],
    actions: [{ type: "hold", params: { reason: "customer_request" } }],
  });
  await org.post("/operations/run", {
    order_ids: ["SHOP-10045"],
    actions: [{ type: "hold", params: { reason: "inventory_out_of_stock" } }],
  });
  await org.post("/operations/pipelines", {
    name: "Ship",
    hotkey: 5,
    actions: [{ type: "mark_shipped", params: { tracking_number: "T-{{number}}" } }],
  });
  await page.goto(`${hub.url}/orders?search=SHOP-1004`);
  await page.getByRole("row", { name: /SHOP-10042/ }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Shift+5");
  const why = page.getByRole("group", { name: "Why orders cannot change or have a warning" });
  await why.getByText("The order is on hold …").waitFor();
  await why.getByText(/^2 orders: \(customer request\)/).waitFor();
  await why.getByText(/^1 order: \(inventory out of stock\)/).waitFor();
  await checkPage(page, "preflight-reasons");
});
