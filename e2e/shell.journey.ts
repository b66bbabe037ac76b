import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { totpCode, totpStep } from "../server/src/core/totp-codes.ts";
import { fromBase32 } from "../server/src/testing/from-base32.ts";
import type { StandInIssuer } from "../server/src/testing/stand-in-issuer.ts";
import { startStandInIssuer } from "../server/src/testing/stand-in-issuer.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, holdAnswers, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

const client = { id: "console", secret: "a secret of the hub" };
let issuer: StandInIssuer;
let hub: TestHub;
let org: TestOrg;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let person: Person;

beforeAll(async () => {
  issuer = await startStandInIssuer(client);
  const settings = { oidc: { issuer: issuer.url, client } };
  [hub, browser] = await Promise.all([startConsoleHub({ settings }), openBrowser()]);
  org = await hub.org();
  await seedOrders(org, 160);
  person = await browser.person();
});

/** The response to the preference that the developer panel is open or closed. */
const dockSaved = async (page: Page, isOpen: boolean) =>
  await page.waitForResponse((response) => (response.request().postData() ?? "").includes(`"isDockOpen":${isOpen}`));

test("after the sign-in the requested page is shown", async () => {
  const { page, context } = person;
  await page.goto(`${hub.url}/orders?status=ready`);
  await page.getByLabel("E-mail").fill(org.admin.email);
  await page.getByLabel("Password").fill("wrong, sorry");
  await checkPage(page, "sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").getByText("Incorrect email or password").waitFor();
  await page.getByLabel("Password").fill(org.admin.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("grid", { name: "Orders" }).waitFor();
  expect(page.url()).toContain("/orders?status=ready");
  const [cookie] = await context.cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  expect(
    await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"),
  ).not.toMatch(/Bearer|eyJ|ooh_live/);
});

test("a user signs in through the identity provider; its errors are shown in place", async () => {
  const { page, context } = await browser.person();
  await hub.operator.patch(`/organizations/${org.id}`, { emailDomains: ["sso.example"] });
  await org.post("/users", { email: "ada@sso.example", role: "admin" });
  issuer.person = { sub: "ada", email: "ada@sso.example", email_verified: true };
  const button = page.getByRole("button", { name: `Sign in with ${new URL(issuer.url).host}` });
  await page.goto(`${hub.url}/orders?status=ready`);
  issuer.faults = { answer: { code: "", error: "access_denied", error_description: "The person said no" } };
  await button.click();
  await page.getByRole("alert").getByText("access_denied: The person said no").waitFor();
  await checkPage(page, "sign-in-refused");
  await page.goto(`${hub.url}/orders?status=ready`);
  await button.click();
  await page.getByRole("grid", { name: "Orders" }).waitFor();
  expect(page.url()).toBe(`${hub.url}/orders?status=ready`);
  const cookies = await context.cookies();
  expect(cookies).toMatchObject([{ name: "ooh_live", httpOnly: true, sameSite: "Strict" }]);

  // Step-up authentication at the identity provider returns to the same page.
  await page.goto(`${hub.url}/settings/account`);
  await page.getByText("You sign in through your identity provider.").waitFor();
  await org.patch(`/organizations/${org.id}`, { requiresStepUp: true });
  await page.goto(`${hub.url}/settings/keys`);
  const form = page.getByRole("dialog", { name: "Create key" });
  const makeKey = async (): Promise<void> => {
    await page.getByRole("button", { name: "Create key" }).first().click();
    await form.getByLabel("Name").fill("Proved");
    await form.getByRole("button", { name: "Create key" }).click();
  };
  await makeKey();
  const proof = page.getByRole("dialog", { name: "Confirm your identity" });
  await proof.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alert").getByRole("button", { name: "Details" }).click();
  await page.getByText("step_up_required").waitFor();
  await form.getByRole("button", { name: "Create key" }).click();
  await proof.getByRole("button", { name: "Continue to your identity provider" }).waitFor();
  await takeScreenshot(page, "proof-at-issuer");
  await proof.getByRole("button", { name: "Continue to your identity provider" }).click();
  await proof.waitFor({ state: "detached" });
  await makeKey();
  await page.getByRole("dialog", { name: "Key Proved" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/settings/keys");
  await org.patch(`/organizations/${org.id}`, { requiresStepUp: false });
});

test("one toast is shown at a time, can be closed with a screen reader, and goes away by itself", async () => {
  const { page } = await browser.person();
  await signIn(page, hub, org.admin, "/components");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const toasts = page.getByRole("region", { name: "Notifications" });
  await page.mouse.move(0, 0);
  await toasts.getByRole("button", { name: "Close" }).waitFor();
  expect(await toasts.getByRole("button", { name: "Close" }).count()).toBe(1);
  expect(await toasts.getAttribute("aria-live")).toBe("polite");
  await checkPage(page, "toast");
  await expect.poll(() => toasts.getByText("It was done").count()).toBe(0);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await toasts.getByRole("button", { name: "Close" }).click();
  await expect.poll(() => toasts.innerText()).toBe("");
});

test("every page is accessible in light, in dark and on a small screen", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  await page.getByRole("heading", { name: "Open orders by status" }).waitFor();
  await page.goto(`${hub.url}/components`);
  await page.getByRole("textbox", { name: "JSON" }).waitFor();
  await checkPage(page, "components");
  await page.goto(`${hub.url}/orders`);
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await checkPage(page, "orders");
  await page.goto(`${hub.url}/orders/SHOP-10000`);
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await checkPage(page, "order");
});

test("the title of a page names its record", { timeout: 480_000 }, async () => {
  const { page } = await browser.person();
  await signIn(page, hub, org.admin);
  const location = (await org.post("/locations", { name: "Newark" })).body.id as string;
  const preset = (
    await org.post("/operations/pipelines", {
      name: "Gift orders",
      actions: [{ type: "add_tags", params: { tags: ["gift"] } }],
    })
  ).body.id as string;
  const carrier = (await org.post("/carrier-accounts", { name: "Demo account", carrier: "demo" })).body.id as string;
  const bridge = (await org.post("/bridges", { name: "Demo shop", connector: "demo" })).body.id as string;
  const titles = {
    "/orders/SHOP-10000": "SHOP-10000 · Orders · Order Operations",
    "/orders/SHOP-10001": "SHOP-10001 · Orders · Order Operations",
    [`/locations/${location}`]: "Newark · Locations · Order Operations",
    [`/operations/presets/${preset}`]: "Gift orders · Presets · Order Operations",
    [`/carriers/${carrier}`]: /^Demo account · /,
    [`/bridges/${bridge}`]: /^Demo shop · /,
    "/nonsense": "Page not found · Order Operations",
  };
  for (const [at, title] of Object.entries(titles)) {
    await page.goto(hub.url + at);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.title()).toMatch(title);
  }
});

test("a page sends each request once", async () => {
  const { page } = person;
  let asked: Array<{ url: string; at: number }> = [];
  page.on("request", (request) => {
    if (request.method() === "GET" && request.url().includes("/api/v1/"))
      asked.push({ url: request.url(), at: performance.now() });
  });
  // A page that loads for long asks again by its timers, the shortest of which takes 15 seconds.
  const again = (): string[] =>
    asked.flatMap(({ url, at }, nth) =>
      asked.slice(0, nth).some((before) => before.url === url && at - before.at < 10_000) ? [url] : [],
    );
  await page.goto(`${hub.url}/orders`);
  // The counts of the views come last.
  await page.getByRole("link", { name: /^To review \d+$/ }).waitFor();
  await page.getByRole("link", { name: /^All 160$/ }).waitFor();
  expect(again()).toEqual([]);
  asked = [];
  await page.goto(`${hub.url}/`);
  await page.getByRole("region", { name: "Key figures" }).getByText("160", { exact: true }).waitFor();
  expect(again()).toEqual([]);
});

test("unknown addresses and records show a not-found page with a heading and the search", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/nowhere`);
  await page.getByRole("heading", { name: "Page not found", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Search or run a command" }).waitFor();
  await checkPage(page, "not-found");
  await page.goto(`${hub.url}/orders/SHOP-1000`);
  await page.getByRole("alert").waitFor();
  await page
    .getByRole("link", { name: /SHOP-1000\d/ })
    .first()
    .waitFor();
});

test("the palette finds an order by its number, and shortcuts navigate", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run a command" }).fill("SHOP-10042");
  // At once: the search has not answered yet, and its best match is what was asked for.
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  expect(page.url()).toContain("/orders/SHOP-10042");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or run a command" }).fill("SHOP-10042");
  await page.getByRole("option", { name: /^SHOP-10042/ }).waitFor();
  await takeScreenshot(page, "palette");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("o");
  await page.getByRole("grid", { name: "Orders" }).waitFor();
  await page.keyboard.press("Shift+?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Bulk edit the selected orders").waitFor();
  await takeScreenshot(page, "keys");
  await page.keyboard.press("Escape");
});

test("the dock shows requests as curl, grouped errors, and live events", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders`);
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await page.keyboard.press("Control+`");
  const dock = page.getByRole("region", { name: "Developer panel" });
  await dock
    .getByRole("button", { name: /GET \/api\/v1\/orders\?/ })
    .first()
    .click();
  await dock.getByText(/curl 'http:\/\/127\.0\.0\.1:\d+\/api\/v1\/orders\?/).waitFor();
  await takeScreenshot(page, "dock");
  await dock.getByRole("tab", { name: "Events" }).click();
  await dock.getByText("New events appear here").waitFor();
  await org.post("/orders", { number: "NEW-1" });
  await dock.getByText("order.created").first().waitFor();
  const kept = dockSaved(page, false);
  await page.keyboard.press("Control+`");
  await dock.waitFor({ state: "detached" });
  await kept;
});

