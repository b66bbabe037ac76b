import { expect, test } from "vitest";
import { lookAt, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";
import { seedOrders } from "./seed-orders.ts";

test("a preview cannot be taken for the shop", async () => {
  const [hub, browser] = await Promise.all([startConsoleHub({ environment: "preview" }), openBrowser()]);
  const org = await hub.org();
  await seedOrders(org, 30);
  const { page } = await browser.person();
  await signIn(page, hub, org.admin, "/orders");
  await page.getByRole("row", { name: /SHOP-10000/ }).waitFor();
  await page.getByRole("note", { name: "PREVIEW" }).waitFor();
  expect(await page.title()).toMatch(/^PREVIEW /);
  expect(await page.locator("link[rel=icon]").getAttribute("href")).toContain("preview");
  await lookAt(page, "preview");
});
