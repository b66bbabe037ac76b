import axe from "axe-core";
import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { systemContext } from "../server/src/context.ts";
import { seedPreview } from "../server/src/features/preview/preview.ts";
import type { TestHub } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

/**
 * Each page of the console with the demo data: all rules of axe in both themes and at 360 px. The other journeys check the states of a page, with all rules
 * in the light theme only.
 */
const routes = readFileSync(path.join(import.meta.dirname, "../console/src/app/routes.tsx"), "utf8");
const paths = [...routes.matchAll(/^ {2}page\(\s*"([^"]+)"/gm)].map(([, at]) => at!);

let hub: TestHub;
let person: Person;
let sampleOf: Record<string, string>;
const titles = new Map<string, string>();

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub({ environment: "preview" }), openBrowser()]);
  hub = started;
  const { organization, actor } = (await hub.operator.get("/me")).body;
  await seedPreview(systemContext(hub.world, organization.id, "demo data"));
  sampleOf = await findSamples(actor.id);
  person = await browser.person();
  await signIn(person.page, hub, { email: "admin@hub.example", password: "correct horse battery" });
});

const firstOf = async (list: string, field = "id"): Promise<string> =>
  (await hub.operator.get(`${list}${list.includes("?") ? "&" : "?"}limit=1`)).body.data[0][field];

/** The address of one record for each page of a record. */
async function findSamples(userId: string): Promise<Record<string, string>> {
  const invoice = await firstOf("/invoices");
  await hub.operator.post(`/invoices/${invoice}/audit`, {});
  const parcel = await firstOf(`/invoices/${invoice}/parcels`, "trackingNumber");
  const bridge = await firstOf("/bridges");
  return {
    "/orders/$ref": `/orders/${await firstOf("/orders", "number")}`,
    "/operations/runs/$id": `/operations/runs/${await firstOf("/operations/runs")}`,
    "/operations/presets/$id": `/operations/presets/${await firstOf("/operations/pipelines")}`,
    "/rates/$id": `/rates/${await firstOf("/rate-comparisons")}`,
    "/invoices/$id": `/invoices/${invoice}`,
    "/invoices/$id/parcels/$trackingNumber": `/invoices/${invoice}/parcels/${parcel}`,
    "/invoices/parcels/$trackingNumber": `/invoices/parcels/${parcel}`,
    "/carriers/$id": `/carriers/${await firstOf("/carrier-accounts")}`,
    "/bridges/new/$connector": "/bridges/new/shopify",
    "/bridges/install/$definition": "/bridges/install/vendure",
    "/bridges/$id": `/bridges/${bridge}`,
    "/transformations/$id": `/transformations/${await firstOf("/transformations")}`,
    "/shipments/$id": `/shipments/${await firstOf("/shipments")}`,
    "/schedules/$id": `/schedules/${await firstOf("/schedules")}`,
    "/webhooks/$id": `/webhooks/${await firstOf("/webhooks")}`,
    "/operations/automations/$id": `/operations/automations/${await firstOf("/automations")}`,
    "/tasks/$id": `/tasks/${await firstOf("/tasks/executions")}`,
    "/condition-sets/$id": `/condition-sets/${await firstOf("/condition-sets")}`,
    "/locations/$id": `/locations/${await firstOf("/locations")}`,
    "/locations/sync/$bridgeId": `/locations/sync/${bridge}`,
    "/settings/users/$id": `/settings/users/${userId}`,
  };
}

test.each(paths)("%s", async (at) => {
  const { page } = person;
  const address = at.includes("$") ? sampleOf[at] : at;
  expect(address, "findSamples names a record of each page").toBeDefined();
  await page.goto(hub.url + address);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  // The page of all components shows the loading state, too.
  const loading = page.locator("main .stale, main [role=status][aria-label=Loading]");
  if (at !== "/components") await expect.poll(() => loading.count()).toBe(0);
  await page.evaluate(axe.source);
  const name = `every${at.replaceAll(/\W+/g, "-")}`;
  const found = [...(await lookAt("light", name)), ...(await lookAt("dark", name)), ...(await lookAt("small", name))];
  expect(found).toEqual([]);
  await expect.poll(() => page.title()).toMatch(/Order Operations$/);
  const title = await page.title();
  expect(title, "a record that does not exist").not.toContain("Not shown");
  expect(titles.get(title), `two pages are called ${title}`).toBeUndefined();
  titles.set(title, at);
});

async function lookAt(how: "light" | "dark" | "small", name: string): Promise<string[]> {
  const { page } = person;
  await page.setViewportSize(how === "small" ? { width: 360, height: 740 } : { width: 1360, height: 900 });
  await page.emulateMedia({ colorScheme: how === "dark" ? "dark" : "light" });
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await takeScreenshot(page, `${name}-${how}`);
  // The first rows of a list stand for all of it.
  const violations = await page.evaluate<axe.Result[]>(
    `axe.run({ exclude: ["[role=grid] [role=row]:nth-child(n+9)", "tbody > tr:nth-child(n+9)"] }, { resultTypes: ["violations"] })
      .then(({ violations }) => violations)`,
  );
  return violations.map(({ id, help, nodes }) => {
    const shown = nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`);
    return `${how}: ${id}: ${help}: ${shown.join(" | ")}`;
  });
}
