import { beforeAll, expect, test } from "vitest";
import { startReceiver } from "../server/src/testing/stand-in-receiver.ts";
import type { Receiver } from "../server/src/testing/stand-in-receiver.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { makeOrders, webhookFixture } from "../server/src/testing/webhook-fixture.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let receiver: Receiver;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  webhookFixture(hub);
  org = await hub.org();
  receiver = await startReceiver();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/webhooks");
});

test("a webhook is created, its secret is shown once, and a test shows the response", async () => {
  const { page } = person;
  await page.getByText("No webhooks yet").waitFor();
  await page.getByRole("region", { name: "Webhooks" }).getByRole("link", { name: "New webhook" }).click();
  await page.getByLabel("URL").fill("ftp://nowhere");
  await page.getByLabel("Find an event").fill("order.");
  await page.getByRole("checkbox", { name: /All order events/ }).click();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect.poll(() => page.getByLabel("URL").getAttribute("aria-invalid")).toBe("true");
  await page.getByLabel("URL").fill(`${receiver.url}/hooks`);
  await page.getByLabel("Name (optional)").fill("Orders for the ERP");
  await checkPage(page, "webhook-new");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await page.getByText("It is shown only once.").waitFor();
  await page.getByText(/^whsec_/).waitFor();
  await takeScreenshot(page, "webhook-secret");
  await page.getByRole("link", { name: "I have copied it" }).click();
  await page.getByText("No deliveries yet.").waitFor();
  receiver.replies.push({ status: 200, body: '{"thanks":true}' });
  await page.getByRole("button", { name: "Send a test" }).click();
  const dialog = page.getByRole("dialog", { name: "Test delivery" });
  await dialog.getByText("Status 200").waitFor();
  await dialog.getByRole("region", { name: "Response" }).getByText("thanks").waitFor();
  await takeScreenshot(page, "webhook-test");
  await page.keyboard.press("Escape");
  expect(receiver.received[0]!.path).toBe("/hooks");
});

test("a failed delivery is shown with its response and resent, one by one and in bulk", async () => {
  const { page } = person;
  const [{ id }] = (await org.get("/webhooks")).body.data;
  await makeOrders(org, 2);
  const delivered = async (): Promise<number> =>
    (await org.get(`/webhooks/${id}/deliveries?status=delivered`)).body.data.length;
  await expect.poll(delivered).toBe(2);
  receiver.always = { status: 400, body: "no such tenant" };
  await makeOrders(org, 1);
  await page.goto(`${hub.url}/webhooks/${id}?status=pending`);
  const table = page.getByRole("table", { name: "Deliveries" });
  await table.getByRole("cell", { name: "400", exact: true }).waitFor();
  await table.getByRole("link", { name: "order.created" }).click();
  const panel = page.getByRole("dialog", { name: "order.created" });
  await panel.getByText("no such tenant").first().waitFor();
  await panel.getByRole("region", { name: "Payload" }).getByText("specversion").waitFor();
  await checkPage(page, "webhook-delivery");
  receiver.always = { status: 204 };
  await panel.getByRole("button", { name: "Resend" }).click();
  await panel.getByText("Delivered").waitFor();
  expect(await delivered()).toBe(3);
  await panel.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "All", exact: true }).last().click();
  const before = receiver.received.length;
  await page.getByRole("button", { name: "Resend deliveries" }).click();
  const many = page.getByRole("dialog", { name: "Resend deliveries?" });
  await many.getByRole("button", { name: "Resend" }).click();
  // There are no failed deliveries.
  await many.getByText("The webhook has no deliveries of these types and this kind in this time range.").waitFor();
  await many.getByRole("combobox", { name: "Deliveries" }).click();
  await page.getByRole("option", { name: "All deliveries" }).click();
  await many.getByRole("button", { name: "Resend" }).click();
  await many.waitFor({ state: "detached" });
  await expect.poll(() => receiver.received.length).toBe(before + 3);
});

test("a webhook is paused, enabled and gets a new secret, and the list shows health", async () => {
  const { page } = person;
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused").first().waitFor();
  await makeOrders(org, 1);
  const before = receiver.received.length;
  await page.getByRole("button", { name: "Enable" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Enable" }).click();
  await expect.poll(() => receiver.received.length).toBe(before + 1);
  await page.getByRole("button", { name: "New secret" }).click();
  await page.getByRole("button", { name: "Create secret" }).click();
  await page
    .getByRole("dialog", { name: "New secret" })
    .getByText(/^whsec_/)
    .waitFor();
  await page.getByRole("button", { name: "I have copied it" }).click();
  await page.getByText(/^whsec_/).waitFor({ state: "detached" });
  await checkPage(page, "webhook");
  await page.goto(`${hub.url}/webhooks`);
  await page.getByRole("table", { name: "Webhooks" }).getByText("Active").waitFor();
  await takeScreenshot(page, "webhooks");
});

test("concurrent changes of write-only headers are detected", async () => {
  const { page } = person;
  const [{ id }] = (await org.get("/webhooks")).body.data;
  await page.goto(`${hub.url}/webhooks/${id}?tab=settings`);
  await page.getByRole("button", { name: "Add headers" }).click();
  await page.getByRole("button", { name: "Add header" }).click();
  await page.getByLabel("Header 1", { exact: true }).fill("X-Tenant");
  await page.getByLabel("Value 1", { exact: true }).fill("mine");
  await org.patch(`/webhooks/${id}`, { headers: { "X-Tenant": "theirs", "X-Other": "theirs" } });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const both = page.getByRole("alert", { name: "Changed by another user" });
  await both.getByText("never shown").waitFor();
  expect((await org.get(`/webhooks/${id}`)).body.headerNames).toHaveLength(2);
  await checkPage(page, "webhook-conflict");
  await both.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(async () => (await org.get(`/webhooks/${id}`)).body.headerNames).toHaveLength(1);
});
