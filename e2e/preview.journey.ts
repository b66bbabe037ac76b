import { expect, test } from "vitest";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

test("the preview cannot be mistaken for live", async () => {
  const [hub, browser] = await Promise.all([startConsoleHub({ environment: "preview" }), openBrowser()]);
  const org = await hub.org();
  await seedOrders(org, 30);
  const { page } = await browser.person();
  await signIn(page, hub, org.admin, "/orders");
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await page.getByRole("complementary", { name: "PREVIEW" }).waitFor();
  expect(await page.title()).toMatch(/^PREVIEW /);
  expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain("preview");
  await checkPage(page, "preview");

  // The panel is below the bar and inside the shell, at every width.
  await page
    .getByRole("row", { name: /SHOP-10000/ })
    .getByText("Albany")
    .click();
  const panel = page.getByRole("dialog", { name: "SHOP-10000" });
  await panel.getByText("Albany").waitFor();
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 740 });
    const bar = (await page.getByRole("complementary", { name: "PREVIEW" }).boundingBox())!;
    const box = (await panel.boundingBox())!;
    expect(box.y, `${width} px`).toBeGreaterThanOrEqual(bar.y + bar.height);
    expect(box.x + box.width, `${width} px`).toBe(width - 4);
    expect(box.y + box.height, `${width} px`).toBe(740 - 4);
    await takeScreenshot(page, `preview-panel-${width}`);
    // The trial click proves that nothing covers it.
    await panel.getByRole("button", { name: "Close" }).click({ trial: true });
  }
  await panel.getByRole("button", { name: "Close" }).click();
  await panel.waitFor({ state: "detached" });
});

test("a view made through the API, as the documents show it, filters the list", async () => {
  const [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  const org = await hub.org();
  await seedOrders(org, 30);
  const settings = { filter: { status: ["ready"], tag: "rush" }, sort: "shipBy" };
  expect((await org.post("/views", { list: "orders", name: "Rush orders", settings, isShared: true })).status).toBe(
    201,
  );
  const { total } = (await org.get("/orders?limit=1&status=ready&tag=rush")).body.pagination;
  const { page } = await browser.person();
  await signIn(page, hub, org.admin, "/orders");
  await page.getByRole("link", { name: `Rush orders ${total}` }).click();
  await page.getByRole("grid", { name: "Orders" }).waitFor();
  await expect.poll(() => page.getByRole("row", { name: /SHOP-/ }).count()).toBe(total);
  expect(await page.getByRole("link", { name: /^All / }).getAttribute("aria-current")).toBeNull();
});
