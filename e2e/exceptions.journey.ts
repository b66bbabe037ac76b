import { beforeAll, beforeEach, expect, test } from "vitest";
import type { PulledRecord } from "../server/src/connectors/connector.ts";
import { pullTask, pushTask } from "../server/src/connectors/standard-tasks.ts";
import { RemoteError } from "../server/src/core/remote-error.ts";
import { Type } from "../server/src/core/type.ts";
import { installConnector } from "../server/src/testing/scripted-connector.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let bridgeId: string;

/** The next records of the shop, and the orders it rejects. */
let page: PulledRecord[] = [];
const refuses = new Set<string>();
const connector = installConnector([
  pullTask("orders.import", {
    description: "What a test says.",
    isIncremental: false,
    input: Type.Object({}),
    async *pull() {
      yield await Promise.resolve({ records: page, cursor: null });
    },
  }),
  pushTask("orders.export", {
    description: "What a test says.",
    idempotent: true,
    async send(_call, { number }) {
      if (refuses.has(String(number))) throw new RemoteError("rejected", `${String(number)} is not known here`);
      return await Promise.resolve({});
    },
  }),
]);

let minute = 0;
function record(number: string, more: object = {}): PulledRecord {
  const updatedAt = new Date(Date.UTC(2026, 1, 1, 0, ++minute)).toISOString();
  const shippingAddress = { name: "Ada Lee", address1: "12 High St", city: "Albany", zip: "12207", countryCode: "US" };
  const body = { number, status: "ready", shippingAddress, lines: [{ sku: "MUG", quantity: 2 }], ...more };
  return { externalId: number, updatedAt, raw: { ref: number, ...more }, canonical: body };
}
const broken = (number: string): PulledRecord => record(number, { currency: "dollars" });
const moved = { shippingAddress: { name: "Ada Lee", address1: "1 New Road", city: "Troy", zip: "12180" } };

async function execute(taskName: string, input: object = {}): Promise<{ id: string; status: string }> {
  return (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;
}
async function importing(...records: PulledRecord[]) {
  page = records;
  return await execute("orders.import");
}
const open = async (): Promise<number> => (await org.get("/exceptions/counts")).body.total;
const order = async (number: string) => (await org.get(`/orders/${number}`)).body;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Shop", connector })).body.id;
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/exceptions");
});

beforeEach(() => refuses.clear());

/** Opens the panel of the exception with this name. */
async function look(name: string) {
  const screen = person.page;
  await screen.getByRole("table", { name: "Exceptions" }).getByRole("link", { name, exact: true }).click();
  const panel = screen.getByRole("dialog", { name });
  await panel.getByRole("region", { name: "What is wrong" }).waitFor();
  return panel;
}
const rail = () => person.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Exceptions/ });

test("the empty state; exceptions appear and resolve automatically", async () => {
  const screen = person.page;
  await screen.getByText("Nothing is wrong").waitFor();
  await takeScreenshot(screen, "exceptions-well");
  await importing(broken("A-1"));
  await screen.getByRole("link", { name: "A-1", exact: true }).waitFor();
  await expect.poll(() => rail().innerText()).toMatch(/Exceptions\s*1/);
  await importing(record("A-1"));
  await screen.getByText("Nothing is wrong").waitFor();
  await screen.getByRole("link", { name: "What was resolved" }).click();
  await screen.getByRole("row", { name: /A-1.*resolved automatically/ }).waitFor();
});

test("a rejected record is corrected beside its errors; remaining errors are shown", async () => {
  const screen = person.page;
  await importing(broken("B-1"), broken("B-2"), broken("B-3"));
  await screen.goto(`${hub.url}/exceptions`);
  const panel = await look("B-1");
  await panel.getByRole("region", { name: "The record" }).getByText("dollars").waitFor();
  await checkPage(screen, "exceptions");
  await panel.getByRole("button", { name: "Retry", exact: true }).click();
  await panel.getByRole("alert").getByText("It did not work").waitFor();
  await panel.getByRole("button", { name: "Edit and retry" }).click();
  await panel.getByLabel("Currency").fill("EUR");
  await takeScreenshot(screen, "exception-edit");
  await panel.getByRole("button", { name: "Take it so" }).click();
  await panel.getByText("corrected").waitFor();
  expect(await order("B-1")).toMatchObject({ currency: "EUR" });
  // The others as a group.
  await panel.getByRole("button", { name: "Close" }).click();
  await screen.getByRole("button", { name: "More about validation_failed" }).click();
  await screen.getByRole("menuitem", { name: "Dismiss these" }).click();
  await screen.getByRole("button", { name: "Dismiss 2 exceptions" }).click();
  await screen.getByText("Nothing is wrong").waitFor();
  expect((await org.get("/exceptions?status=dismissed")).body.pagination.total).toBe(2);
});

test("disputed values are shown side by side: one is accepted, one kept; the order links to them", async () => {
  const screen = person.page;
  await importing(record("C-1"), record("C-2"));
  await hub.world.db.query("update orders set status = 'sent' where org_id = $1 and number like 'C-%'", [org.id]);
  await importing(record("C-1", moved), record("C-2", moved));
  await screen.goto(`${hub.url}/orders/C-1`);
  await screen.getByText("1 exception is open about this.").waitFor();
  await screen.getByRole("link", { name: "Look at it" }).click();
  const panel = await look("C-1");
  await panel.getByRole("row", { name: /Shipping address.*Albany.*Troy/ }).waitFor();
  await takeScreenshot(screen, "exception-theirs");
  await panel.getByRole("button", { name: "Accept theirs" }).click();
  await panel.getByText("theirs was accepted").waitFor();
  await screen.goto(`${hub.url}/exceptions?kind=import_conflict`);
  const other = await look("C-2");
  await other.getByRole("button", { name: "Keep ours" }).click();
  await other.getByText("ours was kept").waitFor();
  expect([(await order("C-1")).shippingAddress.city, (await order("C-2")).shippingAddress.city]).toEqual([
    "Troy",
    "Albany",
  ]);
  expect(await open()).toBe(0);
});

test("a failed order is sent again on its own, from its execution", async () => {
  const screen = person.page;
  await importing(record("D-1"), record("D-2"));
  refuses.add("D-2");
  const { id, status } = await execute("orders.export", { orderIds: ["D-1", "D-2"] });
  expect(status).toBe("completed_with_errors");
  await screen.goto(`${hub.url}/tasks/${id}`);
  await screen.getByText("It was done to its end, and a part of it failed.").waitFor();
  await takeScreenshot(screen, "task-in-part");
  await screen.getByRole("link", { name: "Look at it" }).click();
  const panel = await look("D-2");
  await panel.getByText("D-2 is not known here").first().waitFor();
  refuses.clear();
  await panel.getByRole("button", { name: "Retry", exact: true }).click();
  await panel.getByText("tried again, and it worked").waitFor();
  await panel.getByRole("link", { name: "see how it goes" }).click();
  await screen.getByRole("link", { name: "what failed in that execution, and nothing else" }).waitFor();
  expect(await open()).toBe(0);
});
