import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/operations/automations");
});

test("an automation starts in preflight mode, and a test shows its effect on past orders", async () => {
  const { page } = person;
  await page.getByText("No automations yet.").waitFor();
  await page.getByRole("link", { name: "Make the first one" }).click();
  await page.getByText("It starts a saved pipeline.").waitFor();
  await seedOrders(org, 12);
  const actions = [{ type: "add_tags", params: { tags: ["seen"] } }];
  await org.post("/operations/pipelines", { name: "Tag what is new", actions });
  await page.reload();
  await page.getByLabel("Name", { exact: true }).fill("Urgent ones are tagged");
  await page.getByRole("button", { name: "+ filter" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Channel" }).click();
  await page.getByLabel("Not", { exact: true }).fill("fair");
  await page.getByLabel("Not", { exact: true }).press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Drop the filter Channel not fair" }).waitFor();
  await page.getByRole("button", { name: "condition" }).click();
  await page.getByRole("combobox", { name: "Field" }).click();
  await page.getByRole("option", { name: "Priority" }).click();
  await page.getByRole("combobox", { name: "Value" }).click();
  await page.getByRole("option", { name: "urgent" }).click();
  await page.getByRole("combobox", { name: "Pipeline" }).click();
  await page.getByRole("option", { name: "Tag what is new" }).click();
  await checkPage(page, "automation-new");
  await page.getByRole("button", { name: "Start in preflight mode" }).click();
  await page.getByText("preflight only", { exact: true }).first().waitFor();
  const [made] = (await org.get("/automations")).body.data;
  expect(made).toMatchObject({
    mode: "preflight",
    trigger: { types: ["order.created"], filter: { channelNot: "fair" } },
    when: { path: "priority", op: "eq", value: "urgent" },
  });
  await org.patch("/orders/SHOP-10003", { priority: "urgent" });
  await page.getByRole("button", { name: "Test over the last 7 days" }).click();
  const table = page.getByRole("table", { name: "What would change" });
  await table.getByRole("row", { name: /SHOP-10003 would be done tags \+ seen/ }).waitFor();
  await checkPage(page, "automation-test");
  expect((await org.get("/orders/SHOP-10003")).body.tags).not.toContain("seen");
});

test("preflights record what it would have done; in run mode it runs, and both are listed", async () => {
  const { page } = person;
  await page.getByRole("link", { name: "What it did" }).click();
  await page.getByText("Nothing set it off yet.").waitFor();
  const checkedOnly = (await org.post("/orders", { priority: "urgent" })).body.id;
  const invocations = page.getByRole("table", { name: "Invocations" });
  await invocations.getByText("1 would be done").waitFor();
  expect((await org.get(`/orders/${checkedOnly}`)).body.tags).toEqual([]);
  await page.getByRole("button", { name: "Let it run" }).click();
  const dialog = page.getByRole("dialog", { name: "Let Urgent ones are tagged run?" });
  await dialog.getByText("In preflight mode it has seen").waitFor();
  await takeScreenshot(page, "automation-live");
  await dialog.getByRole("button", { name: "Let it run, live" }).click();
  await page.getByRole("button", { name: "Back to preflight only" }).waitFor();
  const live = (await org.post("/orders", { priority: "urgent" })).body.id;
  await expect.poll(async () => (await org.get(`/orders/${live}`)).body.tags).toEqual(["seen"]);
  await invocations.getByRole("link", { name: "Run" }).waitFor();
  await invocations.getByText("1 done").waitFor();
  await checkPage(page, "automation");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused", { exact: true }).first().waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Automations" }).click();
  await page.getByRole("table", { name: "Automations" }).getByText("Tag what is new").waitFor();
  await takeScreenshot(page, "automations");
});
