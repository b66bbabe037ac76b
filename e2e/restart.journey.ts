import { expect, test } from "vitest";
import { eventually } from "../server/src/testing/eventually.ts";
import { freePort } from "../server/src/testing/free-port.ts";
import { holdOrders } from "../server/src/testing/hold-orders.ts";
import { clientOf, signIn as signInTo, startHubProcess } from "../server/src/testing/hub-process.ts";
import { adminPassword, unattended } from "../server/src/testing/launch-hub.ts";
import { readyDataDir } from "../server/src/testing/ready-data-dir.ts";
import { openBrowser, signIn, takeScreenshot } from "./console-hub.ts";

const admin = { email: "admin@hub.local", password: adminPassword };

test("after the hub dies during a run, the page reconnects, follows the run to its end and misses no event", async () => {
  const dataDir = await readyDataDir();
  const port = String(await freePort());
  const env = { ...unattended, HUB_CONSOLE: "on", HUB_PORT: port, HUB_PREVIEW_PORT: "off" };
  const [hub, browser] = await Promise.all([startHubProcess({ dataDir, env }), openBrowser()]);
  const { url } = hub;
  const token = await signInTo(url, admin);
  const orders = Array.from({ length: 40 }, (_, at) => ({ number: `R-${at}`, status: "ready" }));
  expect((await token.post("/orders/bulk", { orders })).status).toBeLessThan(300);
  // The hub answers before it has read the console.
  await eventually(
    () => fetch(`${url}/orders`, { headers: { accept: "text/html" } }),
    ({ status }) => status === 200,
  );
  const { page, context } = await browser.person();
  await signIn(page, { url }, admin, "/orders");
  await page.getByRole("row", { name: /R-\d/ }).first().waitFor();
  // Lock the orders, so that the run cannot end before the hub does.
  const held = await holdOrders(dataDir);
  const started = await token.post(
    "/operations/run",
    { order_ids: orders.map(({ number }) => number), actions: [{ type: "add_tags", params: { tags: ["survived"] } }] },
    { headers: { prefer: "respond-async" } },
  );
  await page.goto(`${url}/operations/runs/${started.body.id}`);
  await page.getByRole("progressbar").waitFor();
  await page.keyboard.press("Control+`");
  const dock = page.getByRole("region", { name: "Developer panel" });
  await dock.getByRole("tab", { name: "Events" }).click();
  await dock.getByText("New events appear here").waitFor();
  hub.send("SIGKILL");
  await hub.exited;
  await page.getByText("The hub does not answer.").waitFor();
  await page.getByRole("progressbar").waitFor();
  await takeScreenshot(page, "run-hub-away");
  // The hub comes back before the page: events in between arrive when the page reconnects.
  await context.setOffline(true);
  const again = await startHubProcess({ dataDir, env });
  const reader = await signInTo(again.url, admin);
  await reader.post("/orders", { number: "R-MEANWHILE" });
  await context.setOffline(false);
  await dock.getByText("order.created").waitFor();
  await held.letGo();
  await page.getByText("Done", { exact: true }).first().waitFor();
  await page.getByText("The hub does not answer.").waitFor({ state: "detached" });
  const done = await eventually(
    async () => (await reader.get(`/operations/runs/${started.body.id}?results_limit=0`)).body,
    ({ status }) => status === "succeeded",
  );
  expect(done.summary).toMatchObject({ succeeded: 40, failed: 0 });
  expect((await clientOf(again.url).get("/orders")).status).toBe(401);
  // A stopping hub rejects the streams that the page would open.
  await context.close();
  await again.stop();
});