test("theme and density are stored in the hub and apply in another browser", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/`);
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByLabel("Theme").click();
  await page.getByRole("option", { name: "Dark" }).click();
  const saved = page.waitForResponse(
    (response) =>
      response.url().endsWith("/me/preferences") && (response.request().postData() ?? "").includes("comfortable"),
  );
  await page.getByRole("switch", { name: "Comfortable rows" }).click();
  expect((await saved).status()).toBe(200);
  // One that is changed before the others have loaded does not replace them.
  const all = await holdAnswers(page, "/me/preferences");
  await page.goto(`${hub.url}/`);
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const opened = dockSaved(page, true);
  await page.keyboard.press("Control+`");
  await all.letGo();
  await opened;
  const closed = dockSaved(page, false);
  await page.keyboard.press("Control+`");
  await closed;
  const other = await browser.person();
  await signIn(other.page, hub, org.admin);
  await other.page.locator("html[data-theme=dark][data-density=comfortable]").waitFor();
  await other.page.getByRole("button", { name: /^Account of/ }).click();
  await other.page.getByRole("button", { name: "Sign out" }).click();
  await other.page.getByLabel("E-mail").waitFor();
});

test("a revoked session asks to sign in again over the page, which keeps what was typed", async () => {
  const { page } = await browser.person();
  const { body: location } = await org.post("/locations", { name: "Camden" });
  await signIn(page, hub, org.admin, `/locations/${location.id}`);
  await page.getByLabel("City").fill("Philadelphia");
  const { body } = await org.get("/users");
  for (const { id } of body.data) await org.post(`/users/${id}/revoke-sessions`, {});
  await page.getByRole("button", { name: "Save" }).click();
  const again = page.getByRole("dialog", { name: "Sign in" });
  await again.getByText("Your session has ended.").waitFor();
  expect(await again.getByLabel("E-mail").inputValue()).toBe(org.admin.email);
  await checkPage(page, "sign-in-again");
  // A wrong password does not lose the page either.
  await again.getByLabel("Password").fill("wrong, sorry");
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await again.getByText("Incorrect email or password").waitFor();
  await again.getByLabel("Password").fill(org.admin.password);
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await again.waitFor({ state: "detached" });
  expect(await page.getByLabel("City").inputValue()).toBe("Philadelphia");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.poll(async () => (await org.get(`/locations/${location.id}`)).body.address.city).toBe("Philadelphia");
  // The developer panel shows no passwords.
  await page.keyboard.press("Control+`");
  const dock = page.getByRole("region", { name: "Developer panel" });
  await dock
    .getByRole("button", { name: /POST \/api\/v1\/auth\/session/ })
    .first()
    .click();
  await dock.getByText("(not kept)").first().waitFor();
  expect(await dock.textContent()).not.toContain(org.admin.password);
});

