import { buffer } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../server/src/testing/after-file.ts";
import type { Easypost } from "../server/src/testing/carriers/easypost/stand-in-easypost.ts";
import type { AccountRequest } from "../server/src/testing/carriers/stand-in-accounts.ts";
import { startWithAccount } from "../server/src/testing/carriers/stand-in-accounts.ts";
import { readPdf } from "../server/src/testing/read-pdf.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, downloadAfter, openBrowser, signIn, startConsoleHub, waitForFocus } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let easypost: Easypost;
let account: AccountRequest;

const austin = {
  company: "Byron Mugs",
  address1: "120 Dock Road",
  city: "Austin",
  provinceCode: "TX",
  zip: "78701",
  countryCode: "US",
  phone: "5125550100",
};

beforeAll(async () => {
  const [started, browser, standIn] = await Promise.all([
    startConsoleHub(),
    openBrowser(),
    startWithAccount.easypost(),
  ]);
  hub = started;
  ({ standIn: easypost, account } = standIn);
  afterFile(() => easypost.close());
  org = await hub.org();
  person = await browser.person();
  await signIn(person.page, hub, org.admin, "/carriers");
});

test("an EasyPost account is connected, a wrong key is named, and the corrected one gives prices", async () => {
  const { page } = person;
  await page.getByRole("button", { name: "Add carrier account" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Add carrier account" });
  await dialog.getByLabel("Name").fill("Our EasyPost");
  await dialog.getByLabel("Carrier", { exact: true }).click();
  await page.getByRole("option", { name: "EasyPost" }).click();
  await dialog.getByLabel("API key").fill("EZAK-of-another-shop");
  await dialog.getByText(/^More settings/).click();
  await dialog.getByLabel("API address").fill(easypost.url);
  await dialog.getByRole("button", { name: "Create account" }).click();
  const connection = page.getByRole("region", { name: "Connection" });
  await connection.getByText("Key:").waitFor();
  await checkPage(page, "carrier-connection-refused");

  await page.getByLabel("API key").fill(String(account.credentials["apiKey"]));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved", { exact: true }).first().waitFor();
  await connection.getByRole("button", { name: "Test connection" }).click();
  await connection.getByText("The connection works.").waitFor();
  // It has no rate cards: its prices come from EasyPost.
  expect(await page.getByRole("link", { name: "Rate cards" }).count()).toBe(0);

  await page.getByRole("link", { name: "Quote" }).click();
  await page.getByText("Add a location first.").waitFor();
  expect((await org.post("/locations", { name: "Austin dock", address: austin })).status).toBe(201);
  await page.reload();
  await page.getByRole("combobox", { name: "Ship from" }).getByText("Austin dock").waitFor();
  await page.getByLabel("City").fill("Portland");
  await page.getByLabel("State").fill("OR");
  await page.getByLabel("ZIP").fill("97201");
  await page.getByLabel("Weight").fill("2");
  await page.getByRole("button", { name: "Get prices" }).click();
  await page.getByText("Cheapest").waitFor();
  await checkPage(page, "carrier-quote-easypost");
  expect(easypost.journal("buy")).toEqual([]);
});

test("fifty orders are priced, labels bought by a run and printed in one file", async () => {
  const { page } = person;
  const address = {
    company: "Byron Mugs",
    address1: "120 Dock Road",
    city: "Austin",
    provinceCode: "TX",
    zip: "78701",
  };
  const dock = { ...address, countryCode: "US", phone: "5125550100" };
  const locationId = (await org.post("/locations", { name: "Dock", address: dock })).body.id as string;
  const orders = Array.from({ length: 50 }, (_, at) => ({
    number: `SHIP-${100 + at}`,
    status: "ready",
    paymentStatus: "paid",
    locationId,
    shippingAddress: {
      name: `Customer ${at}`,
      address1: `${at + 1} Elm Street`,
      city: "Portland",
      provinceCode: "OR",
      zip: "97201",
      countryCode: "US",
    },
    lines: [{ sku: "MUG-01", name: "Mug", quantity: 1 + (at % 3), weight: { value: 12, unit: "oz" } }],
  }));
  expect((await org.post("/orders/bulk", { orders })).status).toBe(200);

  await page.goto(`${hub.url}/orders`);
  await page.getByRole("row", { name: /SHIP-/ }).first().waitFor();
  await page.getByText(/orders match/).waitFor();
  await page.keyboard.press("Control+a");
  await page
    .getByText(/50 .*selected/)
    .first()
    .waitFor();
  await page.keyboard.press("e");
  await page.getByText(/50 orders, selected/).waitFor();
  await page.keyboard.press("a");
  await waitForFocus(page.getByLabel("Find an action"));
  await page.keyboard.type("choose rate");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Add step" }).click();
  await waitForFocus(page.getByLabel("Find an action"));
  await page.keyboard.type("buy label");
  await page.keyboard.press("Enter");
  await page.getByText(/^of 50 orders$/).waitFor();
  await checkPage(page, "prices-of-fifty");
  await page.getByRole("button", { name: "Run on 50 live orders" }).click();
  const confirmation = page.getByRole("dialog", { name: "Run on 50 live orders?" });
  await confirmation.getByText(/costs \$\d+\.\d\d for 50 labels/i).waitFor();
  await confirmation.getByLabel("Type 50 to confirm").fill("50");
  await confirmation.getByRole("button", { name: "Run on 50 orders" }).click();
  await page.getByText("Done", { exact: true }).first().waitFor({ timeout: 60_000 });
  await checkPage(page, "fifty-labels-bought");
  expect(new Set(easypost.journal("buy").map(({ trackingNumber }) => trackingNumber)).size).toBe(50);

  const file = await downloadAfter(page.getByRole("button", { name: "Print 50 labels" }));
  expect(await readPdf(await buffer(await file.createReadStream()))).toHaveLength(50);
});

// Last: the orders above buy at the cheapest of all accounts.
test("a ShipEngine account is quoted from a location to a complete address", async () => {
  const { page } = person;
  const { standIn, account: shipengineAccount } = await startWithAccount.shipengine();
  afterFile(() => standIn.close());
  const { id } = (await org.post("/carrier-accounts", shipengineAccount)).body;
  await page.goto(`${hub.url}/carriers/${id}?tab=quote`);
  await page.getByRole("combobox", { name: "Ship from" }).getByText("Austin dock").waitFor();
  await page.getByLabel("Weight").fill("2");
  // The example is complete; without its phone number no price is asked for.
  await page.getByLabel("Phone").fill("");
  await page.getByRole("button", { name: "Get prices" }).hover();
  await page.getByText("Enter the recipient: phone.").first().waitFor();
  await page.getByLabel("Phone").fill("2125550100");
  await page.getByRole("button", { name: "Get prices" }).click();
  await page.getByText("Cheapest").waitFor();
  await checkPage(page, "carrier-quote-shipengine");
  // Addresses of people are not in the address bar.
  expect(page.url()).not.toMatch(/2125550100|Recipient|5th/);

  // An order is quoted with its whole address as well, and with its package in its own units.
  const dimensions = { length: 30, width: 20, height: 10, unit: "cm" };
  const { body: order } = await org.post("/orders", {
    status: "ready",
    shippingAddress: { ...austin, name: "Ada Marsh" },
    lines: [{ sku: "MUG-01", quantity: 1 }],
    packages: [{ weight: { value: 0.9, unit: "kg" }, dimensions, count: 1 }],
  });
  await page.goto(`${hub.url}/shipments/labels/new?order=${order.number}`);
  await page
    .getByRole("row", { name: /Stand-in shipengine/ })
    .first()
    .waitFor();
  await expect.poll(() => page.getByLabel("Length").inputValue()).toBe("30");
  await page.getByRole("combobox", { name: "Size unit" }).getByText("cm").waitFor();
  await checkPage(page, "label-prices");
});
