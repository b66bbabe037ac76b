import { beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "../server/src/core/totp-codes.ts";
import { fromBase32 } from "../server/src/testing/from-base32.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import {
  countClicks,
  checkPage,
  holdAnswers,
  openBrowser,
  signIn,
  startConsoleHub,
  takeScreenshot,
} from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

beforeAll(async () => {
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/settings/keys");
});

const dialog = (name: string | RegExp) => person.page.getByRole("dialog", { name });

test("journey 11: a key is created with four clicks, is shown once, works, and is revoked", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  const menu = page.getByRole("navigation", { name: "Main" });
  await menu.getByRole("button", { name: "Admin" }).click();
  const clicks = countClicks();
  await clicks.click(menu.getByRole("link", { name: "Keys" }));
  await clicks.click(page.getByRole("button", { name: "Create key" }).first());
  await dialog("Create key").getByLabel("Name").fill("Warehouse screen");
  await takeScreenshot(page, "key-new");
  await clicks.click(dialog("Create key").getByRole("button", { name: "Create key" }));
  expect(clicks.count()).toBeLessThanOrEqual(4);
  const shown = dialog("Key Warehouse screen").locator("code");
  const value = (await shown.textContent())!;
  const holder = hub.client(value);
  expect((await holder.get("/orders?limit=1")).status).toBe(200);
  expect((await holder.get("/users")).status).toBe(403);
  expect((await holder.post("/orders", {})).status).toBe(403);
  await dialog("Key Warehouse screen").getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /Warehouse screen.*Read only/ }).waitFor();
  expect(await page.content()).not.toContain(value);
  await page.reload();
  await page.getByRole("row", { name: /Warehouse screen/ }).waitFor();
  await checkPage(page, "keys");
  await page.getByRole("button", { name: "Actions for Warehouse screen" }).click();
  await page.getByRole("menuitem", { name: /Revoke/ }).click();
  await dialog(/Revoke Warehouse screen/)
    .getByRole("button", { name: "Revoke key" })
    .click();
  await page.getByText("Key Warehouse screen revoked").waitFor();
  expect((await holder.get("/orders?limit=1")).status).toBe(401);
});

test("a key for an AI assistant has limits from the start, and the list names it", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/keys`);
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = dialog("Create key");
  await form.getByLabel("Name").fill("Night assistant");
  await form.getByLabel("Used by").click();
  await page.getByRole("option", { name: /An AI assistant/ }).click();
  await form.getByLabel("Orders per run, at most").fill("25");
  await form.getByRole("button", { name: "Create key" }).click();
  await dialog("Key Night assistant").getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /Night assistant AI assistant .*Read only/ }).waitFor();
  const { data } = (await org.get("/api-keys")).body;
  expect(data.find(({ name }: { name: string }) => name === "Night assistant").agent).toEqual({ maxOrdersPerRun: 25 });
});

test("the permissions of a key are a set that goes together, or chosen one by one", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/keys`);
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = dialog("Create key");
  await form.getByLabel("Name").fill("Label printer");
  await form.getByLabel("Permissions", { exact: true }).click();
  await page.getByRole("option", { name: /Shipping/ }).click();
  await form.getByRole("button", { name: /Details: \d+ permissions/ }).click();
  const box = (scope: string) => form.getByRole("checkbox", { name: scope, exact: true });
  await expect.poll(() => box("shipments:write").isChecked()).toBe(true);
  expect(await box("orders:write").isChecked()).toBe(false);
  await checkPage(page, "key-details");
  await box("pickups:write").click();
  await form.getByLabel("Permissions", { exact: true }).getByText("Custom").waitFor();
  await form.getByRole("button", { name: "Create key" }).click();
  await dialog("Key Label printer").getByRole("button", { name: "Done" }).click();
  const { data } = (await org.get("/api-keys")).body as { data: { name: string; scopes: string[] }[] };
  const { scopes } = data.find(({ name }) => name === "Label printer")!;
  expect(scopes).toEqual(expect.arrayContaining(["shipments:write", "orders:read", "pii:read"]));
  expect(scopes).not.toContain("pickups:write");
  expect(scopes).not.toContain("admin");
});

