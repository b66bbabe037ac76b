import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Locator } from "playwright-core";
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
  await page.getByText("No shipments yet.").waitFor();
  await page.getByText("Nothing needs attention.").waitFor();
  await checkPage(page, "overview-empty");
  const name = "shipments.csv";
  const bad = Buffer.from("tracking,ship date\n1Z1,yesterday\n");
  await page.getByLabel("Import shipments").setInputFiles({ name, mimeType: "text/csv", buffer: bad });
  await page.getByText("1 of 1 row rejected.").waitFor();
  const buffer = Buffer.from(shipmentsCsv(240, hub.world.clock.now().getTime()));
  await page.getByLabel("Import shipments").setInputFiles({ name, mimeType: "text/csv", buffer });
  await page.getByRole("link", { name: /^Shipped: \d+\. Open the shipments/ }).waitFor();
});

/** Late and on-time parcels of orders at two locations, labels, exceptions, a failing connection and a failed run. */
async function seedWork(): Promise<void> {
  await Promise.all([seedOrders(org, 120), seedTasks(org)]);
  for (const name of ["Newark", "Reno"]) {
    const { body } = await org.post("/locations", { name });
    const order = name === "Newark" ? "SHOP-10001" : "SHOP-10002";
    await org.patch(`/orders/${order}`, { locationId: body.id });
  }
  await org.post("/operations/run", {
    order_ids: ["SHOP-10000", "SHOP-10001"],
    actions: [{ type: "assert", params: { when: { path: "tags", op: "has_tag", value: "never" } } }],
  });
  await org.post("/shipments", { trackingNumber: "1Z-TODAY", shippedAt: hub.world.clock.now().toISOString() });
  const { db } = hub.world;
  const { body: outlet } = await org.post("/bridges", { name: "Outlet shop", connector: "demo", settings: {} });
  await db.query("update bridges set consecutive_failures = 3, last_failure_at = now() where id = $1", [outlet.id]);
  await db.query(
    `update shipments set order_id = (select id from orders where org_id = $1 and number = 'SHOP-1000' || (1 + length(tracking_number) % 2))
      where org_id = $1 and tracking_number like '%7'`,
    [org.id],
  );
  await db.query(
    `insert into exceptions (id, org_id, dedup_key, kind, code, status, message, subject_type, details, digest, opening,
       times_seen, first_seen_at, opened_at, last_seen_at)
     select gen_random_uuid(), $1, 'k' || n, (array['label', 'stock', 'push'])[1 + n % 3],
            (array['outcome_unknown', 'out_of_stock', 'rejected'])[1 + n % 3], 'open', 'It failed.', 'order', '{}', '',
            gen_random_uuid(), 1, now(), now() - n * interval '3 hours', now()
       from generate_series(1, 7) n`,
    [org.id],
  );
  await db.query(
    `insert into shipment_labels (id, org_id, carrier, status, service, from_address, to_address, weight, lines, cost_cents, currency,
       attempts, purchased_at, created_at, updated_at)
     select gen_random_uuid(), $1, (array['ups', 'fedex'])[1 + n % 2], 'purchased', 'GROUND', '{}', '{}', '{"value":1,"unit":"lb"}',
            '[]', 900 + n * 17, 'USD', 0, now(), now() - n * interval '1 day', now()
       from generate_series(1, 12) n`,
    [org.id],
  );
}

/** How many the list of the current page holds. */
async function listTotal(): Promise<number> {
  const { page } = person;
  const total = page
    .getByRole("main")
    .getByText(/\bof [\d,]+ (shipments|labels|exceptions|runs)|^[\d,]+ orders? match/i)
    .first();
  await total.waitFor();
  const text = (await total.textContent()) ?? "";
  const [, count = ""] = / of ([\d,]+) /.exec(text) ?? /^([\d,]+)/.exec(text) ?? [];
  return Number(count.replaceAll(",", ""));
}

type FoundLink = { href: string; text: string; of: string | null };

