import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";
import { seedTasks, shipmentsCsv } from "./seed-shipments.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin);
});

test("without shipments the overview offers to import a file", async () => {
  const { page } = person;
  await page.getByText("There are no shipments yet.").waitFor();
  await page.getByText("All well: no task ran in the last 24 hours.").waitFor();
  await takeScreenshot(page, "overview-empty");
  const name = "shipments.csv";
  const bad = Buffer.from("tracking,ship date\n1Z1,yesterday\n");
  await page.getByLabel("Import shipments").setInputFiles({ name, mimeType: "text/csv", buffer: bad });
  await page.getByText("1 of 1 row were not taken.").waitFor();
  const buffer = Buffer.from(shipmentsCsv(240, hub.world.clock.now().getTime()));
  await page.getByLabel("Import shipments").setInputFiles({ name, mimeType: "text/csv", buffer });
  await page.getByRole("link", { name: /^Delivered: \d+ shipments/ }).waitFor();
});

test("journey 6: every figure is explained and links to the list it counts", async () => {
  const { page } = person;
  await Promise.all([seedOrders(org, 120), seedTasks(org)]);
  await org.post("/operations/run", {
    order_ids: ["SHOP-10000", "SHOP-10001"],
    actions: [{ type: "assert", params: { when: { path: "tags", op: "has_tag", value: "never" } } }],
  });
  const { data } = (await org.get("/v1/overview")).body;
  await page.goto(`${hub.url}/`);
  const onTime = page.getByRole("link", { name: /^On time/ });
  await onTime.getByText(`${data.on_time_pct.toFixed(1)} %`).waitFor();
  await page.getByText(`of ${data.sample.on_time} with a promised day`).waitFor();
  await page.getByRole("img", { name: /^On time a day: / }).waitFor();
  await page.getByRole("table", { name: "Tasks that failed" }).getByText("Warehouse East").waitFor();
  await page.getByRole("table", { name: "Runs that need a look" }).getByText("failed", { exact: true }).waitFor();
  await checkPage(page, "overview");
  await page.getByRole("button", { name: "What “On time” means" }).click();
  await page.getByText("Of the shipments with a promised day").waitFor();
  await takeScreenshot(page, "overview-definition");
  await page.keyboard.press("Escape");

  const [reason, count] = Object.entries<number>(data.at_risk_by_reason).find(([, one]) => one > 0)!;
  const lists: Array<[name: RegExp, address: string]> = [
    [/^At risk: /, "/shipments?atRisk=true"],
    [/^Delivered: /, "/shipments?status=delivered&deliveredFrom="],
    [/^In transit: /, "/shipments?status=in_transit%2Cout_for_delivery"],
    [new RegExp(`^late.*${count}$`, "i"), `/shipments?atRisk=true&riskReason=${reason}`],
    [/^ups$/i, "/shipments?carrier=ups"],
    [/^All failed tasks/, "/tasks?status=failed%2Ctimed_out"],
    [/^Ready/, "/orders?status=ready"],
  ];
  for (const [name, address] of lists) {
    const href = await page.getByRole("main").getByRole("link", { name }).first().getAttribute("href");
    expect(href).toContain(address);
  }
  await page
    .getByRole("main")
    .getByRole("link", { name: /^Ready/ })
    .click();
  await page.getByRole("grid", { name: "Orders" }).waitFor();
  expect(page.url()).toContain("status=ready");
});

test("a tile fails independently, shows the reason, and can be retried", async () => {
  const { page, complaints } = person;
  await hub.world.db.query("alter table shipment_sums rename to shipment_sums_elsewhere");
  await page.goto(`${hub.url}/`);
  await page.getByRole("region", { name: "Figures" }).getByRole("alert").waitFor();
  await page.getByRole("figure", { name: "Orders by status" }).waitFor();
  await page.getByRole("table", { name: "Tasks that failed" }).waitFor();
  await takeScreenshot(page, "overview-one-fails");
  await hub.world.db.query("alter table shipment_sums_elsewhere rename to shipment_sums");
  await page.getByRole("region", { name: "Figures" }).getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: /^On time: / }).waitFor();
  // The only expected failures of this file.
  expect(complaints.splice(0)).toSatisfy((all: string[]) => all.length > 0 && all.every((one) => /\b500\b/.test(one)));
});