test("a user is added, gets another role, is signed out everywhere and is disabled", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/users`);
  await page.getByRole("button", { name: "Add user" }).first().click();
  await dialog("Add user").getByLabel("E-mail").fill("sam@shop.example");
  await dialog("Add user").getByLabel("First password").fill(org.admin.password);
  await dialog("Add user").getByRole("button", { name: "Add user" }).click();
  await page.getByRole("link", { name: "sam@shop.example" }).waitFor();
  await checkPage(page, "users");
  const sam = await browser.person();
  await signIn(sam.page, hub, { email: "sam@shop.example", password: org.admin.password }, "/orders");
  await page.getByRole("link", { name: "sam@shop.example" }).click();
  await page.getByRole("table", { name: "Sessions" }).getByText("HeadlessChrome").waitFor();
  await page.getByLabel("Role").click();
  await page.getByRole("option", { name: /Viewer/ }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await checkPage(page, "user");
  await page.getByRole("button", { name: "End all sessions" }).click();
  await dialog(/Sign sam@shop.example out/)
    .getByRole("button", { name: "End all sessions" })
    .click();
  await page.getByText("1 session revoked").waitFor();
  await sam.page.getByLabel("Search orders").fill("x");
  await sam.page.getByText("Your session has ended.").waitFor();
  await page.getByRole("button", { name: "Disable" }).click();
  await dialog(/Disable sam/)
    .getByRole("button", { name: "Disable" })
    .click();
  await page.getByText("sam@shop.example is disabled").waitFor();
  expect((await org.get("/users?status=disabled")).body.data).toMatchObject([
    { email: "sam@shop.example", role: "viewer" },
  ]);
});

test("a pasted column is added; duplicates and rejected values are counted and listed", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/condition-sets`);
  await page.getByText("No value lists yet").waitFor();
  await page.getByRole("button", { name: "New value list" }).first().click();
  await dialog("New value list").getByLabel("Name").fill("Remote ZIPs");
  await dialog("New value list").getByRole("button", { name: "Create value list" }).click();
  const paste = page.getByLabel("Paste a column");
  await paste.fill("99501\n96801\n");
  await page.getByRole("button", { name: "Add 2 values" }).click();
  await page.getByRole("cell", { name: "96801", exact: true }).waitFor();
  await paste.fill(`96801\tHonolulu\n00501\n00501\n${"9".repeat(600)}\n\tno value\n`);
  await page.getByText("2 values to add, 1 repeated, 2 rejected.").waitFor();
  await page.getByRole("button", { name: "Add 2 values" }).click();
  const result = page.getByRole("status", { name: "Result" });
  await result.getByText("Line 4: longer than 512 characters.").waitFor();
  await result.getByText("Duplicates: 96801, 00501").waitFor();
  expect(await result.locator("dd").allTextContents()).toEqual(["1", "2", "2", "3"]);
  await checkPage(page, "condition-set");
  const { data } = (await org.get("/condition-sets")).body;
  expect((await org.get(`/condition-sets/${data[0].id}/values`)).body.data).toEqual(["99501", "96801", "00501"]);
  await page.goto(`${hub.url}/condition-sets`);
  await page.getByRole("row", { name: /Remote ZIPs/ }).waitFor();
  await checkPage(page, "condition-sets");
});

test("a location sync shows its changes before it writes them", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/locations`);
  await page.getByText("No locations yet").waitFor();
  await org.post("/bridges", { name: "Demo shop", connector: "demo" });
  await page.reload();
  await page.getByRole("button", { name: "Sync from a connection" }).click();
  await page.getByRole("menuitem", { name: "Demo shop" }).click();
  await page.getByText("not applied yet").waitFor();
  expect((await org.get("/locations")).body.data).toEqual([]);
  await checkPage(page, "location-sync");
  await page.getByRole("button", { name: /Apply \d+ changes/ }).click();
  await page.getByText("Locations synced").waitFor();
  const { data } = (await org.get("/locations")).body;
  expect(data.length).toBeGreaterThan(0);
  await page.goto(`${hub.url}/locations`);
  await page.getByRole("link", { name: data[0].name }).waitFor();
  await checkPage(page, "locations");
  await page.getByRole("link", { name: data[0].name }).click();
  await page.getByLabel("Address line 2").fill("Gate 4");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  await checkPage(page, "location");
  const { body } = await org.get(`/locations/${data[0].id}`);
  expect([body.address.address2, body.locked_fields]).toEqual(["Gate 4", ["address"]]);
});

test("the audit log is searched, filtered and verified; an invalid entry is named", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/audit`);
  await page.getByLabel("Search the audit log").fill("Remote ZIPs");
  await page.waitForURL(/search=Remote/);
  await page.getByRole("button", { name: "Value list created" }).click();
  await page.getByRole("button", { name: "Show this value list’s entries" }).click();
  await page.getByText(/of 3 entries/).waitFor();
  await page.goto(`${hub.url}/settings/audit?objectType=location`);
  await page
    .getByRole("row", { name: /Location/ })
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Verify the log" }).click();
  await page.getByText(/Verified: \d+ entries/).waitFor();
  await checkPage(page, "audit");
  const rename = async (from: string, to: string) =>
    await hub.world.db.transaction(async (tx) => {
      await tx.query("set local session_replication_role = replica");
      await tx.query("update events set object_type = $3 where org_id = $1 and sequence = 2 and object_type = $2", [
        org.id,
        from,
        to,
      ]);
    });
  const { objectType } = (await org.get("/audit?limit=100")).body.data.at(-2) as { objectType: string };
  await rename(objectType, "forged");
  await page.goto(`${hub.url}/settings/audit`);
  await page.getByRole("button", { name: "Verify the log" }).click();
  await page.getByText("Verification failed at entry 2: the entry was changed.").waitFor();
  await takeScreenshot(page, "audit-broken");
  await rename("forged", objectType);
});

