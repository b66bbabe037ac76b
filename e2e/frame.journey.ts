import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

/** Live and preview, as one hub serves them. */
const ports = { live: 0, preview: 0 };
let live: TestHub;
let preview: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

const portOf = ({ url }: TestHub): number => Number(new URL(url).port);

beforeAll(async () => {
  [live, preview, browser] = await Promise.all([
    startConsoleHub({ settings: { ports } }),
    startConsoleHub({ environment: "preview", settings: { ports } }),
    openBrowser(),
  ]);
  ports.live = portOf(live);
  ports.preview = portOf(preview);
  org = await live.org();
  person = await browser.person({ viewport: { width: 1440, height: 900 } });
  await signIn(person.page, live, org.admin);
});

test("an empty hub shows how to set it up, from real counts, until it is hidden", async () => {
  const { page } = person;
  const setup = page.getByRole("region", { name: "Set up your hub" });
  await setup.getByText("0 of 5 done").waitFor();
  expect(await setup.getByRole("link", { name: "Connect a shop" }).getAttribute("href")).toBe("/bridges/new");
  await checkPage(page, "start");
  await org.post("/bridges", { name: "Web shop", connector: "demo" });
  await seedOrders(org, 120);
  await page.reload();
  await setup.getByText("3 of 5 done").waitFor();
  await setup.getByText("120 orders are in the hub.").waitFor();
  // The next step has the one primary button.
  const carrier = setup.getByRole("link", { name: "Connect a carrier" });
  expect(await carrier.getAttribute("class")).toContain("bg-accent");
  await checkPage(page, "start-three");
  expect(await setup.getByRole("link", { name: "Open the demo preview" }).getAttribute("href")).toBe(`${preview.url}/`);
  const saved = page.waitForResponse(
    (response) => response.url().endsWith("/me/preferences") && response.request().method() === "PUT",
  );
  await setup.getByRole("button", { name: "Hide" }).click();
  await saved;
  await setup.waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("list", { name: "Needs attention" }).waitFor();
  expect(await setup.count()).toBe(0);
});

