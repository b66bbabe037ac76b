import { beforeAll, expect, test } from "vitest";
import { eventually } from "../server/src/testing/eventually.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { countClicks, checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let bridgeId: string;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Warehouse East", connector: "demo" })).body.id;
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/tasks");
});

async function execute(taskName: string, input: object = {}, more: object = {}): Promise<string> {
  return (await org.post("/tasks/execute", { bridgeId, taskName, input, ...more })).body.id;
}

async function ended(id: string): Promise<void> {
  await eventually(
    async () => (await org.get(`/tasks/executions/${id}`)).body,
    ({ finishedAt }) => finishedAt !== null,
  );
}

test("the empty state without failures", async () => {
  const { page } = person;
  await ended(await execute("noop", { hello: "world" }));
  await page.goto(`${hub.url}/tasks`);
  await page.getByText("No failed executions need attention.").waitFor();
  await takeScreenshot(page, "tasks-well");
  await page.getByRole("link", { name: "All executions" }).click();
  await page.getByRole("row", { name: /Noop/ }).waitFor();
});

test("journey 10: from the start page a failed task is retried with three clicks", async () => {
  const { page } = person;
  const flaky = { message: "The warehouse did not answer.", retryable: true };
  const ids = await Promise.all([
    execute("fail", flaky, { maxAttempts: 2, retryDelaySeconds: 1 }),
    execute("fail", { message: "SKU MUG-1 is not known." }),
    execute("orders.import", {}),
  ]);
  for (const id of ids) await ended(id);
  await page.goto(`${hub.url}/`);
  const clicks = countClicks();
  await clicks.click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Tasks" }));
  const row = page.getByRole("row", { name: /did not answer/ });
  await row.waitFor();
  await checkPage(page, "tasks");
  await clicks.click(row.getByRole("link"));
  await page.getByRole("table", { name: "Attempts" }).getByRole("row").nth(2).waitFor();
  await takeScreenshot(page, "task-failed");
  await clicks.click(page.getByRole("button", { name: "Retry" }));
  await page.getByRole("link", { name: "Earlier execution" }).waitFor();
  expect(clicks.count()).toBeLessThanOrEqual(3);
  const { retriedBy } = (await org.get(`/tasks/executions/${ids[0]}`)).body;
  expect(page.url()).toContain(retriedBy[0]);
});

test("an import shows its result in figures, and its log", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/tasks?status=succeeded&taskName=orders.import`);
  await page
    .getByRole("row", { name: /Import orders/ })
    .getByRole("link")
    .click();
  await page.getByRole("region", { name: "Input and output" }).getByText("created").first().waitFor();
  await page
    .getByRole("region", { name: "Input and output" })
    .getByRole("link", { name: "Input", exact: true })
    .click();
  await page.getByText("As requested").waitFor();
});

test("a running execution is followed live with its log, and cancelled", async () => {
  const { page } = person;
  const id = await execute("sleep", { ms: 60_000 });
  await page.goto(`${hub.url}/tasks/${id}`);
  await page.getByText("Live", { exact: true }).waitFor();
  const say = async (message: string) =>
    await hub.world.db.query(
      "insert into task_logs (execution_id, attempt, level, message, at) values ($1, 1, $2, $3, now())",
      [id, message.startsWith("Slow") ? "warn" : "info", message],
    );
  await say("Asked for page 1");
  await page.getByRole("log").getByText("Asked for page 1").waitFor();
  await say("Slow answer: 4 s");
  await page.getByRole("log").getByText("warn: Slow answer: 4 s").waitFor();
  await page.getByRole("progressbar").waitFor();
  await takeScreenshot(page, "task-running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled").first().waitFor();
  await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
});

test("an unknown outcome is explained and confirmed before a retry", async () => {
  const { page } = person;
  const id = await execute("fail", { message: "The line broke." });
  await ended(id);
  await hub.world.db.query(
    `update task_executions set error = jsonb_set(error, '{code}', '"outcome_unknown"') where id = $1`,
    [id],
  );
  await page.goto(`${hub.url}/tasks/${id}`);
  await page.getByText("Outcome unknown").waitFor();
  await checkPage(page, "task-unknown");
  await page.getByRole("button", { name: "Retry" }).click();
  const dialog = page.getByRole("dialog", { name: "Retry although the outcome is unknown?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await org.get(`/tasks/executions/${id}`)).body.retriedBy).toEqual([]);
});

test("failures are retried by filter, after a preview", async () => {
  const { page } = person;
  const failed = async () => (await org.get("/tasks/executions?status=failed&isRetried=false&code=demo_failure")).body;
  await eventually(failed, ({ pagination }) => pagination.total >= 2);
  await page.goto(`${hub.url}/tasks`);
  await page.getByRole("row", { name: /The line broke/ }).waitFor();
  await page.getByRole("button", { name: "Retry all" }).click();
  const dialog = page.getByRole("dialog", { name: "Retry failed executions" });
  await dialog.getByText("with an unknown outcome").waitFor();
  await takeScreenshot(page, "tasks-retry");
  await dialog.getByRole("button", { name: "Retry 2 executions" }).click();
  await page.getByText("2 executions queued again").waitFor();
  await dialog.waitFor({ state: "detached" });
});

test("stock levels are listed with location and source, searched by SKU and filtered", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/stock`);
  await page.getByText("No stock levels yet.").waitFor();
  const address = { address1: "1 Dock Rd", city: "Boston", zip: "02108", countryCode: "US" };
  const boston = (await org.post("/locations", { name: "Boston", type: "warehouse", address })).body.id;
  const levels = [
    { sku: "MUG-01", locationId: boston, available: 12, committed: 3 },
    { sku: "TEE-02", locationId: boston, available: 0 },
  ];
  expect((await org.call("PUT", "/stock", { levels })).status).toBe(200);
  await page.reload();
  await page.getByRole("row", { name: /MUG-01 Boston 15 0 15 .*API/ }).waitFor();
  await checkPage(page, "stock");
  await page.getByRole("link", { name: "Out of stock" }).click();
  await page.getByRole("row", { name: /MUG-01/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /TEE-02/ }).waitFor();
  await page.getByRole("link", { name: "All", exact: true }).click();
  await page.getByPlaceholder("Search by SKU").fill("mug");
  await page.getByRole("row", { name: /TEE-02/ }).waitFor({ state: "detached" });
  await page.getByPlaceholder("Search by SKU").fill("none");
  await page.getByText("No stock levels match these filters.").waitFor();
});