test("a request is found by its ID, with the key that sent it", async () => {
  const { page } = person;
  const refused = await org.post("/orders", { number: "" });
  await page.goto(`${hub.url}/settings/requests?outcome=failed`);
  const row = page.getByRole("row", { name: /400 validation_failed.*POST \/api\/v1\/orders/ });
  await row.first().waitFor();
  await checkPage(page, "requests");
  await page.getByLabel("Request ID").fill(refused.headers.get("x-request-id")!);
  await page.getByText("1 to 1 of 1 requests").waitFor();
  await row.getByRole("button", { name: "key everything" }).click();
  await page.getByRole("button", { name: /Caller.*key everything/ }).waitFor();
});

test("changing security settings asks for step-up authentication in place", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings`);
  await page.getByRole("switch", { name: /password again before sensitive changes/ }).click();
  await checkPage(page, "settings");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("Settings saved").waitFor();
  hub.advance(20 * 60_000);
  await page.getByLabel("Allowed hosts").fill("*.example.com");
  await page.getByLabel("Allowed hosts").press("Enter");
  await page.getByRole("button", { name: "Save settings" }).click();
  const proof = dialog("Confirm your password");
  await proof.getByLabel("Current password").fill("not that one");
  await proof.getByRole("button", { name: "Continue" }).click();
  await proof.getByText("The password is incorrect.").first().waitFor();
  await checkPage(page, "settings-proof");
  await proof.getByLabel("Current password").fill(org.admin.password);
  await page.keyboard.press("Enter");
  await proof.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await org.get("/organizations")).body.data[0].outboundHosts)
    .toEqual(["*.example.com"]);

  // Step-up works for every change, also over another dialog, and keeps what was typed.
  hub.advance(20 * 60_000);
  await page.goto(`${hub.url}/settings/keys`);
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = dialog("Create key");
  await form.getByLabel("Name").fill("Proved");
  await form.getByRole("button", { name: "Create key" }).click();
  await proof.getByRole("button", { name: "Cancel" }).click();
  await form.getByRole("button", { name: "Details", exact: true }).click();
  await form.getByText("step_up_required").waitFor();
  expect(await form.getByLabel("Name").inputValue()).toBe("Proved");
  await form.getByRole("button", { name: "Create key" }).click();
  await proof.getByLabel("Current password").fill(org.admin.password);
  await proof.getByRole("button", { name: "Continue" }).click();
  await dialog("Key Proved").getByRole("button", { name: "Done" }).click();

  hub.advance(20 * 60_000);
  const { body: bridge } = await org.post("/bridges", { name: "Proved shop", connector: "demo" });
  await page.goto(`${hub.url}/bridges/${bridge.id}?tab=settings`);
  await page.getByLabel("Name", { exact: true }).fill("Proved again");
  // The dialog waits until it knows whether to ask for a password or a code.
  const methods = await holdAnswers(page, "/me/totp");
  const asked = page.waitForRequest((request) => request.url().endsWith("/me/totp"));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await asked;
  expect(await proof.count()).toBe(0);
  await methods.letGo();
  await proof.getByLabel("Current password").fill(org.admin.password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Connections Proved again" }).waitFor();
});

test("a user sets up an authenticator app and gets recovery codes", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/account`);
  await page.getByRole("button", { name: "Set up authenticator app" }).click();
  const app = page.getByRole("region", { name: "Authenticator app" });
  await app.getByRole("img", { name: "QR code for the authenticator app" }).waitFor();
  const secret = fromBase32((await app.locator("code").first().textContent())!);
  await app.getByLabel(/Enter the code/).fill(totpCode(secret, totpStep(hub.world.clock.real())));
  await app.getByRole("button", { name: "Turn on" }).click();
  await app.getByText("Save these recovery codes").waitFor();
  expect(await app.getByRole("listitem").count()).toBeGreaterThanOrEqual(8);
  await page.getByRole("row", { name: /This session/ }).waitFor();
  await checkPage(page, "account");
});

test("hub operators create an organization; others see only their own", async () => {
  const { page } = await browser.person();
  await signIn(page, hub, { email: "admin@hub.example", password: org.admin.password }, "/settings/organizations");
  await page.getByRole("button", { name: "Create organization" }).click();
  const form = page.getByRole("dialog", { name: "Create organization" });
  await form.getByLabel("Name").fill("Northwind");
  await form.getByLabel(/E-mail/).fill("ops@northwind.example");
  await form.getByLabel("First password").fill(org.admin.password);
  await form.getByRole("button", { name: "Create organization" }).click();
  await page.getByRole("row", { name: /Northwind/ }).waitFor();
  await checkPage(page, "organizations");
});
