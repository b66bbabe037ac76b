import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../server/src/testing/after-file.ts";
import { buildOne } from "../server/src/testing/builders.ts";
import { eventually } from "../server/src/testing/eventually.ts";
import { buildFor } from "../server/src/testing/mail-fixture.ts";
import type { StandInMailServer } from "../server/src/testing/stand-in-mail-server.ts";
import { startMailServer } from "../server/src/testing/stand-in-mail-server.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let admin: Person;
let server: StandInMailServer;
const { mailServerAt, mailsTo } = buildFor(() => server);
const password = "quiet marble lantern";

beforeAll(async () => {
  server = await startMailServer({ authOptional: true });
  afterFile(() => server.close());
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  admin = await browser.person();
  await signIn(admin.page, hub, org.admin, "/settings/users");
});

const dialog = (name: string | RegExp) => admin.page.getByRole("dialog", { name });
const withMail = (): void => {
  hub.world.settings.outbound.mailServer = mailServerAt();
  hub.world.settings.publicUrls = [hub.url];
};
const linkFor = async (email: string): Promise<string> => {
  const [mail] = await eventually(
    async () => mailsTo(email),
    (mails) => mails.length > 0,
  );
  return /http:\S+#[\w-]{43}/.exec(mail!.text)![0];
};

test("an administrator invites a person by a link; the person chooses name and password and is in", async () => {
  const { page } = admin;
  await page.getByRole("button", { name: "Invite user" }).click();
  await dialog("Invite user").getByLabel("E-mail").fill("kim@shop.example");
  await dialog("Invite user").getByRole("button", { name: "Create invitation" }).click();
  const shown = dialog("Invitation for kim@shop.example");
  const link = (await shown.locator("code").textContent())!;
  await checkPage(page, "invitation-link");
  await shown.getByRole("button", { name: "Done" }).click();
  await page.getByRole("row", { name: /kim@shop.example.*Operator.*Open/ }).waitFor();
  await checkPage(page, "users-invitations");

  const kim = await browser.person();
  await kim.page.goto(link);
  await kim.page.getByText("You sign in with kim@shop.example").waitFor();
  await checkPage(kim.page, "invitation");
  await kim.page.getByLabel("Your name").fill("Kim Lee");
  await kim.page.getByLabel("Password").fill("short");
  await kim.page.getByText("5 more characters needed (at least 10).").waitFor();
  await kim.page.getByLabel("Password").fill("password123");
  await kim.page.getByRole("button", { name: "Create account" }).click();
  await kim.page
    .getByText(/tried first/)
    .first()
    .waitFor();
  await kim.page.getByLabel("Password").fill(password);
  await kim.page.getByRole("button", { name: "Create account" }).click();
  await kim.page.getByRole("navigation", { name: "Main" }).waitFor();
  expect(new URL(kim.page.url()).hash).toBe("");
  await kim.page.goto(link);
  await kim.page.getByText("The invitation was already accepted.").waitFor();
  await takeScreenshot(kim.page, "invitation-used");
  await page.reload();
  await page.getByRole("row", { name: /Kim Lee/ }).waitFor();
  expect(await page.getByRole("table", { name: "Open invitations" }).count()).toBe(0);
});

test("an invitation is sent again and revoked", async () => {
  const { page } = admin;
  withMail();
  await org.post("/invitations", { email: "lee@shop.example", role: "viewer" });
  const first = await linkFor("lee@shop.example");
  await page.reload();
  await page.getByRole("button", { name: "Actions for lee@shop.example" }).click();
  await page.getByRole("menuitem", { name: /Send again/ }).click();
  await dialog(/a new link/)
    .getByRole("button", { name: "Create new link" })
    .click();
  await dialog("Invitation for lee@shop.example").getByText("The new link was sent").waitFor();
  await dialog("Invitation for lee@shop.example").getByRole("button", { name: "Done" }).click();
  const lee = await browser.person();
  await lee.page.goto(first);
  await lee.page.getByText("Check that the whole link was copied.").waitFor();
  await page.getByRole("button", { name: "Actions for lee@shop.example" }).click();
  await page.getByRole("menuitem", { name: /Revoke/ }).click();
  await dialog(/Revoke the invitation/)
    .getByRole("button", { name: "Revoke invitation" })
    .click();
  await page.getByText("Invitation for lee@shop.example revoked").waitFor();
  const { data } = (await org.get("/invitations?status=revoked")).body;
  expect(data).toMatchObject([{ email: "lee@shop.example" }]);
});

test("a forgotten password is replaced through an e-mail, or a link of the administrator", async () => {
  withMail();
  const { page } = await browser.person();
  await page.goto(`${hub.url}/orders`);
  await page.getByRole("link", { name: "Forgot your password?" }).click();
  await page.getByRole("heading", { name: "Forgot your password?" }).waitFor();
  await page.getByLabel("E-mail").fill("kim@shop.example");
  await checkPage(page, "reset-request");
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByText("If kim@shop.example has an account").waitFor();
  await page.goto(await linkFor("kim@shop.example"));
  await page.getByLabel("New password").fill("another quiet marble");
  await checkPage(page, "reset-password");
  await page.getByRole("button", { name: "Change password" }).click();
  await page.getByText("Your password is changed.").waitFor();
  await page.getByRole("link", { name: "Back to sign-in" }).click();
  await page.getByLabel("E-mail").fill("kim@shop.example");
  await page.getByLabel("Password").fill("another quiet marble");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();

  delete hub.world.settings.outbound.mailServer;
  const { page: plain } = await browser.person();
  await plain.goto(`${hub.url}/reset-password`);
  await plain.getByText("Ask an administrator of your organization").waitFor();
  await admin.page.goto(`${hub.url}/settings/users`);
  await admin.page.getByRole("link", { name: "kim@shop.example" }).click();
  await admin.page.getByRole("button", { name: "Reset password" }).click();
  await dialog(/Create a link for a new password/)
    .getByRole("button", { name: "Create link" })
    .click();
  const link = (await dialog("New password").locator("code").textContent())!;
  await dialog("New password").getByRole("button", { name: "Done" }).click();
  await plain.goto(link);
  await plain.getByLabel("New password").fill(password);
  await plain.getByRole("button", { name: "Change password" }).click();
  await plain.getByText("Your password is changed.").waitFor();
});

