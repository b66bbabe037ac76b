import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, holdAnswers, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

beforeAll(async () => {
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  await seedOrders(org, 210);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

const selection = (page: Page) => page.getByRole("region", { name: "Selection" });
const grid = (page: Page) => page.getByRole("grid", { name: "Orders" });
const firstRow = (page: Page) => page.getByRole("row", { name: /SHOP-/ }).first();

async function openOrders(page: Page, query = ""): Promise<void> {
  await page.goto(`${hub.url}/orders${query}`);
  await firstRow(page).waitFor();
}

const totalOf = async (query: string): Promise<number> =>
  (await org.get(`/orders?${query}&limit=1`)).body.pagination.total;

test("filters have counted suggestions, and nothing changes before Apply", async () => {
  const { page } = person;
  await openOrders(page);
  await page.keyboard.press("f");
  const panel = page.getByRole("dialog", { name: "Filter" });
  await panel.getByRole("button", { name: "Tag", exact: true }).click();
  const value = (name: string): Locator => panel.getByRole("listitem").filter({ has: page.getByLabel(name) });
  await value("rush")
    .getByText(String(await totalOf("tagsAny=rush")), { exact: true })
    .waitFor();
  await page.keyboard.type("gi");
  await value("rush").waitFor({ state: "detached" });
  await panel.getByRole("checkbox", { name: "gift" }).click();
  await panel.getByLabel("Search values of Tag").fill("");
  await panel.getByRole("checkbox", { name: "rush" }).click();
  await panel.getByText(`${await totalOf("tagsAny=rush&tagsAny=gift")} of 210 orders match`).waitFor();
  await panel.getByRole("radio", { name: "All of" }).click();
  const both = await totalOf("tagsAll=rush&tagsAll=gift");
  await panel.getByText(`${both} of 210 orders match`).waitFor();
  expect(page.url()).not.toContain("tags");
  await checkPage(page, "orders-filter");
  await panel.getByRole("button", { name: "Apply" }).click();
  await selection(page).getByText(`${both} orders match`).waitFor();
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await selection(page).getByText("210 orders match").waitFor();
});

test("filters by SKU, country, total and weight find what the API finds; a wrong amount is explained", async () => {
  const { page } = person;
  await openOrders(page);
  await page.keyboard.press("f");
  const panel = page.getByRole("dialog", { name: "Filter" });
  await panel.getByRole("button", { name: "Country" }).click();
  await panel.getByRole("checkbox", { name: "United States" }).click();
  const values = await holdAnswers(page, "/orders/facets");
  await panel.getByRole("button", { name: "SKU" }).click();
  await panel.getByLabel("Search values of SKU").fill("mug-03");
  // Which SKUs there are is not known yet.
  expect(await panel.getByRole("checkbox").count()).toBe(0);
  await values.letGo();
  await panel.getByRole("checkbox", { name: "MUG-03", exact: true }).click();
  await panel.getByRole("button", { name: "Total" }).click();
  await panel.getByLabel("Total at least").fill("a lot");
  await panel.getByText("Enter an amount, such as 49.90.").waitFor();
  expect(await panel.getByRole("button", { name: "Apply" }).getAttribute("aria-disabled")).toBe("true");
  await panel.getByLabel("Total at least").fill("100");
  await page.keyboard.press("Enter");
  await page.waitForURL(/totalMin=100/);
  const expected = await totalOf("country=US&sku=MUG-03&totalMin=100");
  expect(expected).toBeGreaterThan(1);
  await selection(page).getByText(`${expected} orders match`).waitFor();
  await page.getByText("SKU MUG-03").waitFor();
  await page.getByText("Country United States").waitFor();
  // The bulk selection has the same filters.
  await page.keyboard.press("Control+a");
  await selection(page).getByText(`${expected} selected, all that are shown`).waitFor();
});

test("the whole header sorts, first the most urgent; the arrow and the state say how", async () => {
  const { page } = person;
  await openOrders(page);
  const header = (name: string) => grid(page).getByRole("columnheader", { name, exact: true });
  // At the edge of the cell, not on the word.
  const box = (await header("Ship by").boundingBox())!;
  await header("Ship by").click({ position: { x: box.width - 24, y: 4 } });
  await page.waitForURL(/sort=shipBy/);
  await expect.poll(() => header("Ship by").getAttribute("aria-sort")).toBe("ascending");
  await firstRow(page).getByText("2 h late").waitFor();
  await header("Total").click();
  await page.waitForURL(/sort=-total/);
  await expect.poll(() => header("Total").getAttribute("aria-sort")).toBe("descending");
  expect(await header("Ship by").getAttribute("aria-sort")).toBe("none");
  await firstRow(page).getByText("$301.75").waitFor();
  await header("Total").click();
  await page.waitForURL(/sort=total/);
  await firstRow(page).getByText("$19.00").waitFor();
  await header("Customer").click();
  await page.waitForURL(/sort=customer/);
  await firstRow(page).getByText("Ana Sousa").waitFor();
});

test("columns are resized by keys and by drag, and keep their width", async () => {
  const { page } = person;
  await openOrders(page);
  const header = grid(page).getByRole("columnheader", { name: "Customer", exact: true });
  const widthOf = async (): Promise<number> => Math.round((await header.boundingBox())!.width);
  const before = await widthOf();
  await header.getByRole("button").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(widthOf).toBe(before + 16);
  const { x, y, width } = (await header.boundingBox())!;
  await page.mouse.move(x + width - 3, y + 12);
  await page.mouse.down();
  await page.mouse.move(x + width + 57, y + 12, { steps: 4 });
  await page.mouse.up();
  await expect.poll(widthOf).toBe(before + 76);
  await expect
    .poll(async () => (await page.request.get(`${hub.url}/api/v1/me/preferences`)).text())
    .toContain(`"customer":${before + 76}`);
  await page.reload();
  await expect.poll(widthOf).toBe(before + 76);
});

test("a pinned column stays in sight with those before it, also after a reload, until it is unpinned", async () => {
  const { page } = person;
  await openOrders(page);
  await page.setViewportSize({ width: 1000, height: 800 });
  const header = (name: string) => grid(page).getByRole("columnheader", { name, exact: true });
  const scrolledTo = async (left: number): Promise<{ status: number; customer: number }> => {
    await page.evaluate(`document.querySelector("[role=grid]").scrollLeft = ${left}`);
    const [status, customer] = await Promise.all([header("Status").boundingBox(), header("Customer").boundingBox()]);
    return { status: status!.x, customer: customer!.x };
  };
  const before = await scrolledTo(0);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Pin Status and the columns before it" }).click();
  await page.getByRole("button", { name: "Unpin Status" }).waitFor();
  await checkPage(page, "list-columns-menu");
  await page.setViewportSize({ width: 1000, height: 800 });
  await page.keyboard.press("Escape");
  await expect
    .poll(async () => (await page.request.get(`${hub.url}/api/v1/me/preferences`)).text())
    .toContain('"orderPins":2');
  await page.reload();
  await firstRow(page).waitFor();
  await expect.poll(() => scrolledTo(150)).toEqual({ status: before.status, customer: before.customer - 150 });
  await takeScreenshot(page, "orders-pinned-status");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Unpin Status" }).click();
  await page.keyboard.press("Escape");
  await expect.poll(() => scrolledTo(150)).toEqual({ status: before.status - 150, customer: before.customer - 150 });
  await page.setViewportSize({ width: 1360, height: 900 });
});

test("the first column stays in sight, and tags that do not fit are counted", async () => {
  const { page } = person;
  const tags = ["wholesale-partner", "fragile", "spring-sale", "subscription"];
  const { status } = await org.post("/orders", {
    number: "TAGS-1",
    tags,
    customer: { name: "A very long name ".repeat(5).trim() },
    orderedAt: "2020-01-01T00:00:00Z",
  });
  expect(status).toBe(201);
  // The column that the test before has widened fits, too.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${hub.url}/orders?search=TAGS-1`);
  const row = page.getByRole("row", { name: /TAGS-1/ });
  await row.getByText(/^\+[123]$/).waitFor();
  const total = (await grid(page).getByRole("columnheader", { name: "Total" }).boundingBox())!;
  expect(total.x + total.width).toBeLessThanOrEqual(1440);
  await page.setViewportSize({ width: 700, height: 800 });
  const scrolled = () => page.evaluate<number>("document.querySelector('[role=grid]').scrollLeft");
  await page.evaluate("document.querySelector('[role=grid]').scrollLeft = 300");
  expect(await scrolled()).toBe(300);
  const number = (await row.getByRole("link", { name: "TAGS-1" }).boundingBox())!;
  const left = (await grid(page).boundingBox())!;
  expect(number.x - left.x).toBeLessThan(60);
  await takeScreenshot(page, "orders-pinned");
  await page.setViewportSize({ width: 1360, height: 900 });
});

test("selected rows are copied as a table, for a sheet and as HTML", async () => {
  const { page } = person;
  await openOrders(page, "?search=SHOP-1000&sort=number");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await selection(page).getByText("2 selected").waitFor();
  // On the window, which comes after the page's own listener on the document.
  await page.evaluate(`window.addEventListener("copy", (event) => {
    window.copied = { text: event.clipboardData.getData("text/plain"), html: event.clipboardData.getData("text/html") };
  })`);
  const copied = () => page.evaluate<{ text: string; html: string } | undefined>("window.copied");
  // What copies is loaded with the first selection; until it is there, the browser copies nothing.
  const copy = async (): Promise<string | undefined> => {
    await page.keyboard.press("Control+c");
    return (await copied())?.text;
  };
  await expect.poll(copy).toMatch(/./);
  const { text, html } = (await copied())!;
  const [head, first, second, ...more] = text.split("\n").map((line) => line.split("\t"));
  expect(head).toEqual(["Number", "Status", "Customer", "To", "Service", "Ship by", "Tags", "Total"]);
  expect([first![0], second![0], more]).toEqual(["SHOP-10000", "SHOP-10001", []]);
  expect(first![1]).toBe("Ready, Hold: fraud");
  expect(html).toMatch(/^<table><tr><th>Number<\/th>.*<td>SHOP-10001<\/td>/);
  await page.getByText("Copied 2 orders").waitFor();
  await page.evaluate("window.copied = undefined");
  await selection(page).getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Copy as a table" }).click();
  await expect.poll(copied).toEqual({ text, html });
});

test("views are renamed, changed, shared, moved, opened first and deleted", async () => {
  const { page } = person;
  const options = (name: string) => page.getByRole("button", { name: `Options of the view ${name}` });
  const choose = async (view: string, item: string): Promise<void> => {
    await options(view).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  /** Names of the saved views. Their counts come later. */
  const tabs = async (): Promise<string[]> =>
    (await page.getByRole("navigation", { name: "Views" }).getByRole("link").allTextContents())
      .slice(5)
      .map((label) => label.replace(/\d+$/, ""));
  for (const [query, name] of [
    ["?priority=high&sort=total", "Important"],
    ["?channel=web", "Web"],
  ] as const) {
    await openOrders(page, query);
    await page.getByRole("button", { name: "+ Save as view" }).click();
    await page.getByLabel("Name of the view").fill(name);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await options(name).waitFor();
  }
  const high = await totalOf("priority=high");
  await page.getByRole("link", { name: `Important ${high}` }).click();
  await page.waitForURL(/sort=total/);
  await choose("Important", "Rename or share");
  await page.getByLabel("Name of the view").fill("High");
  await page.getByRole("checkbox", { name: "Share with the organization" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("link", { name: `High ${high}` }).waitFor();
  const saved = async () => (await org.get("/views?list=orders&limit=10")).body.data as Array<Record<string, unknown>>;
  expect((await saved()).find(({ name }) => name === "High")).toMatchObject({
    isShared: true,
    settings: { filter: { priority: "high" }, sort: "total" },
  });
  // Another filter on the open view is a change of it.
  await page.getByLabel("Search orders").fill("becker");
  await page.waitForURL(/search=becker/);
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Save changes" }).waitFor({ state: "detached" });
  expect((await saved()).find(({ name }) => name === "High")).toMatchObject({
    settings: { filter: { search: "becker" } },
  });
  const before = await tabs();
  await choose("High", before[0] === "High" ? "Move right" : "Move left");
  await expect.poll(tabs).toEqual(before.toReversed());
  const kept = page.waitForResponse(
    (response) =>
      response.url().endsWith("/me/preferences") && (response.request().postData() ?? "").includes("defaultOrderView"),
  );
  await choose("High", "Open first");
  await kept;
  await openOrders(page);
  await page.waitForURL(/search=becker/);
  await page.getByRole("link", { name: /^All/ }).click();
  await page.waitForURL(/view=all/);
  await selection(page)
    .getByText(/^21\d orders match$/)
    .waitFor();
  await takeScreenshot(page, "orders-views");

  // A shared view of another user is used, but not changed.
  const email = "operator@org.example";
  await org.post("/users", { email, role: "operator", password: org.admin.password });
  const other = await browser.person();
  await signIn(other.page, hub, { email, password: org.admin.password }, "/orders");
  await other.page.getByRole("link", { name: /^High/ }).click();
  await other.page.getByRole("button", { name: "Options of the view High" }).click();
  expect(await other.page.getByRole("menuitem", { name: /Delete view/ }).getAttribute("aria-disabled")).toBe("true");

  await page.getByRole("link", { name: /^High/ }).click();
  await choose("High", "Delete view");
  await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await page.getByRole("link", { name: /^High/ }).waitFor({ state: "detached" });
  await openOrders(page);
  expect(page.url()).toBe(`${hub.url}/orders`);
});

test("digits inside a number are found, and a search without letters or digits is no error", async () => {
  const { page } = person;
  await openOrders(page);
  // Slowly, as by hand: the list answers between the keys.
  await page.getByLabel("Search orders").pressSequentially("0186", { delay: 255 });
  expect(await page.getByLabel("Search orders").inputValue()).toBe("0186");
  await page.getByRole("row", { name: /SHOP-10186/ }).waitFor();
  await selection(page).getByText("1 order matches").waitFor();
  await page.getByLabel("Search orders").fill("%");
  await page.getByText("Search for letters or digits.").waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  await page.getByLabel("Search orders").fill("");
  await firstRow(page).waitFor();
});

test("keys act on the selected orders in the list, and on the open order in the panel", async () => {
  const { page } = person;
  await openOrders(page, "?search=SHOP-1002&sort=number");
  await page.keyboard.press("j");
  await page.keyboard.press("h");
  await page.getByRole("region", { name: "Steps", exact: true }).getByText("Place on hold").waitFor();
  await openOrders(page, "?search=SHOP-1002&sort=number");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog", { name: "SHOP-10020" });
  await panel.getByRole("button", { name: "Buy label" }).waitFor();
  await page.keyboard.press("t");
  await page.keyboard.type("from-panel");
  await page.keyboard.press("Enter");
  await panel.getByRole("button", { name: "Remove tag from-panel" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.keyboard.type("Call first");
  await page.keyboard.press("Control+Enter");
  await panel.getByRole("list", { name: "Internal notes" }).getByText("Call first").waitFor();
  await page.keyboard.press("Escape");
  await checkPage(page, "orders-panel");
  await page.keyboard.press("j");
  // Keys act on the order that is shown; while it loads, the panel has only its name.
  await page.getByRole("dialog", { name: "SHOP-10021" }).getByRole("button", { name: "Buy label" }).waitFor();
  expect(page.url()).toContain("/orders?");
  await page.keyboard.press("h");
  const hold = page.getByRole("dialog", { name: "Hold SHOP-10021" });
  await hold.getByRole("button", { name: "Hold", exact: true }).click();
  await page.getByRole("dialog", { name: "SHOP-10021" }).getByRole("list", { name: "Holds" }).waitFor();
});

test("the list looks as in the picture", async () => {
  const { page } = person;
  await openOrders(page, "?status=new&status=ready&status=sent&tagsAll=rush&sort=shipBy");
  for (const _ of [1, 2, 3]) {
    await page.keyboard.press("j");
    await page.keyboard.press("x");
  }
  await selection(page).getByRole("button", { name: "Buy 3 labels" }).waitFor();
  await checkPage(page, "orders-list");
});
