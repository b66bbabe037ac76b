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
  await page.getByText("All well: nothing failed that was not retried.").waitFor();
  await takeScreenshot(page, "tasks-well");
  await page.getByRole("link", { name: "All executions" }).click();
  await page.getByRole("row", { name: /noop/ }).waitFor();
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
  await page.getByRole("link", { name: "the execution it replaces" }).waitFor();
  expect(clicks.count()).toBeLessThanOrEqual(3);
  const { retriedBy } = (await org.get(`/tasks/executions/${ids[0]}`)).body;
  expect(page.url()).toContain(retriedBy[0]);
});

test("an import shows its result in figures, and its log", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/tasks?status=succeeded&taskName=orders.import`);
  await page
    .getByRole("row", { name: /orders\.import/ })
    .getByRole("link")
    .click();
  await page.getByRole("region", { name: "In and out" }).getByText("created").first().waitFor();
  await page.getByRole("region", { name: "In and out" }).getByRole("link", { name: "In", exact: true }).click();
  await page.getByText("As it was asked for").waitFor();
});

test("a running execution is followed live with its log, and cancelled", async () => {
  const { page } = person;
  const id = await execute("sleep", { ms: 60_000 });
  await page.goto(`${hub.url}/tasks/${id}`);
  await page.getByText("live", { exact: true }).waitFor();
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
  await page.getByText("cancelled").first().waitFor();
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
  const dialog = page.getByRole("dialog", { name: "Have you looked at the other side?" });
  await dialog.getByRole("button", { name: "Not now" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await org.get(`/tasks/executions/${id}`)).body.retriedBy).toEqual([]);
});

test("failures are retried by filter, after a preview", async () => {
  const { page } = person;
  const failed = async () => (await org.get("/tasks/executions?status=failed&isRetried=false&code=demo_failure")).body;
  await eventually(failed, ({ pagination }) => pagination.total >= 2);
  await page.goto(`${hub.url}/tasks`);
  await page.getByRole("row", { name: /outcome_unknown/ }).waitFor();
  await page.getByRole("button", { name: "Retry all of these" }).click();
  const dialog = page.getByRole("dialog", { name: "Retry what failed" });
  await dialog.getByText("may have happened all the same").waitFor();
  await takeScreenshot(page, "tasks-retry");
  await dialog.getByRole("button", { name: "Retry 2 executions" }).click();
  await page.getByText("2 executions queued again").waitFor();
  await dialog.waitFor({ state: "detached" });
});
