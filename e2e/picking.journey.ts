import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { openBrowser, signIn, startConsoleHub, takeScreenshot, waitForFocus } from "./console-hub.ts";
import { multiplyOrder, seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

beforeAll(async () => {
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  await seedOrders(org, 340);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

const selection = (page: Page) => page.getByRole("region", { name: "Selection" });

async function openOrders(page: Page, query = ""): Promise<void> {
  await page.goto(`${hub.url}/orders${query}`);
  await page.getByRole("row", { name: /SHOP-/ }).first().waitFor();
}

/** Holds responses to order lists until `letGo`. */
async function holdLists(): Promise<{ letGo(): Promise<void> }> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = hub.world.db.transaction(async (tx) => {
    await tx.query("lock table orders in access exclusive mode");
    locked.resolve();
    await released.promise;
  });
  await locked.promise;
  return {
    async letGo() {
      released.resolve();
      await held;
    },
  };
}

test("Ctrl+A in a text field selects the text and no orders", async () => {
  const { page } = person;
  await openOrders(page);
  await page.keyboard.press("/");
  await page.keyboard.type("becker");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("sousa");
  expect(await page.getByLabel("Search orders").inputValue()).toBe("sousa");
  await page.waitForURL(/search=sousa/);
  await selection(page)
    .getByText(/orders match$/)
    .waitFor();
});

test("while a list loads, rows of the previous one cannot be selected or counted", async () => {
  const { page } = person;
  await openOrders(page);
  await selection(page).getByText("340 orders match").waitFor();
  const onHold = (await org.get("/orders?status=on_hold&limit=1")).body.pagination.total as number;
  await page.getByRole("link", { name: `On hold ${onHold}`, exact: true }).waitFor();
  const held = await holdLists();
  await page.getByRole("link", { name: /^On hold/ }).click();
  await page.waitForURL(/status=on_hold/);
  await selection(page).getByText("Loading orders…").waitFor();
  await takeScreenshot(page, "orders-loading");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("x");
  await page.keyboard.press("e");
  await selection(page).getByRole("checkbox").click();
  await selection(page).getByText("Loading orders…").waitFor();
  await held.letGo();
  await selection(page).getByText(`${onHold} orders match`).waitFor();
  await page.keyboard.press("Control+a");
  await selection(page).getByText(`${onHold} selected, all that are shown`).waitFor();
});

test("the selection belongs to one filter: another view, filter or browser back clears it", async () => {
  const { page } = person;
  await openOrders(page);
  const selectAll = async (): Promise<void> => {
    await page.keyboard.press("Control+a");
    await selection(page).getByText("100 selected, all that are shown").waitFor();
  };
  const none = selection(page).getByText(/^\d+ orders match$/);
  await selectAll();
  await page.getByRole("link", { name: /^Ready/ }).click();
  await none.waitFor();
  await selectAll();
  await page.goBack();
  await none.waitFor();
  await selectAll();
  await page.getByLabel("Search orders").fill("becker");
  await none.waitFor();
});

test("selected orders that left the list are reported", async () => {
  const { page } = await browser.person();
  await page.clock.install();
  await signIn(page, hub, org.admin, "/orders?tagsAny=gift&search=SHOP-1009");
  await page.getByRole("row", { name: /SHOP-10095/ }).waitFor();
  await page.keyboard.press("Control+a");
  await selection(page).getByText("2 selected, all that are shown").waitFor();
  expect((await org.patch("/orders/SHOP-10095", { tags: [] })).status).toBe(200);
  expect((await org.get("/orders?tagsAny=gift&search=SHOP-1009")).body.data).toHaveLength(1);
  // The page refetches when it becomes visible.
  await page.clock.fastForward(10_000);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole("row", { name: /SHOP-10095/ }).waitFor({ state: "detached" });
  await takeScreenshot(page, "selected-and-gone");
  await selection(page).getByText("2 selected, 1 not in the rows shown").waitFor();
});

test("Back closes an open order and keeps the view; stepping to the next one adds no history entry", async () => {
  const { page } = person;
  await openOrders(page);
  await page.getByRole("link", { name: /^Ready/ }).click();
  await page.waitForURL(/status=ready/);
  // The rows of the list before are shown until those of this one have come, and cannot be stepped through.
  const ready = (await org.get("/orders?status=ready&limit=1")).body.pagination.total as number;
  await selection(page).getByText(`${ready} orders match`).waitFor();
  const list = page.url();
  await page
    .getByRole("row", { name: /SHOP-10001/ })
    .getByText("Miami")
    .click();
  await page.getByRole("dialog", { name: "SHOP-10001" }).waitFor();
  await page.keyboard.press("]");
  await page.getByRole("dialog", { name: "SHOP-10003" }).waitFor();
  await page.goBack();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(page.url()).toBe(list);
  await page.goForward();
  await page.getByRole("dialog", { name: "SHOP-10003" }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(page.url()).toBe(list);
  await page.goBack();
  await page.waitForURL(`${hub.url}/orders`);
});

test("the count of a long list equals that of its view", async () => {
  const { page } = person;
  const { body } = await org.post("/orders", { number: "LONG", status: "ready", channel: "wholesale" });
  await multiplyOrder(hub, body.id, 10_199);
  await page.goto(`${hub.url}/orders?channel=wholesale`);
  await selection(page).getByText("10,200 orders match").waitFor();
  await page.keyboard.press("Control+a");
  await selection(page).getByRole("button", { name: "Select all 10,200" }).waitFor();
  // A search scans the newest orders only until it fills a page.
  await seedOrders(org, 2_300, "SEEK-");
  await page.goto(`${hub.url}/orders?search=SEEK`);
  await selection(page).getByText("2,300 orders match").waitFor();
});

test("a quick action opens the preview of one step, with the cursor in its first field", async () => {
  const { page } = person;
  await openOrders(page, "?search=SHOP-100");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await selection(page).getByRole("button", { name: "Tag", exact: true }).click();
  await page.getByRole("region", { name: "Steps", exact: true }).getByText("Add tags").waitFor();
  await waitForFocus(page.getByLabel("Tags", { exact: true }));
  await page.keyboard.type("quick");
  await page.keyboard.press("Enter");
  const run = page.getByRole("button", { name: "Run on 2 live orders" });
  await run.waitFor();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await org.get("/orders?tag=quick")).body.pagination.total).toBe(2);
});
