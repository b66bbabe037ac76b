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
  await panel.getByRole("region", { name: "Cause" }).waitFor();
  return panel;
}
const rail = () => person.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Exceptions/ });

test("the empty state; exceptions appear and resolve automatically", async () => {
  const screen = person.page;
  await screen.getByText("No open exceptions").waitFor();
  await takeScreenshot(screen, "exceptions-well");
  await importing(broken("A-1"));
  await screen.getByRole("link", { name: "A-1", exact: true }).waitFor();
  await expect.poll(() => rail().innerText()).toMatch(/Exceptions\s*1/);
  await importing(record("A-1"));
  await screen.getByText("No open exceptions").waitFor();
  await screen.getByRole("link", { name: "Show resolved exceptions" }).click();
  await screen.getByRole("row", { name: /A-1.*Resolved automatically/ }).waitFor();
});

test("a rejected record is corrected beside its errors; remaining errors are shown", async () => {
  const screen = person.page;
  await importing(broken("B-1"), broken("B-2"), broken("B-3"));
  await screen.goto(`${hub.url}/exceptions`);
  const panel = await look("B-1");
  await panel.getByRole("region", { name: "Record" }).getByText("dollars").waitFor();
  await checkPage(screen, "exceptions");
  await panel.getByRole("button", { name: "Retry", exact: true }).click();
  await panel.getByRole("alert").getByText("The action failed").waitFor();
  await panel.getByRole("button", { name: "Edit and retry" }).click();
  await panel.getByLabel("Currency").fill("EUR");
  await takeScreenshot(screen, "exception-edit");
  await panel.getByRole("button", { name: "Save and retry" }).click();
  await panel.getByText("Corrected").waitFor();
  expect(await order("B-1")).toMatchObject({ currency: "EUR" });
  // The others as a group.
  await panel.getByRole("button", { name: "Close" }).click();
  await screen.getByRole("button", { name: "More actions: Invalid value: currency" }).click();
  await screen.getByRole("menuitem", { name: "Dismiss all" }).click();
  await screen.getByRole("button", { name: "Dismiss 2 exceptions" }).click();
  await screen.getByText("No open exceptions").waitFor();
  expect((await org.get("/exceptions?status=dismissed")).body.pagination.total).toBe(2);
});

test("disputed values are shown side by side: one is accepted, one kept; the order links to them", async () => {
  const screen = person.page;
  await importing(record("C-1"), record("C-2"));
  await hub.world.db.query("update orders set status = 'sent' where org_id = $1 and number like 'C-%'", [org.id]);
  await importing(record("C-1", moved), record("C-2", moved));
  await screen.goto(`${hub.url}/orders/C-1`);
  await screen.getByText("1 open exception.").waitFor();
  await screen.getByRole("link", { name: "View exception" }).click();
  const panel = await look("C-1");
  await panel.getByRole("row", { name: /Shipping address.*Albany.*Troy/ }).waitFor();
  await takeScreenshot(screen, "exception-theirs");
  await panel.getByRole("button", { name: "Use the source" }).click();
  await panel.getByText("Source used").waitFor();
  await screen.goto(`${hub.url}/exceptions?kind=import_conflict`);
  const other = await look("C-2");
  await other.getByRole("button", { name: "Keep the order" }).click();
  await other.getByText("Order kept").waitFor();
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
  await screen.getByText("The execution finished, but a part of it failed.").waitFor();
  await takeScreenshot(screen, "task-in-part");
  await screen.getByRole("link", { name: "View exception" }).click();
  const panel = await look("D-2");
  await panel.getByText("D-2 is not known here").first().waitFor();
  refuses.clear();
  await panel.getByRole("button", { name: "Retry", exact: true }).click();
  await panel.getByText("Retried").waitFor();
  await panel.getByRole("link", { name: "View the retry" }).click();
  await screen.getByRole("link", { name: "Failed part of an earlier execution" }).waitFor();
  expect(await open()).toBe(0);
});

test("an exception of a field mapping leads to the mapping, and adds the missing entry for all records that wait", async () => {
  const screen = person.page;
  const map = { open: "ready", gone: "cancelled" };
  const body = {
    name: "Shop status",
    bridgeId,
    taskName: "orders.import",
    direction: "inbound",
    mode: "extend",
    mappings: [{ source: "$.state", target: "status", transforms: [{ lookup: { map } }] }],
  };
  const { id } = (await org.post("/transformations", body)).body;
  const sent = (number: string, state: string): PulledRecord => ({ ...record(number), raw: { ref: number, state } });
  await importing(sent("E-1", "delivered"), sent("E-2", "delivered"), sent("E-3", "packed"));
  await screen.goto(`${hub.url}/exceptions`);
  const causes = screen.getByRole("table", { name: "Exceptions by cause" });
  await causes.getByRole("row", { name: /No entry in the mapping table: status.*3/ }).waitFor();
  const panel = await look("E-1");
  await panel.getByText('Status: The table has no entry for "delivered".').waitFor();
  expect(await panel.getByRole("link", { name: "Shop status" }).getAttribute("href")).toBe(`/transformations/${id}`);
  // The record is corrected as received, and the form says which values are known.
  await panel.getByRole("button", { name: "Edit and retry" }).click();
  await panel.getByText("“delivered” is unknown. Known values: gone, open").waitFor();
  await panel.getByRole("button", { name: "Cancel" }).click();
  await panel.getByRole("button", { name: /^delivered becomes/ }).click();
  await screen.getByPlaceholder("Type to find").fill("shipped");
  await screen.getByRole("option", { name: "shipped", exact: true }).click();
  await checkPage(screen, "exception-mapping");
  await panel.getByRole("button", { name: "Add “delivered” and retry" }).click();
  await screen.getByText("Entry added, 2 exceptions resolved").waitFor();
  await panel.getByText("Resolved").first().waitFor();
  const { mappings } = (await org.get(`/transformations/${id}`)).body;
  expect(mappings[0].transforms).toEqual([{ lookup: { map: { ...map, delivered: "shipped" } } }]);
  expect((await org.get("/exceptions")).body.data).toMatchObject([{ subject: { name: "E-3" } }]);
  expect((await order("E-2")).status).toBe("shipped");
});