test("the menu has groups, folds Admin, and shows a badge only where something waits", async () => {
  const { page } = person;
  const menu = page.getByRole("navigation", { name: "Main" });
  const names = async (group: string): Promise<string[]> =>
    (await menu.getByRole("group", { name: group }).getByRole("link").allTextContents()).map((name) => name.trim());
  expect(await names("Work")).toEqual(expect.arrayContaining(["Overview", "Orders", "Exceptions", "Runs", "Presets"]));
  expect(await names("Ship")).toEqual(
    expect.arrayContaining(["Shipments", "Labels", "Pickups", "Rates", "Carrier accounts", "Locations"]),
  );
  expect(await names("Connect")).toEqual(
    expect.arrayContaining(["Connections", "Automations", "Field mappings", "Webhooks", "Value lists", "Schedules"]),
  );
  expect(await names("Admin")).toEqual([]);
  await menu.getByRole("button", { name: "Admin" }).click();
  await expect.poll(() => names("Admin")).toEqual(["Keys", "Users", "Audit", "Requests", "Settings"]);
  const [{ id }] = (await org.get("/bridges")).body.data;
  expect((await org.post("/tasks/execute-sync", { bridgeId: id, taskName: "fail" })).status).toBe(200);
  await expect.poll(async () => (await org.get(`/bridges/${id}`)).body.health.status).toBe("failing");
  await page.reload();
  await menu.getByRole("link", { name: /^Connections 1$/ }).waitFor();
  await takeScreenshot(page, "menu");

  // Icons with a dot from 760 px, a drawer below.
  await page.setViewportSize({ width: 900, height: 800 });
  const box = (await menu.boundingBox())!;
  expect(box.width).toBeLessThan(64);
  await takeScreenshot(page, "menu-900");
  await menu.getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await menu.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await takeScreenshot(page, "menu-390");
  await menu.getByRole("link", { name: "Locations" }).click();
  await page.getByRole("heading", { name: "Locations", level: 1 }).waitFor();
  await expect.poll(() => menu.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("pages of cards are centred, lists use all the room", async () => {
  const { page } = person;
  await page.setViewportSize({ width: 1920, height: 900 });
  const edges = async (): Promise<{ start: number; end: number; width: number }> => {
    const main = (await page.getByRole("main").boundingBox())!;
    const head = (await page.getByRole("heading", { level: 1 }).locator("..").boundingBox())!;
    return { start: head.x - main.x, end: main.x + main.width - head.x - head.width, width: head.width };
  };
  await page.goto(`${live.url}/settings`);
  await page.getByRole("button", { name: "Save settings" }).waitFor();
  const form = await edges();
  expect(form.width).toBeLessThan(900);
  expect(Math.abs(form.start - form.end)).toBeLessThan(20);
  await page.goto(`${live.url}/`);
  await page.getByRole("heading", { level: 1 }).waitFor();
  const cards = await edges();
  expect(cards.width).toBe(1360);
  expect(Math.abs(cards.start - cards.end)).toBeLessThan(20);
  await page.goto(`${live.url}/orders`);
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  expect((await edges()).width).toBeGreaterThan(1600);
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("the palette offers actions for the selection first and never preselects a destructive one", async () => {
  const { page } = person;
  await page.goto(`${live.url}/orders`);
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search or run a command" });
  const chosen = page.locator("[role=option][aria-selected=true]");
  await page.getByText(/^\d+ selected orders$/).waitFor();
  await takeScreenshot(page, "palette-selection");
  await field.fill("cancel orders");
  await page.getByRole("option", { name: "Cancel orders", exact: true }).waitFor();
  expect(await chosen.filter({ hasText: /^Cancel orders$/ }).count()).toBe(0);
  await field.fill("hold");
  await expect.poll(() => chosen.innerText()).toMatch(/^Hold/);
  await field.fill("bridges");
  await expect.poll(() => chosen.innerText()).toMatch(/^Connections/);
  await field.fill("web");
  await expect.poll(() => chosen.innerText()).toMatch(/^Webhooks/);
  await field.fill("shop or warehouse");
  await expect.poll(() => chosen.innerText()).toMatch(/^New connection/);
  await field.fill("dark theme");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
  await page.keyboard.press("Control+k");
  await field.fill("theme of");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBeNull();
  await page.keyboard.press("Control+k");
  await page.getByText("Recent", { exact: true }).waitFor();
  await field.fill("SHOP-100");
  await page.getByRole("option", { name: "Search orders for “SHOP-100”" }).click();
  await page.waitForURL(/\/orders\?search=SHOP-100/);
});

test("the account menu shows the person and leads to the account", async () => {
  const { page } = person;
  await page.getByRole("button", { name: /^Account of/ }).click();
  const menu = page.getByRole("dialog", { name: "Account" });
  await menu.getByText(org.admin.email).waitFor();
  await takeScreenshot(page, "account-menu");
  await menu.getByRole("link", { name: "My account" }).click();
  await page.waitForURL(/\/settings\/account/);
  await menu.waitFor({ state: "detached" });
});

test("a date is typed in any usual form and is shown in one", async () => {
  const { page } = person;
  await page.goto(`${live.url}/settings/audit`);
  const from = page.getByLabel("From", { exact: true });
  await from.fill("18 Nov 2026");
  await page.waitForURL(/from=2026-11-18/);
  await from.blur();
  await expect.poll(() => from.inputValue()).toBe("2026-11-18");
  await from.fill("11/18/2026");
  await expect.poll(() => from.getAttribute("aria-invalid")).toBe("true");
  await expect.poll(() => page.url()).not.toMatch(/from=/);
});

test("the preview leads to live and back, its clock can be set, and it can be reset", async () => {
  const { page } = await browser.person({ viewport: { width: 1440, height: 900 } });
  await signIn(page, preview, { email: "admin@hub.example", password: org.admin.password }, "/condition-sets");
  const bar = page.getByRole("complementary", { name: "PREVIEW" });
  expect(await bar.getByRole("link", { name: "Go to live" }).getAttribute("href")).toBe(`${live.url}/`);
  await bar.getByRole("button", { name: /^Clock: / }).click();
  const clock = page.getByRole("dialog", { name: "Preview clock" });
  await clock.getByLabel("Date").fill("14.03.2027");
  await clock.getByLabel("Time").fill("9:00 pm");
  await clock.getByRole("button", { name: "Set the clock" }).click();
  // The dialog hides the bar from assistive technology, so it is not found by its role.
  const shown = page.locator("aside[aria-label=PREVIEW]");
  await shown.getByText(/14 Mar.* 21:00 \(changed\)/).waitFor();
  await checkPage(page, "preview-clock");
  await clock.getByRole("button", { name: "Stop the clock" }).click();
  await shown.getByText(/\(stopped\)/).waitFor();
  await clock.getByRole("button", { name: "Use the real time" }).click();
  await shown.getByText(/^Clock: today \d\d:\d\d$/).waitFor();
  await clock.getByRole("button", { name: "Done" }).click();
  await preview.operator.post("/condition-sets", { name: "Gone soon" });
  await bar.getByRole("button", { name: "Reset" }).click();
  const ask = page.getByRole("dialog", { name: "Reset the preview?" });
  await ask.getByText("Live data does not change.").waitFor();
  await takeScreenshot(page, "preview-reset");
  await ask.getByRole("button", { name: "Reset the preview" }).click();
  await ask.waitFor({ state: "detached", timeout: 60_000 });
  const names = (await preview.operator.get("/condition-sets")).body.data.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["Remote states"]);
  // The palette has it too, and does not choose it in advance.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("reset the preview");
  await page.getByRole("option", { name: /^Reset the preview/ }).waitFor();
  await page.keyboard.press("Enter");
  expect(await ask.count()).toBe(0);
});

test("users without the permission can neither set the clock nor reset the preview", async () => {
  const { page } = await browser.person();
  const other = await preview.org();
  await signIn(page, preview, other.admin);
  const bar = page.getByRole("complementary", { name: "PREVIEW" });
  await bar.getByText(/^Clock: /).waitFor();
  expect(await bar.getByRole("button").count()).toBe(0);
});
