import { beforeAll, expect, test } from "vitest";
import { eventually } from "../server/src/testing/eventually.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { countClicks, checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { multiplyOrder, seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

beforeAll(async () => {
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  await seedOrders(org, 140);
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/orders");
});

test("journey 1 with the mouse: from the view to the run in seven clicks", async () => {
  const { page } = person;
  const ready = (await org.get("/orders?status=ready&limit=1")).body.pagination.total;
  await page.getByRole("row", { name: /SHOP-/ }).first().waitFor();
  const clicks = countClicks();
  await clicks.click(page.getByRole("link", { name: /^Ready/ }));
  await page.getByText(`${ready} orders match`).waitFor();
  await clicks.click(page.getByRole("checkbox", { name: "Select all that are shown" }));
  await page.getByText(/selected, all that are shown|that match selected/).waitFor();
  await clicks.click(page.getByRole("button", { name: "Bulk edit" }));
  await page.getByText(/orders?, selected/).waitFor();
  await clicks.click(page.getByRole("button", { name: "Add step" }));
  await clicks.click(page.getByRole("dialog").getByRole("button", { name: /^Add tags/ }));
  await page.getByLabel("Tags", { exact: true }).fill("clicked");
  await page.getByLabel("Tags", { exact: true }).press("Enter");
  const run = page.getByRole("button", { name: /Run on \d+ live orders/ });
  await run.waitFor();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await clicks.click(run);
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect(clicks.count()).toBeLessThanOrEqual(7);
  expect((await org.get("/orders?tag=clicked&limit=1")).body.pagination.total).toBe(ready);
});

test("two users edit the same record: the second sees both versions and loses nothing", async () => {
  const { page } = await browser.person();
  await page.clock.install();
  const { body: location } = await org.post("/locations", { name: "Newark", address: { city: "Newark" } });
  await signIn(page, hub, org.admin, `/locations/${location.id}`);
  await page.getByLabel("City").fill("Jersey City");
  const other = await browser.person();
  await signIn(other.page, hub, org.admin, `/locations/${location.id}`);
  await other.page.getByLabel("Name").fill("Newark Port");
  await other.page.getByRole("button", { name: "Save" }).click();
  await other.page.getByText("Saved", { exact: true }).waitFor();
  // The page refetches when it becomes visible and keeps what was typed.
  await page.clock.fastForward(10_000);
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
  await page.getByRole("heading", { name: /Newark Port/ }).waitFor();
  expect(await page.getByLabel("City").inputValue()).toBe("Jersey City");
  await page.getByRole("button", { name: "Save" }).click();
  const conflict = page.getByRole("alert", { name: "Changed by another user" });
  await conflict.getByRole("row", { name: /^City Jersey City Newark$/ }).waitFor();
  expect((await org.get(`/locations/${location.id}`)).body.address.city).toBe("Newark");
  await checkPage(page, "conflict");
  // One way to save, not two.
  expect(await page.getByRole("button", { name: "Save", exact: true }).count()).toBe(0);
  await conflict.getByRole("button", { name: "Save mine" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  expect((await org.get(`/locations/${location.id}`)).body).toMatchObject({
    name: "Newark Port",
    address: { city: "Jersey City" },
  });
  await other.page.getByLabel("City").fill("Hoboken");
  await other.page.getByRole("button", { name: "Save" }).click();
  await other.page.getByRole("button", { name: "Use theirs" }).click();
  await expect.poll(() => other.page.getByLabel("City").inputValue()).toBe("Jersey City");
});

test("a save while the hub is unreachable is applied once when it is back, and later input stays", async () => {
  const { page, context } = await browser.person();
  const { body: location } = await org.post("/locations", { name: "Trenton", address: { city: "Trenton" } });
  await signIn(page, hub, org.admin, `/locations/${location.id}`);
  await page.getByLabel("City").fill("Princeton");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The hub does not answer.").waitFor();
  await page.getByText("Not saved yet. The change is saved when the hub is back.").waitFor();
  await takeScreenshot(page, "save-hub-away");
  await page.getByLabel("Name").fill("Trenton North");
  await context.setOffline(false);
  await page.getByText("Saved", { exact: true }).waitFor();
  const read = async () => (await org.get(`/locations/${location.id}`)).body;
  expect(await read()).toMatchObject({
    name: "Trenton",
    address: { city: "Princeton" },
    version: location.version + 1,
  });
  expect(await page.getByLabel("Name").inputValue()).toBe("Trenton North");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await read()).name).toBe("Trenton North");

  // A dialog that creates a record.
  await page.goto(`${hub.url}/locations`);
  await page.getByRole("button", { name: "New location" }).first().click();
  const dialog = page.getByRole("dialog", { name: "New location" });
  await dialog.getByLabel("Name").fill("Camden");
  await context.setOffline(true);
  await dialog.getByRole("button", { name: /^(Make|Create|Add)/ }).click();
  await page.getByText("The hub does not answer.").waitFor();
  await context.setOffline(false);
  await expect
    .poll(async () => (await org.get("/locations?search=Camden")).body.data.map(({ name }: { name: string }) => name))
    .toEqual(["Camden"]);
});

test("Enter before the list of actions has loaded picks the action when it has", async () => {
  const { page } = await browser.person();
  await signIn(page, hub, org.admin, "/orders?search=SHOP-1002");
  await page.getByRole("row", { name: /SHOP-10020/ }).waitFor();
  const mayAnswer = Promise.withResolvers<void>();
  await page.route("**/api/v1/operations/actions", async (route) => {
    await mayAnswer.promise;
    await route.continue();
  });
  await page.keyboard.press("Control+a");
  await page.keyboard.press("e");
  await page.getByText(/orders?, selected/).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("Find an action").fill("set priority");
  await page.keyboard.press("Enter");
  mayAnswer.resolve();
  await page.getByLabel("Priority").waitFor();
});