test("users of two organizations choose one; users with an authenticator app enter a code, and a wrong one shows an error", async () => {
  const first = await org.withRole("operator");
  const { email } = (await first.get("/me")).body.actor as { email: string };
  const other = await hub.org();
  await other.post("/users", { email, role: "viewer", password: org.admin.password });
  const secret = fromBase32((await first.post("/me/totp")).body.secret as string);
  const code = totpCode(secret, totpStep(hub.world.clock.real()));
  const [recovery] = (await first.post("/me/totp/confirm", { code })).body.recoveryCodes as string[];
  const { page } = await browser.person();
  await page.goto(hub.url);
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(org.admin.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  const { name } = (await org.get(`/organizations/${org.id}`)).body as { name: string };
  const choice = page.getByRole("group", { name: "Organization" });
  await choice.getByRole("button", { name }).waitFor();
  await checkPage(page, "sign-in-organizations");
  await choice.getByRole("button", { name }).click();
  const field = page.getByLabel(/Code from your authenticator app/);
  await field.fill("000000");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("alert").waitFor();
  await field.fill(recovery!);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Main" }).waitFor();
});

test("while the hub is unreachable a bar says so, data stays visible, and the page reconnects", async () => {
  const { page, context } = await browser.person();
  await signIn(page, hub, org.admin, "/orders");
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await context.setOffline(true);
  await page.getByLabel("Search orders").fill("10001");
  await page.getByText("The hub does not answer.").waitFor();
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await takeScreenshot(page, "away");
  await context.setOffline(false);
  await page.getByText("The hub does not answer.").waitFor({ state: "detached" });
  await page.getByRole("row", { name: /SHOP-10001/ }).waitFor();
});

test("a viewer sees why an action is disabled", async () => {
  const email = "viewer@org.example";
  await org.post("/users", { email, role: "viewer", password: org.admin.password });
  const viewer = await browser.person();
  await signIn(viewer.page, hub, { email, password: org.admin.password }, "/orders");
  const bulkEdit = viewer.page.getByRole("button", { name: "Bulk edit" });
  await expect.poll(() => bulkEdit.getAttribute("aria-disabled")).toBe("true");
  await bulkEdit.hover();
  await viewer.page.getByText("Your role, viewer, has no permission to run bulk edits.").waitFor();
});
