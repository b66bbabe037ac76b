import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../server/src/testing/eventually.ts";
import { makeFolder, startHubProcess, signIn as signInTo } from "../server/src/testing/hub-process.ts";
import { adminPassword, unattended } from "../server/src/testing/launch-hub.ts";
import { readyDataDir } from "../server/src/testing/ready-data-dir.ts";
import { openBrowser, signIn, takeScreenshot } from "./console-hub.ts";

const admin = { email: "admin@hub.local", password: adminPassword };

const code = `
import { connectionTest, defaultPickupRules, defineAction, definePlugin, Strict } from "@order-operations-hub/plugin";
const wrap = defineAction({
  type: "local.wrap", title: "Wrap as a gift", group: "fulfillment", description: "Tells the packer to wrap it.",
  params: Strict({}), example: {}, apply: (order) => ({ patch: { tags: [...order.tags, "gift"] } }),
});
const van = {
  name: "local.van", title: "Our van", description: "Delivers in town.", settings: Strict({}), credentials: Strict({}),
  pickupRules: defaultPickupRules, isLocal: true, usesRateCards: () => false,
};
const market = {
  name: "local.market", title: "Farmers' market", description: "Orders of the market.", settings: Strict({}),
  credentials: Strict({}), site: [], sendsTo: () => [], concurrency: 1, isShop: true,
  tasks: () => [connectionTest(async () => ({}))],
};
export const plugin = definePlugin({ api: "1.0", namespace: "local", actions: [wrap], carriers: [van], connectors: [market] });
`;

test("what a plug-in brings is offered with the name of the plug-in", async () => {
  const folder = path.join(await makeFolder(), "town");
  await mkdir(folder);
  const manifest = { name: "hub-plugin-town", version: "2.1.0", type: "module", exports: "./plugin.js" };
  await writeFile(path.join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(path.join(folder, "plugin.js"), code);
  const env = { ...unattended, HUB_CONSOLE: "on", HUB_PREVIEW_PORT: "off", HUB_PLUGINS: folder };
  const [{ url }, browser] = await Promise.all([
    startHubProcess({ dataDir: await readyDataDir(), env }),
    openBrowser(),
  ]);
  const client = await signInTo(url, admin);
  expect((await client.post("/orders", { number: "TOWN-1", status: "ready" })).status).toBe(201);
  // The hub answers before it has read the console.
  await eventually(
    () => fetch(`${url}/orders`, { headers: { accept: "text/html" } }),
    ({ status }) => status === 200,
  );
  const { page } = await browser.person();
  await signIn(page, { url }, admin, "/bridges/new");
  const mark = "Plug-in hub-plugin-town 2.1.0";
  await page.getByRole("listitem").filter({ hasText: "Farmers' market" }).getByText(mark).waitFor();
  expect(await page.getByText(/^Plug-in /).count()).toBe(1);
  await takeScreenshot(page, "plugin-connector");

  await page.goto(`${url}/carriers?new=1`);
  const form = page.getByRole("dialog", { name: "Add carrier account" });
  await form.getByLabel("Carrier", { exact: true }).click();
  await page.getByRole("option", { name: "Our van" }).click();
  await form.getByText(mark).waitFor();
  await takeScreenshot(page, "plugin-carrier");

  await page.goto(`${url}/orders`);
  await page.getByRole("row", { name: /TOWN-1/ }).waitFor();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("e");
  await page.getByRole("button", { name: "Add step" }).click();
  await page
    .getByRole("dialog", { name: "Add step" })
    .getByRole("button", { name: /Wrap as a gift/ })
    .getByText(mark)
    .waitFor();
  await takeScreenshot(page, "plugin-action");
});