test("a user changes the own name and e-mail address", async () => {
  const kim = await browser.person();
  await signIn(kim.page, hub, { email: "kim@shop.example", password }, "/settings/account");
  await kim.page.getByLabel("Name").fill("Kim Park");
  await kim.page.getByRole("button", { name: "Save name" }).click();
  await kim.page.getByText("Name saved").waitFor();
  const email = kim.page.getByRole("region", { name: "E-mail" });
  await email.getByLabel("E-mail", { exact: true }).fill("kim.park@shop.example");
  await email.getByLabel(/Current password/).fill("not that one");
  await email.getByRole("button", { name: "Change e-mail" }).click();
  await email.getByText("The current password is incorrect.").first().waitFor();
  await checkPage(kim.page, "account-people");
  await email.getByLabel(/Current password/).fill(password);
  await email.getByRole("button", { name: "Change e-mail" }).click();
  await kim.page.getByText("E-mail address changed").waitFor();
  expect((await org.get("/people")).body.data).toContainEqual(
    expect.objectContaining({ name: "Kim Park", email: "kim.park@shop.example" }),
  );
});

test("an exception is assigned and commented; the colleague sees it at the bell and under Assigned to me", async () => {
  const exception = await buildOne(org, "exception");
  const kim = await browser.person();
  await signIn(kim.page, hub, { email: "kim.park@shop.example", password }, "/orders");
  const { page } = admin;
  await page.goto(`${hub.url}/exceptions?open=${exception}`);
  await page.getByLabel("Assigned to").click();
  await page.getByRole("option", { name: "Kim Park" }).click();
  await page.getByLabel("New comment").fill("Please ask the carrier, @Kim");
  await page.getByRole("button", { name: "@Kim Park" }).click();
  expect(await page.getByLabel("New comment").inputValue()).toBe("Please ask the carrier, @Kim Park ");
  await page.getByRole("button", { name: "Add comment" }).click();
  const comment = page.getByRole("article", { name: /Comment by/ });
  await comment.getByText("Please ask the carrier").waitFor();
  await checkPage(page, "exception-discussion");

  // The bell asks four times a minute.
  await kim.page.getByRole("button", { name: "Notifications, 2 unread" }).first().click({ timeout: 45_000 });
  await kim.page.getByText(/mentioned you in a comment/).waitFor();
  await checkPage(kim.page, "notifications");
  await kim.page.getByRole("link", { name: /assigned an exception to you/ }).click();
  await kim.page.waitForURL(new RegExp(`open=${exception}`));
  await kim.page.getByRole("button", { name: "Notifications, 1 unread" }).first().waitFor();
  await kim.page.getByText("Please ask the carrier").waitFor();
  await kim.page.goto(`${hub.url}/exceptions`);
  await kim.page.getByRole("link", { name: "Assigned to me" }).click();
  await kim.page.waitForURL(/assigneeId=/);
  await kim.page.getByText("1 to 1 of 1 exceptions").waitFor();
  await kim.page
    .getByRole("button", { name: /Notifications, 1/ })
    .first()
    .click();
  await kim.page.getByRole("button", { name: "Mark all as read" }).click();
  await kim.page.getByRole("button", { name: "Notifications", exact: true }).first().waitFor();
  // Pages with a stream would ask for it again while the hub stops.
  await kim.context.close();
  await page.goto(`${hub.url}/settings/users`);
});

test("a user chooses notifications; viewers see orders without an error", async () => {
  const kim = await browser.person();
  await signIn(kim.page, hub, { email: "kim.park@shop.example", password }, "/settings/account");
  const box = kim.page.getByRole("checkbox", { name: "Comments that mention me: console" });
  const saved = kim.page.waitForResponse(
    (response) => response.url().endsWith("/notifications/settings") && response.request().method() === "PUT",
  );
  await box.click();
  await expect.poll(async () => await box.isChecked()).toBe(false);
  await saved;
  await kim.page.reload();
  await expect.poll(async () => await box.isChecked()).toBe(false);

  const email = "viewer@shop.example";
  await org.post("/users", { email, role: "viewer", password });
  const viewer = await browser.person();
  const refused: string[] = [];
  viewer.page.on("response", (response) => {
    if (response.status() === 403) refused.push(response.url());
  });
  await signIn(viewer.page, hub, { email, password }, "/orders");
  await viewer.page.getByRole("button", { name: "Notifications" }).first().waitFor();
  await viewer.page.getByLabel("Search orders").fill("nothing");
  await viewer.page.waitForURL(/q=nothing|search=nothing|nothing/);
  expect(refused).toEqual([]);
});
