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

test("an automation starts in test mode, and a test shows its effect on past orders", async () => {
  const { page } = person;
  await page.getByText("No automations yet.").waitFor();
  await page.getByRole("link", { name: "Create automation" }).click();
  await page.getByText("An automation runs a preset.").waitFor();
  await seedOrders(org, 12);
  const actions = [{ type: "add_tags", params: { tags: ["seen"] } }];
  await org.post("/operations/pipelines", { name: "Tag what is new", actions });
  await page.reload();
  await page.getByLabel("Name", { exact: true }).fill("Urgent ones are tagged");
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Channel" }).click();
  await page.getByRole("radio", { name: "None of" }).click();
  await page.getByLabel("Search values of Channel").fill("fair");
  await page.getByRole("checkbox", { name: 'Use "fair"' }).click();
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Drop the filter Channel not fair" }).waitFor();
  await page.getByRole("button", { name: "Add condition" }).click();
  await page.getByRole("button", { name: /^Field: Status/ }).click();
  await page.getByLabel("Find: Field").fill("priority");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Value", exact: true }).click();
  await page.getByRole("option", { name: "urgent" }).click();
  await page.getByRole("combobox", { name: "Preset" }).click();
  await page.getByRole("option", { name: "Tag what is new" }).click();
  await checkPage(page, "automation-new");
  await page.getByRole("button", { name: "Start in test mode" }).click();
  await page.getByText("Test mode", { exact: true }).first().waitFor();
  const [made] = (await org.get("/automations")).body.data;
  expect(made).toMatchObject({
    mode: "preflight",
    trigger: { types: ["order.created"], filter: { channelNot: ["fair"] } },
    when: { path: "priority", op: "eq", value: "urgent" },
  });
  await org.patch("/orders/SHOP-10003", { priority: "urgent" });
  await page.getByRole("button", { name: "Test the last 7 days" }).click();
  const table = page.getByRole("table", { name: "Changes" });
  await table.getByRole("row", { name: /SHOP-10003 Would change tags \+ seen/ }).waitFor();
  await checkPage(page, "automation-test");
  expect((await org.get("/orders/SHOP-10003")).body.tags).not.toContain("seen");
});

test("in test mode it records what it would change; live it runs, and both are listed", async () => {
  const { page } = person;
  await page.getByRole("link", { name: "Activity" }).click();
  await page.getByText("No events yet.").waitFor();
  const checkedOnly = (await org.post("/orders", { priority: "urgent" })).body.id;
  const invocations = page.getByRole("table", { name: "Activity" });
  await invocations.getByText("1 would change").waitFor();
  expect((await org.get(`/orders/${checkedOnly}`)).body.tags).toEqual([]);
  await page.getByRole("button", { name: "Go live" }).click();
  const dialog = page.getByRole("dialog", { name: "Go live with Urgent ones are tagged?" });
  await dialog.getByText("In test mode it checked").waitFor();
  await takeScreenshot(page, "automation-live");
  await dialog.getByRole("button", { name: "Go live" }).click();
  await page.getByRole("button", { name: "Back to test mode" }).waitFor();
  const live = (await org.post("/orders", { priority: "urgent" })).body.id;
  await expect.poll(async () => (await org.get(`/orders/${live}`)).body.tags).toEqual(["seen"]);
  await invocations.getByRole("link", { name: "Run" }).waitFor();
  await invocations.getByText("1 done").waitFor();
  await checkPage(page, "automation");
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).first().waitFor();
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Automations" }).click();
  await page.getByRole("table", { name: "Automations" }).getByText("Tag what is new").waitFor();
  await takeScreenshot(page, "automations");
});

test("an automation with a wait, branches and limits is created, listed in order, and changed", async () => {
  const { page } = person;
  const actions = [{ type: "hold", params: { reason: "awaiting_payment" } }];
  await org.post("/operations/pipelines", { name: "Hold for payment", actions });
  await page.goto(`${hub.url}/operations/automations/new`);
  await page.getByLabel("Name", { exact: true }).fill("Unpaid after two hours");
  await page.getByRole("combobox", { name: "Runs" }).click();
  await page.getByRole("option", { name: "After some time" }).click();
  await page.getByLabel("Time", { exact: true }).fill("2");
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Run a preset depending on conditions" }).click();
  await page.getByRole("button", { name: "Add branch" }).click();
  const branch = page.getByRole("group", { name: "Branch 1" });
  await branch.getByRole("button", { name: "Add condition" }).click();
  await branch.getByRole("button", { name: /^Field: Status/ }).click();
  await page.getByLabel("Find: Field").fill("payment status");
  await page.keyboard.press("Enter");
  await branch.getByRole("combobox", { name: "Value", exact: true }).click();
  await page.getByRole("option", { name: "pending" }).click();
  await branch.getByRole("combobox", { name: "Preset" }).click();
  await page.getByRole("option", { name: "Hold for payment" }).click();
  await page.getByRole("combobox", { name: "Other orders" }).click();
  await page.getByRole("option", { name: "Tag what is new" }).click();
  await page.getByRole("button", { name: "Order and limits" }).click();
  await page.getByRole("checkbox", { name: /Later automations leave out/ }).click();
  await page.getByLabel("Runs per order, at most (optional)").fill("3");
  await checkPage(page, "automation-branches");
  await page.getByRole("button", { name: "Start in test mode" }).click();
  await page.getByText("waits 2 hours").waitFor();
  const made = (await org.get("/automations")).body.data.find(({ name }: { name: string }) =>
    name.startsWith("Unpaid"),
  );
  expect(made).toMatchObject({
    wait: { until: "2h" },
    pipeline_id: null,
    branches: [{ when: { path: "paymentStatus", op: "eq", value: "pending" } }],
    stop_further_rules: true,
    max_per_object: 3,
  });
  await page.getByRole("link", { name: "Waiting orders" }).click();
  await page.getByText("No orders are waiting.").waitFor();
  const number = (await org.post("/orders", { paymentStatus: "pending" })).body.number;
  await page.getByRole("table", { name: "Waiting orders" }).getByRole("link", { name: number }).waitFor();
  await takeScreenshot(page, "automation-waiting");

  // Without branches again, and without a wait.
  await page.getByRole("link", { name: "Settings" }).last().click();
  await page.getByRole("combobox", { name: "Runs" }).click();
  await page.getByRole("option", { name: "At once" }).click();
  await page.getByRole("combobox", { name: "Action" }).click();
  await page.getByRole("option", { name: "Run one preset" }).click();
  await page.getByRole("combobox", { name: "Preset" }).click();
  await page.getByRole("option", { name: "Hold for payment" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect
    .poll(async () => (await org.get(`/automations/${made.id}`)).body)
    .toMatchObject({ wait: null, branches: null, otherwise: null, stop_further_rules: true });

  await page.goto(`${hub.url}/operations/automations`);
  const names = async (): Promise<string[]> =>
    (await org.get("/automations")).body.data.map(({ name }: { name: string }) => name);
  expect(await names()).toEqual(["Urgent ones are tagged", "Unpaid after two hours"]);
  await page.getByRole("button", { name: "Move Unpaid after two hours up" }).click();
  await expect.poll(names).toEqual(["Unpaid after two hours", "Urgent ones are tagged"]);
  await page.getByRole("row").nth(1).getByText("Unpaid after two hours").waitFor();
  await checkPage(page, "automations-ordered");
});