async function readLinks(links: Locator): Promise<FoundLink[]> {
  return await Promise.all(
    (await links.all()).map(async (link) => ({
      href: (await link.getAttribute("href"))!,
      text: await link.innerText(),
      of: await link.getAttribute("aria-label"),
    })),
  );
}

/** Follows each link and compares the number of its text with that of the list. */
async function expectLists(links: Locator, numberOf = (text: string) => /\d[\d,]*/.exec(text)?.[0]): Promise<number> {
  const { page } = person;
  const found = await readLinks(links);
  for (const { href, text } of found) {
    await page.locator(`main a[href="${href}"]`).first().click();
    expect([text, href, await listTotal()]).toEqual([text, href, Number(numberOf(text)?.replaceAll(",", ""))]);
    await page.goBack();
    await links.first().waitFor();
  }
  return found.length;
}

test("journey 6: what needs attention comes first, and opens exactly its list", async () => {
  const { page } = person;
  await seedWork();
  await page.goto(`${hub.url}/`);
  const attention = page.getByRole("list", { name: "Needs attention" });
  await attention.getByText(/^\d+ orders are late/).waitFor();
  await attention.getByText("Outlet shop is failing").waitFor();
  await attention.getByText(/: 2 of 2 orders failed/).waitFor();
  await checkPage(page, "overview");

  const lists = attention.locator('a[href^="/orders?"], a[href^="/exceptions"], a[href^="/shipments?"]');
  expect(await expectLists(lists)).toBeGreaterThan(4);
  const rows = attention.getByRole("listitem");
  await expect.poll(() => rows.count()).toBe(8);
  await page.getByRole("button", { name: /^Show \d+ more$/ }).click();
  await expect.poll(() => rows.count()).toBeGreaterThan(8);
});

test("key figures, today's work and open orders open exactly their lists", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  const figures = page.getByRole("region", { name: "Key figures" });
  await figures.getByRole("link", { name: /^Cost per label: / }).waitFor();
  for (const name of ["Orders received", "Shipped"]) {
    expect(await expectLists(figures.getByRole("link", { name: new RegExp(`^${name}: `) }))).toBe(1);
  }
  // The list of a share holds all that it is a share of.
  const onTime = figures.getByRole("link", { name: /^On time: / });
  const promises = /Open the (\d+) shipments/.exec((await onTime.getAttribute("aria-label")) ?? "")?.[1];
  expect(await expectLists(onTime, () => promises)).toBe(1);
  expect(await expectLists(figures.getByRole("link", { name: /^Cost per label: / }), () => "12")).toBe(1);
  expect(await expectLists(page.getByRole("link", { name: /shipments shipped today/ }))).toBe(1);
  expect(await expectLists(page.getByRole("link", { name: /open orders to ship today/ }))).toBe(1);
  expect(
    await expectLists(
      page.getByRole("figure", { name: "Open orders by status" }).getByRole("link", { name: /[1-9]\d*$/ }),
    ),
  ).toBeGreaterThan(2);
});

test("deliveries by carrier, service and location open their lists, and a figure opens its details below", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  for (const name of ["Carrier", "Service", "Location"]) {
    const table = page.getByRole("table", { name: `Deliveries by ${name.toLowerCase()}` });
    await page.getByRole("group", { name: "Group by" }).getByRole("button", { name }).click();
    await table.waitFor();
    const links = await readLinks(table.getByRole("link"));
    expect(links.length).toBeGreaterThan(5);
    // The first of each: the tests of the server compare all of them.
    for (const { href, text, of } of links.slice(0, 4)) {
      await page.locator(`main a[href="${href}"]`).first().click();
      const number = /% of ([\d,]+) /.exec(of ?? "")?.[1] ?? text;
      expect([href, await listTotal()]).toEqual([href, Number(number.replaceAll(",", ""))]);
      await page.goBack();
      await page.getByRole("group", { name: "Group by" }).getByRole("button", { name }).click();
      await table.waitFor();
    }
  }
  await page.getByRole("button", { name: "Cost per label" }).click();
  await page.getByRole("table", { name: "Label cost by carrier" }).getByRole("link", { name: "ups" }).click();
  expect(await listTotal()).toBe(6);
  await page.goto(`${hub.url}/?figure=received`);
  await page.getByRole("table", { name: "Orders received by day" }).waitFor();
  await takeScreenshot(page, "overview-received");
});

