import { expect, test } from "vitest";
import { checkPage, openBrowser, startConsoleHub, takeScreenshot } from "./console-hub.ts";

const { person } = await openBrowser();
const hub = await startConsoleHub();

test("pages of the documentation are accessible in light, in dark and on a small screen", async () => {
  const { page } = await person();
  await page.goto(`${hub.url}/docs`);
  await page.getByRole("heading", { name: "Order Operations Hub", level: 1 }).waitFor();
  await checkPage(page, "docs-front");
  await page.getByRole("navigation", { name: "Documentation" }).getByRole("link", { name: "Concepts" }).click();
  await page.getByRole("heading", { name: "Concepts", level: 1 }).waitFor();
  await expect.poll(() => page.evaluate("document.querySelector('article img').naturalWidth")).toBeGreaterThan(100);
  await checkPage(page, "docs-concepts");
  await page.goto(`${hub.url}/docs/states`);
  await checkPage(page, "docs-states");
  await page.goto(`${hub.url}/docs/errors`);
  await checkPage(page, "docs-errors");
});

test("the search finds sections without a request for each key, by keyboard alone", async () => {
  const { page } = await person();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${hub.url}/docs/`);
  await page.keyboard.press("/");
  const box = page.getByRole("searchbox", { name: "Search the documentation" });
  await box.pressSequentially("webhook signature verify", { delay: 5 });
  const results = page.getByRole("search").getByRole("link");
  await expect.poll(() => results.allTextContents()).toContain("VerifyWebhooks");
  expect(asked.filter((path) => path === "/docs/search.json")).toHaveLength(1);
  await box.fill("cursor_expired");
  await expect.poll(() => results.first().textContent()).toContain("cursor_expired");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/docs\/errors\/cursor_expired/);
  await page.keyboard.press("/");
  await page.keyboard.type("zzyzx");
  await page.getByText("No section matches.").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByText("No section matches.").isVisible()).toBe(false);
});

test("code can be copied, and pages lead to the next and the one before", async () => {
  const { page, context } = await person();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${hub.url}/docs/guides/start`);
  await page.getByRole("button", { name: "Copy" }).nth(1).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(await page.evaluate("navigator.clipboard.readText()")).toContain("export HUB_URL=");
  await page.getByRole("link", { name: "Concepts →" }).click();
  await page.getByRole("link", { name: "← Start in five minutes" }).click();
  await page.getByRole("heading", { name: "2. Create an API key" }).waitFor();
});

test("on a small screen the menu opens and closes", async () => {
  const { page } = await person({ viewport: { width: 360, height: 740 } });
  await page.goto(`${hub.url}/docs/webhooks`);
  const menu = page.getByRole("navigation", { name: "Documentation" });
  expect(await menu.isVisible()).toBe(false);
  await page.getByRole("button", { name: "Menu" }).click();
  await menu.getByRole("link", { name: "Conditions" }).click();
  await page.getByRole("heading", { name: "Conditions", level: 1 }).waitFor();
});

test("the API reference has no tools of its vendor, leads to the guides, and old links lead to it", async () => {
  const { page } = await person();
  await page.goto(`${hub.url}/docs/#tag/orders`, { waitUntil: "commit" });
  await page.waitForURL(/\/docs\/api\/#/, { waitUntil: "commit" });
  await page.getByRole("link", { name: "Start", exact: true }).waitFor();
  // Drawn by a script of 4 MB from the document of the API.
  await page.getByRole("heading", { name: "Order Operations Hub" }).first().waitFor({ timeout: 120_000 });
  await takeScreenshot(page, "docs-api");
  for (const name of ["Developer Tools", "Generate MCP", "Deploy", "Share", "Open API Client"]) {
    expect(await page.getByText(name, { exact: true }).count(), name).toBe(0);
  }
});
