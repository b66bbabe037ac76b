import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { installSampleDefinition } from "../server/src/testing/sample-definition.ts";
import { startApi } from "../server/src/testing/stand-in-apis.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let page: Page;

beforeAll(async () => {
  installSampleDefinition();
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  ({ page } = await browser.person());
  await signIn(page, hub, org.admin);
});

test("a ready-made connection is installed by filling in its values, and tested at once", async () => {
  const shop = await startApi(({ headers }) => ({
    status: headers["x-token"] === "t-1" && headers["x-api-key"] === "k-1" ? 200 : 401,
    body: [],
  }));
  await page.goto(`${hub.url}/bridges/new`);
  await page.getByRole("link", { name: "Sample shop" }).waitFor();
  await checkPage(page, "definitions");
  await page.getByRole("link", { name: "Sample shop" }).click();
  await page.getByLabel("Shop URL").fill(shop.url);
  await page.getByLabel("Token", { exact: true }).fill("t-1");
  await page.getByLabel("API key").fill("k-1");
  const submit = page.getByRole("button", { name: "Connect and test" });
  await submit.click();
  // The message is at its field.
  await page.getByText('Enter the value of "Store", such as s1.').waitFor();
  await page.getByLabel("Store", { exact: true }).fill("s1");
  await checkPage(page, "definition-install");
  await submit.click();
  await page.getByText(/Connected in/).waitFor();
  const [bridge] = (await org.get("/bridges?search=Sample")).body.data;
  expect(bridge).toMatchObject({ name: "Sample shop", settings: { baseUrl: `${shop.url}/stores/s1` } });
  expect((await org.get(`/schedules?bridgeId=${bridge.id}`)).body.data).toHaveLength(1);
  expect((await org.get(`/transformations?bridgeId=${bridge.id}`)).body.data).toHaveLength(1);
});
