import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let bridgeId: string;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/schedules");
});

test("the empty page leads to the first schedule, whose cron expression is explained while typing", async () => {
  const { page } = person;
  await page.getByText("No schedules yet.").waitFor();
  await takeScreenshot(page, "schedules-empty");
  bridgeId = (await org.post("/bridges", { name: "Demo shop", connector: "demo" })).body.id;
  await page.reload();
  await page.getByRole("link", { name: "Create schedule" }).click();
  await page.getByRole("combobox", { name: "Connection" }).click();
  await page.getByRole("option", { name: "Demo shop" }).click();
  await page.getByRole("combobox", { name: "Task" }).click();
  await page
    .getByRole("option", { name: /nothing/i })
    .first()
    .click();
  await page.getByLabel("Name (optional)").fill("Nightly import");
  await page.getByLabel("When", { exact: true }).fill("30 2 * * 8");
  await page.getByText("Correct the highlighted field.").waitFor();
  await page
    .getByText(/day of week/)
    .first()
    .waitFor();
  await takeScreenshot(page, "schedule-misread");
  // Defaults to the zone of the browser.
  expect(await page.getByLabel("Time zone").inputValue()).toBe("America/New_York");
  await page.getByLabel("When", { exact: true }).fill("30 2 14 3 *");
  const next = page.getByRole("list", { name: "Next runs" }).getByRole("listitem");
  const years = async () =>
    (await next.allTextContents()).map((text) => /14 Mar (\d{4})? ?0[23]:/.exec(text)?.[1] ?? "");
  await expect.poll(async () => new Set(await years()).size).toBe(6);
  await takeScreenshot(page, "schedule-years");
  await page.getByLabel("Time zone").fill("America/New York");
  await page.getByText(/Did you mean America\/New_York\?$/).waitFor();
  expect(await page.getByText(/Did you mean .*Did you mean/).count()).toBe(0);
  await page.getByRole("button", { name: "Every night" }).click();
  await page.getByLabel("Time zone").fill("America/New_York");
  await page.getByText("At 02:30 every day, New York time").waitFor();
  await checkPage(page, "schedule-new");
  await page.getByRole("button", { name: "Create schedule" }).click();
  await page.getByRole("heading", { level: 1, name: /Nightly import/ }).waitFor();
  const [made] = (await org.get("/schedules")).body.data;
  expect(made).toMatchObject({ name: "Nightly import", cron: "30 2 * * *", timezone: "America/New_York", bridgeId });
});

test("a schedule is triggered, paused and resumed; concurrent changes are not overwritten", async () => {
  const { page } = person;
  await page.getByRole("button", { name: "Run now" }).click();
  const runs = page.getByRole("table", { name: "Executions" });
  await runs.getByText("Schedule, run now").waitFor();
  await runs.getByText("Succeeded").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText(/Paused .*Runs during the pause are not caught up/).waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("list", { name: "Next runs" }).waitFor();
  await checkPage(page, "schedule");
  await page.getByRole("button", { name: "Backfill" }).click();
  const backfill = page.getByRole("dialog", { name: "Run missed times" });
  await backfill.getByLabel("From").fill(`${new Date().getFullYear() + 1}-03-12T00:00`);
  await backfill.getByText(/later than/).waitFor();
  await backfill.getByLabel("From").fill("2026-03-06T00:00");
  await backfill.getByLabel("To (not included)").fill("2026-03-09T00:00");
  await backfill.getByText("3 runs in this period, 0 already done.").waitFor();
  // DST starts in the third night: the run in the gap is shifted.
  await backfill
    .getByRole("list", { name: "Missed runs" })
    .getByText(/Sun 8 Mar( 2026)? 03:00/)
    .waitFor();
  await checkPage(page, "schedule-backfill");
  await backfill.getByRole("button", { name: "Run 3 executions" }).click();
  await runs.getByText("Schedule, backfill").nth(2).waitFor();
  const [{ id }] = (await org.get("/schedules")).body.data;
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await page.getByLabel("When", { exact: true }).fill("0 4 * * *");
  await org.patch(`/schedules/${id}`, { cron: "0 5 * * *" });
  await page.getByText("At 04:00 every day").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("table", { name: "Your changes and theirs" }).getByText("0 5 * * *").waitFor();
  await page.getByRole("button", { name: "Use theirs" }).click();
  await expect.poll(() => page.getByLabel("When", { exact: true }).inputValue()).toBe("0 5 * * *");
  expect((await org.get(`/schedules/${id}`)).body.cron).toBe("0 5 * * *");
});

test("the timeline shows all schedules and explains DST changes", async () => {
  const { page } = person;
  const year = new Date().getFullYear() + 1;
  const make = (name: string, cron: string, timezone: string) =>
    org.post("/schedules", { name, cron, timezone, bridgeId, taskName: "noop" });
  await make("Stock every quarter of an hour", "*/15 * * * *", "UTC");
  await make("Morning orders", "0 6 * * 1-5", "America/Chicago");
  await make("Weekly report", "0 7 * * 1", "Europe/Berlin");
  await page.goto(`${hub.url}/schedules?span=7`);
  const line = page.getByRole("region", { name: "Upcoming runs" });
  await line.getByRole("link", { name: "Weekly report" }).waitFor();
  await line.getByRole("img", { name: /Stock every quarter of an hour: more than 100 runs/ }).waitFor();
  await checkPage(page, "schedules");
  // DST starts in New York: the form says that a run in the gap is shifted.
  const march = new Date(Date.UTC(year, 2, 8));
  const sunday = 8 + ((7 - march.getUTCDay()) % 7);
  await page.goto(`${hub.url}/schedules/new?bridgeId=${bridgeId}&taskName=noop`);
  await page.getByLabel("Time zone").fill("America/New_York");
  await page.getByLabel("When", { exact: true }).fill(`30 2 ${sunday} 3 *`);
  await page.getByText("02:30 does not exist that day and moves here").first().waitFor();
});