test("the period is chosen, kept in the address, and compared with the one before", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  await page.getByRole("button", { name: "Period: Last 30 days" }).click();
  await page.getByRole("button", { name: "Last 7 days" }).click();
  await page
    .getByText(/(below|above|the same as) the 7 days before/)
    .first()
    .waitFor();
  expect(page.url()).toContain("days=7");
  const { totals } = (await org.get("/reports/volume?days=7")).body;
  await page.getByRole("link", { name: `Orders received: ${totals.received}. Open the orders` }).waitFor();
  await page.getByRole("button", { name: "Period: Last 7 days" }).click();
  await page.getByLabel("First day").fill("2026-02-10");
  await page.getByLabel("Last day").fill("2026-02-01");
  const apply = page.getByRole("button", { name: "Show these days" });
  expect(await apply.getAttribute("aria-disabled")).toBe("true");
  await page.getByLabel("Last day").fill("2026-02-12");
  await apply.click();
  await page.getByRole("button", { name: /^Period: Tue 10 Feb( 2026)? to Thu 12 Feb( 2026)?$/ }).waitFor();
  expect(page.url()).toContain("from=2026-02-10&to=2026-02-12");
  await page.getByRole("link", { name: "Orders received: 0. Open the orders" }).waitFor();
});

test("reports have a chart, a table, a CSV file, and numbers that open their lists", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/reports`);
  const late = page.getByRole("region", { name: "On time by carrier", exact: true });
  await late.getByRole("table", { name: "Deliveries by carrier" }).waitFor();
  await page.getByRole("table", { name: "Runs by person" }).waitFor();
  await checkPage(page, "reports");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download CSV: On time by carrier" }).click();
  const file = path.join(tmpdir(), `${randomUUID()}.csv`);
  await (await download).saveAs(file);
  const csv = await readFile(file, "utf8");
  await rm(file);
  const { rows } = (await org.get("/reports/deliveries?groupBy=carrier")).body;
  expect(csv.split("\r\n")[0]).toBe("Carrier,Delivered,On time,Late,On time %,Days in transit,At risk now");
  expect(csv.split("\r\n")[1]).toMatch(new RegExp(`^\\w+,${rows[0].delivered},${rows[0].onTime},${rows[0].late},`));
  for (const name of ["Exceptions by cause", "Runs by person", "Label cost by carrier", "Orders and shipments"]) {
    const cells = page.getByRole("table", { name }).getByRole("link", { name: /^[1-9][\d,]*$/ });
    const first = cells.first();
    const [href, text] = [await first.getAttribute("href"), await first.innerText()];
    await first.click();
    expect([href, await listTotal()]).toEqual([href, Number(text.replaceAll(",", ""))]);
    await page.goBack();
    await cells.first().waitFor();
  }
});

test("a tile fails independently, shows the reason, and comes back", async () => {
  const { page, complaints } = person;
  await hub.world.db.query("alter table shipment_sums rename to shipment_sums_elsewhere");
  await page.goto(`${hub.url}/`);
  await page.getByRole("region", { name: "Key figures" }).getByRole("alert").waitFor();
  await page.getByRole("figure", { name: "Open orders by status" }).waitFor();
  await page.getByRole("list", { name: "Needs attention" }).waitFor();
  await takeScreenshot(page, "overview-one-fails");
  await hub.world.db.query("alter table shipment_sums_elsewhere rename to shipment_sums");
  await page.reload();
  await page.getByRole("link", { name: /^On time: / }).waitFor();
  // The only expected failures of this file.
  expect(complaints.splice(0)).toSatisfy((all: string[]) => all.length > 0 && all.every((one) => /\b500\b/.test(one)));
});