test("two tabs: orders that changed since the preflight are not run, and are checked again", async () => {
  const { page, context } = person;
  await page.goto(`${hub.url}/orders?search=SHOP-1001`);
  await page.getByRole("row", { name: /SHOP-10010/ }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("e");
  await page.getByText(/orders?, selected/).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("Find an action").fill("set priority");
  await page.keyboard.press("Enter");
  await page.getByLabel("Priority").click();
  await page.getByRole("option", { name: "urgent" }).click();
  const run = page.getByRole("button", { name: /Run on \d+ live orders/ });
  await run.waitFor();
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  const tab = await context.newPage();
  await tab.goto(`${hub.url}/orders/SHOP-10011`);
  await tab.getByRole("heading", { name: "Activity" }).waitFor();
  await org.patch("/orders/SHOP-10011", { tags: ["changed"] });
  await run.click();
  await page.getByRole("alert").getByRole("button", { name: "Details" }).click();
  await page.getByRole("alert").getByText("orders_drifted").waitFor();
  await takeScreenshot(page, "drift");
  expect((await org.get("/orders/SHOP-10010")).body.priority).not.toBe("urgent");
  await page.getByRole("alert").getByRole("button", { name: "Update preview" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  await expect.poll(() => run.getAttribute("aria-disabled")).toBe(null);
  await run.click();
  await page.getByText("Done", { exact: true }).first().waitFor();
  expect((await org.get("/orders/SHOP-10011")).body).toMatchObject({ priority: "urgent", tags: ["changed"] });
  await tab.close();
});

test("a page without permission says so; the scope is behind Details, and the menu leaves the page out", async () => {
  const email = "viewer@trouble.example";
  await org.post("/users", { email, role: "viewer", password: org.admin.password });
  const viewer = await browser.person();
  await signIn(viewer.page, hub, { email, password: org.admin.password }, "/settings/audit");
  const alert = viewer.page.getByRole("alert");
  await alert.getByText("You do not have permission for this.").waitFor();
  expect(await alert.innerText()).not.toMatch(/scope|token/);
  await alert.getByRole("button", { name: "Details" }).click();
  await alert.getByText("insufficient_scope").waitFor();
  await alert.getByText(/audit:read/).waitFor();
  const menu = viewer.page.getByRole("navigation", { name: "Main" });
  await menu.getByRole("button", { name: "Admin" }).click();
  await menu.getByRole("link", { name: "Settings" }).waitFor();
  expect(await menu.getByRole("link", { name: /^(Audit|Users|Requests|Organizations)$/ }).count()).toBe(0);
  await takeScreenshot(viewer.page, "forbidden");
  const check = viewer.page.getByRole("button", { name: "Verify the log" });
  await check.hover();
  await viewer.page.getByText("Your role, viewer, has no permission to view the audit log.").waitFor();
});

test("a filter with a hundred thousand orders is selected, checked and run after typing the count", async () => {
  const { page } = await browser.person({ mayBeBusy: true });
  await signIn(page, hub, org.admin, "/orders");
  const { body: first } = await org.post("/orders", { number: "BIG", status: "ready", channel: "wholesale" });
  await multiplyOrder(hub, first.id, 99_999);
  await page.goto(`${hub.url}/orders?channel=wholesale`);
  await page.getByText("100,000 orders match").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByText("100 selected, all that are shown").waitFor();
  await page.keyboard.press("Control+a");
  await page.getByText("All 100,000 orders that match selected").waitFor();
  await page.keyboard.press("e");
  await page.getByText(/100,000 orders, selected/).waitFor();
  await page.keyboard.press("a");
  await page.getByLabel("Find an action").fill("add tags");
  await page.keyboard.press("Enter");
  await page.getByLabel("Tags", { exact: true }).fill("seen");
  await page.getByLabel("Tags", { exact: true }).press("Enter");
  const run = page.getByRole("button", { name: "Run on 100,000 live orders" });
  await run.waitFor({ timeout: 120_000 });
  await expect.poll(() => run.getAttribute("aria-disabled"), { timeout: 120_000 }).toBe(null);
  await takeScreenshot(page, "operate-100000");
  await run.click();
  const ask = page.getByRole("dialog", { name: "Run on 100,000 live orders?" });
  await ask.getByLabel(/Type 100,000/).fill("10,000");
  await ask.getByLabel(/Type 100,000/).press("Enter");
  expect(await ask.getByRole("button", { name: "Run on 100,000 orders" }).getAttribute("aria-disabled")).toBe("true");
  expect((await org.get("/operations/runs?limit=1")).body.data[0].order_count).not.toBe(100_000);
  await ask.getByLabel(/Type 100,000/).fill("100000");
  await ask.getByRole("button", { name: "Run on 100,000 orders" }).click();
  await page.getByRole("progressbar").waitFor();
  const { data } = (await org.get("/operations/runs?limit=1")).body;
  expect(data[0]).toMatchObject({ order_count: 100_000 });
  await page.getByRole("button", { name: "Stop run" }).click();
  await eventually(
    async () => (await org.get(`/operations/runs/${data[0].id}?results_limit=0`)).body,
    ({ status }) => status === "cancelled",
  );
});
