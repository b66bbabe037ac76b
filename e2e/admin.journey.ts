import { beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "../server/src/core/totp-codes.ts";
import { fromBase32 } from "../server/src/testing/from-base32.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { countClicks, checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

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

test("journey 11: a key is created with four clicks besides its scopes, is shown once, works, and is revoked", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  const clicks = countClicks();
  await clicks.click(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Keys" }));
  await clicks.click(page.getByRole("button", { name: "New key" }));
  await dialog("New key").getByLabel("Name").fill("Warehouse screen");
  await clicks.click(dialog("New key").getByRole("checkbox", { name: "orders:read" }));
  await takeScreenshot(page, "key-new");
  await clicks.click(dialog("New key").getByRole("button", { name: "Make the key" }));
  expect(clicks.count()).toBeLessThanOrEqual(4);
  const shown = dialog("The key Warehouse screen").locator("code");
  const value = (await shown.textContent())!;
  const holder = hub.client(value);
  expect((await holder.get("/orders?limit=1")).status).toBe(200);
  expect((await holder.get("/users")).status).toBe(403);
  await dialog("The key Warehouse screen").getByRole("button", { name: "I have it" }).click();
  await page.getByRole("row", { name: /Warehouse screen/ }).waitFor();
  expect(await page.content()).not.toContain(value);
  await page.reload();
  await page.getByRole("row", { name: /Warehouse screen/ }).waitFor();
  await checkPage(page, "keys");
  await page.getByRole("button", { name: "What to do with Warehouse screen" }).click();
  await page.getByRole("menuitem", { name: /Revoke/ }).click();
  await dialog(/Revoke Warehouse screen/)
    .getByRole("button", { name: "Revoke" })
    .click();
  await page.getByText("The key Warehouse screen is revoked").waitFor();
  expect((await holder.get("/orders?limit=1")).status).toBe(401);
});

test("a user is invited, gets another role, is signed out everywhere and is disabled", async () => {
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
  await page.getByRole("button", { name: "End all" }).click();
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
  await page.getByText("No set yet.").waitFor();
  await page.getByRole("button", { name: "New set" }).first().click();
  await dialog("New condition set").getByLabel("Name").fill("Remote ZIPs");
  await dialog("New condition set").getByRole("button", { name: "Make the set" }).click();
  const paste = page.getByLabel("Paste a column");
  await paste.fill("99501\n96801\n");
  await page.getByRole("button", { name: "Add 2 values" }).click();
  await page.getByRole("cell", { name: "96801", exact: true }).waitFor();
  await paste.fill(`96801\tHonolulu\n00501\n00501\n${"9".repeat(600)}\n\tno value\n`);
  await page.getByText("2 values to add, 1 repeated, 2 refused.").waitFor();
  await page.getByRole("button", { name: "Add 2 values" }).click();
  const told = page.getByRole("status", { name: "What was pasted" });
  await told.getByText("Line 4: longer than 512 characters.").waitFor();
  await told.getByText("Duplicates: 96801, 00501").waitFor();
  expect(await told.locator("dd").allTextContents()).toEqual(["1", "2", "2", "3"]);
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
  await page.getByText("No location yet.").waitFor();
  await org.post("/bridges", { name: "Demo shop", connector: "demo" });
  await page.reload();
  await page.getByRole("button", { name: "Sync from a bridge" }).click();
  await page.getByRole("menuitem", { name: "Demo shop" }).click();
  await page.getByText("nothing is written yet").waitFor();
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
  await page.getByLabel("More of the street").fill("Gate 4");
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
  await page.getByRole("button", { name: "Condition set created" }).click();
  await page.getByRole("button", { name: "All about this condition set" }).click();
  await page.getByText(/of 3 entries/).waitFor();
  await page.goto(`${hub.url}/settings/audit?objectType=location`);
  await page
    .getByRole("row", { name: /Location/ })
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Check the chain" }).click();
  await page.getByText(/The chain is whole: \d+ entries/).waitFor();
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
  await page.getByRole("button", { name: "Check the chain" }).click();
  await page.getByText("The chain is broken at entry 2: the entry was changed.").waitFor();
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
  await page.getByLabel("Request id").fill(refused.headers.get("x-request-id")!);
  await page.getByText("1 to 1 of 1 requests").waitFor();
  await row.getByRole("button", { name: "key everything" }).click();
  await page.getByRole("button", { name: /By.*key everything/ }).waitFor();
});

test("changing security settings asks for step-up authentication in place", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings`);
  await page.getByRole("switch", { name: /confirm their identity/ }).click();
  await checkPage(page, "settings");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("Settings saved").waitFor();
  hub.advance(20 * 60_000);
  await page.getByLabel("Allowed hosts").fill("*.example.com");
  await page.getByLabel("Allowed hosts").press("Enter");
  await page.getByRole("button", { name: "Save settings" }).click();
  const proof = dialog("Confirm your identity");
  await proof.getByLabel("Your password").fill("not that one");
  await proof.getByRole("button", { name: "Go on" }).click();
  await proof.getByText("The password is incorrect.").first().waitFor();
  await checkPage(page, "settings-proof");
  await proof.getByLabel("Your password").fill(org.admin.password);
  await page.keyboard.press("Enter");
  await proof.waitFor({ state: "detached" });
  await expect
    .poll(async () => (await org.get("/organizations")).body.data[0].outboundHosts)
    .toEqual(["*.example.com"]);

  // Step-up works for every change, also over another dialog, and keeps what was typed.
  hub.advance(20 * 60_000);
  await page.goto(`${hub.url}/settings/keys`);
  await page.getByRole("button", { name: "New key" }).first().click();
  await dialog("New key").getByLabel("Name").fill("Proved");
  await dialog("New key").getByRole("checkbox", { name: "orders:read" }).click();
  await dialog("New key").getByRole("button", { name: "Make the key" }).click();
  await proof.getByRole("button", { name: "Not now" }).click();
  await dialog("New key").getByText("step_up_required").waitFor();
  expect(await dialog("New key").getByLabel("Name").inputValue()).toBe("Proved");
  await dialog("New key").getByRole("button", { name: "Make the key" }).click();
  await proof.getByLabel("Your password").fill(org.admin.password);
  await proof.getByRole("button", { name: "Go on" }).click();
  await dialog("The key Proved").getByRole("button", { name: "I have it" }).click();

  hub.advance(20 * 60_000);
  const { body: bridge } = await org.post("/bridges", { name: "Proved shop", connector: "demo" });
  await page.goto(`${hub.url}/bridges/${bridge.id}?tab=settings`);
  await page.getByLabel("Name", { exact: true }).fill("Proved again");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await proof.getByLabel("Your password").fill(org.admin.password);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Bridges Proved again" }).waitFor();
});

test("a user sets up an authenticator app and gets recovery codes", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings/account`);
  await page.getByRole("button", { name: "Set it up" }).click();
  const app = page.getByRole("region", { name: "Authenticator app" });
  await app.getByRole("img", { name: "The secret, for the camera of the app" }).waitFor();
  const secret = fromBase32((await app.locator("code").first().textContent())!);
  await app.getByLabel(/Type the code/).fill(totpCode(secret, totpStep(hub.world.clock.real())));
  await app.getByRole("button", { name: "Turn it on" }).click();
  await app.getByText("Keep these recovery codes").waitFor();
  expect(await app.getByRole("listitem").count()).toBeGreaterThanOrEqual(8);
  await page.getByRole("row", { name: /this one/ }).waitFor();
  await checkPage(page, "account");
});

test("hub operators create an organization; others see only their own", async () => {
  const { page } = await browser.person();
  await signIn(page, hub, { email: "admin@hub.example", password: org.admin.password }, "/settings/organizations");
  await page.getByRole("button", { name: "New organization" }).click();
  const form = page.getByRole("dialog", { name: "New organization" });
  await form.getByLabel("Name").fill("Northwind");
  await form.getByLabel(/E-mail/).fill("ops@northwind.example");
  await form.getByLabel("First password").fill(org.admin.password);
  await form.getByRole("button", { name: "Make it" }).click();
  await page.getByRole("row", { name: /Northwind/ }).waitFor();
  await checkPage(page, "organizations");
});
