import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

/** Monday, 2 March 2026, 10:00 in Newark and 07:00 in Oakland. */
const monday = "2026-03-02T15:00:00.000Z";
const newark = {
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "+1 973 555 0100",
};
const oakland = {
  company: "Byron West",
  address1: "90 Middle Harbor Road",
  city: "Oakland",
  provinceCode: "CA",
  zip: "94607",
  countryCode: "US",
  phone: "+1 510 555 0100",
};

let hub: TestHub;
let org: TestOrg;
let person: Person;
let carrierAccountId: string;
let locations: { newark: string; oakland: string };

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  hub.world.clock.set({ mode: "frozen", at: monday });
  org = await hub.org();
  person = await browser.person();
  await person.page.clock.setFixedTime(monday);
  await signIn(person.page, hub, org.admin, "/pickups");
});

test("without a carrier account the page links to its set-up", async () => {
  const { page } = person;
  await page.getByRole("link", { name: "Add a carrier account" }).waitFor();
  expect(await page.getByRole("button", { name: "Book a pickup" }).getAttribute("aria-disabled")).toBe("true");
  await takeScreenshot(page, "pickups-empty");
  const made = async (path: string, body: object): Promise<string> => (await org.post(path, body)).body.id;
  carrierAccountId = await made("/carrier-accounts", { name: "Ground contract", carrier: "demo" });
  locations = {
    newark: await made("/locations", { name: "Newark", address: newark, is_default: true }),
    oakland: await made("/locations", { name: "Oakland", address: oakland }),
  };
  for (const [locationId, pickupDate, packageCount] of [
    [locations.newark, "2026-03-05", 31],
    [locations.oakland, "2026-03-03", 7],
    [locations.oakland, "2026-03-06", 18],
  ] as const) {
    const { status } = await org.post("/pickups", {
      carrierAccountId,
      locationId,
      pickupDate,
      packageCount,
      readyTime: "10:00",
      closeTime: "14:00",
    });
    expect(status).toBe(201);
  }
});

/** Counts clicks; typed values do not count. */
function countClicks(): { click(target: Locator): Promise<void>; count(): number } {
  let clicks = 0;
  return {
    async click(target) {
      clicks++;
      await target.click();
    },
    count: () => clicks,
  };
}

const week = (): Locator => person.page.getByRole("table", { name: "Pickups of the week" });
const panel = (name: string): Locator => person.page.getByRole("dialog", { name });

test("journey 8: the next available window is one click, and a pickup is booked with four", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/shipments`);
  const clicks = countClicks();
  await clicks.click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Pickups" }));
  await week().getByText("31 packages").waitFor();
  await clicks.click(page.getByRole("button", { name: "Book a pickup" }));
  const form = panel("Book a pickup");
  await clicks.click(form.getByRole("button", { name: "Next available Mon 2 Mar, 11:00–20:00" }));
  await form.getByLabel("Packages").fill("12");
  await form.getByText("The carrier accepts this pickup.").waitFor();
  const book = form.getByRole("button", { name: "Book for 12 packages" });
  await expect.poll(() => book.getAttribute("aria-disabled")).toBe(null);
  await checkPage(page, "pickup-booking");
  await clicks.click(book);
  await panel("Mon 2 Mar, 11:00–20:00").getByText("Scheduled").first().waitFor();
  expect(clicks.count()).toBeLessThanOrEqual(4);
  const { data } = (await org.get("/pickups?from=2026-03-02&to=2026-03-02")).body;
  expect(data).toMatchObject([{ status: "scheduled", packageCount: 12, locationId: locations.newark }]);
  await page.keyboard.press("Escape");
  await week().getByText("12 packages").waitFor();
  await panel("Mon 2 Mar, 11:00–20:00").waitFor({ state: "detached" });
  await checkPage(page, "pickups");
});

test("rules are checked at their fields while typing, in local time", async () => {
  const { page } = person;
  await page.getByRole("link", { name: "Book for Oakland, Wednesday 4 March 2026" }).click();
  const form = panel("Book a pickup");
  await form.getByText("In Los Angeles time").waitFor();
  await expect.poll(() => form.getByLabel("Day", { exact: true }).inputValue()).toBe("2026-03-04");
  await form.getByLabel("Day", { exact: true }).fill("2026-03-08");
  await form.getByLabel("Closes at").fill("08:30");
  await form.getByLabel("Packages").fill("500");
  await form.getByText(/not on Sunday/).waitFor();
  await form.getByText("the carrier requires 120").waitFor();
  await form.getByText("A pickup can have up to 99 packages.").waitFor();
  await takeScreenshot(page, "pickup-refused");
  expect(await form.getByRole("button", { name: /Book for 500/ }).getAttribute("aria-disabled")).toBe("true");
  await form.getByRole("button", { name: /Next available Mon 9 Mar/ }).click();
  await form.getByLabel("Packages").fill("5");
  await form.getByText("The carrier accepts this pickup.").waitFor();
  // A day that already has a pickup is disabled.
  expect(
    await form
      .getByRole("button", { name: /Friday 6 March 2026: This carrier already has/ })
      .getAttribute("aria-disabled"),
  ).toBe("true");
  await page.keyboard.press("Escape");
  await form.waitFor({ state: "detached" });
});

test("a pickup is rescheduled and cancelled, with a reason", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/pickups?week=2026-03-02`);
  await week()
    .getByRole("link", { name: /18 packages/ })
    .click();
  await panel("Fri 6 Mar, 10:00–14:00").getByRole("button", { name: "Reschedule" }).click();
  const form = panel("Reschedule Fri 6 Mar, 10:00–14:00");
  // Its own day does not count as booked.
  await form.getByRole("button", { name: /^Saturday 7 March 2026: 10:00/ }).click();
  await form.getByText("The carrier accepts this pickup.").waitFor();
  await takeScreenshot(page, "pickup-moving");
  const move = form.getByRole("button", { name: "Reschedule pickup" });
  await expect.poll(() => move.getAttribute("aria-disabled")).toBe(null);
  await move.click();
  const moved = panel("Sat 7 Mar, 10:00–14:00");
  await moved.getByRole("button", { name: "Cancel pickup" }).click();
  const dialog = panel("Cancel the pickup of Sat 7 Mar, 10:00–14:00?");
  await dialog.getByLabel("Reason (optional)").fill("Nothing to ship");
  await dialog.getByRole("button", { name: "Cancel pickup" }).click();
  await moved.getByText("Cancellation reason").waitFor();
  await checkPage(page, "pickup");
  const [cancelled] = (await org.get("/pickups?status=cancelled")).body.data;
  expect(cancelled).toMatchObject({ cancelReason: "Nothing to ship", window: { date: "2026-03-07" } });
});
