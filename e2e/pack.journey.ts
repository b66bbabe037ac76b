import { buffer } from "node:stream/consumers";
import type { Download, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { aParcel } from "../server/src/features/labels/labels.schemas.ts";
import { readPdf } from "../server/src/testing/read-pdf.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import { checkPage, downloadAfter, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let page: Page;

const weight = (value: number) => ({ value, unit: "lb" });
const gifts = [
  {
    id: "mug",
    sku: "MUG-ENM-12-FO",
    name: "Enamel mug, 12 oz",
    quantity: 2,
    weight: weight(0.8),
    options: [{ name: "Color", value: "Forest" }],
    properties: [{ name: "Engraved", value: "Good morning, Sam" }],
  },
  {
    id: "throw",
    sku: "THROW-WOOL-GR",
    name: "Wool throw, 50 × 60 in",
    quantity: 1,
    weight: weight(2.4),
    options: [{ name: "Color", value: "Graphite" }],
    properties: [{ name: "Monogram", value: "SH" }],
  },
  { id: "lamp", sku: "LAMP-OAK-NA", name: "Oak desk lamp", quantity: 1, weight: weight(6) },
  // An item whose code begins with the key of a box.
  { id: "card", sku: "036000291452", name: "Gift card and message", quantity: 1, weight: weight(0.1) },
];
const boxes = [
  { package: "S", dimensions: { length: 8, width: 6, height: 4, unit: "in" } },
  { package: "M", dimensions: { length: 12, width: 9, height: 6, unit: "in" } },
  { package: "L", dimensions: { length: 16, width: 12, height: 10, unit: "in" } },
  { package: "XL", dimensions: { length: 20, width: 16, height: 12, unit: "in" } },
];

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  ({ page } = await browser.person({ viewport: { width: 1024, height: 768 } }));
  const locationId = (await org.post("/locations", { name: "Newark DC", address: aParcel.from })).body.id as string;
  const carrierAccountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
  const actions = [{ type: "choose_package", params: { packages: boxes } }];
  await org.post("/operations/pipelines", { name: "Boxes", actions });
  const common = {
    status: "ready",
    shippingAddress: { ...aParcel.to, name: "Samira Haddad" },
    locationId,
    shipping: { carrierAccountId, carrier: "demo", service: "NAT_GROUND" },
  };
  const mug = [{ id: "mug", sku: "MUG-01", name: "Mug", quantity: 2, weight: weight(1) }];
  const hour = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const note = { text: "Double box the lamp.", visibility: "internal" };
  const made = await org.post("/orders/bulk", {
    orders: [
      { ...common, number: "SHOP-10336", tags: ["rush"], lines: gifts, notes: [note], shipBy: hour(5) },
      { ...common, number: "SHOP-10338", tags: ["rush"], lines: mug, shipBy: hour(6) },
      { ...common, number: "SHOP-10341", lines: mug, shipBy: hour(7) },
      { ...common, number: "SHOP-10344", lines: mug, shipBy: hour(8) },
      { ...common, number: "SHOP-10350", lines: mug, shipBy: hour(9) },
      { number: "SHOP-10399", status: "new", lines: [{ sku: "THROW-WOOL-NV", name: "Wool throw, Navy", quantity: 1 }] },
    ],
  });
  expect(made.body.summary.failed).toBe(0);
  await signIn(page, hub, org.admin);
  await page.goto(`${hub.url}/pack`);
  await page.getByText("Next: SHOP-10336").waitFor();
});

/** As a scanner: all keys at once, then Enter. */
async function scan(code: string): Promise<void> {
  await page.keyboard.type(code);
  await page.keyboard.press("Enter");
}
const item = (name: string) => page.getByRole("listitem").filter({ hasText: name });
const saved = async () => (await org.get("/packing/sessions?limit=1")).body.data[0];
const textOf = async (file: Download): Promise<string> =>
  (await readPdf(await buffer(await file.createReadStream()))).map(({ text }) => text).join();

test("an order is packed with the keyboard alone, from the first scan to the printed label", async () => {
  await checkPage(page, "pack-start");
  await scan("SHOP-10336");
  await page.getByRole("heading", { name: "SHOP-10336" }).waitFor();
  await page.getByText("0 of 5").waitFor();
  // Letter case does not matter, and every scan shows what was counted.
  await scan("mug-enm-12-fo");
  await page.getByText("Enamel mug, 12 oz, 1 of 2").waitFor();
  await scan("MUG-ENM-12-FO");
  await page.getByText("Enamel mug, 12 oz, 2 of 2").waitFor();
  expect(await item("Enamel mug").innerText()).toContain("complete");
  expect(await item("Wool throw").getAttribute("aria-current")).toBe("step");
  // A single key chooses the box, W the weight; both leave the keys to the scan field again.
  await page.keyboard.press("3");
  await expect.poll(async () => (await saved()).box?.name).toBe("L");
  await page.keyboard.press("w");
  await expect.poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Weight in pounds");
  await page.keyboard.type("12.35");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await saved()).weight).toEqual({ value: 12.35, unit: "lb" });
  await page.getByRole("button", { name: "L 16 × 12 × 10" }).and(page.locator("[aria-pressed=true]")).waitFor();
  await checkPage(page, "pack");

  await scan("THROW-WOOL-NV");
  const alarm = page.getByRole("alert");
  await alarm.getByText("Wrong item: Wool throw, Navy").waitFor();
  expect(await alarm.innerText()).toContain("This order needs Wool throw, 50 × 60 in.");
  await item("Wool throw").getByText("Scanned THROW-WOOL-NV, expected THROW-WOOL-GR").waitFor();
  await checkPage(page, "pack-wrong");
  await scan("MUG-ENM-12-FO");
  await alarm.getByText("Too many: MUG-ENM-12-FO").waitFor();
  // The next right scan clears it.
  await scan("THROW-WOOL-GR");
  await alarm.waitFor({ state: "detached" });
  await page.getByText("3 of 5").waitFor();

  // F2 counts the current line by hand, Ctrl Z takes it back.
  await page.keyboard.press("F2");
  await page.getByText("4 of 5").waitFor();
  await page.keyboard.press("Control+z");
  await page.getByText("3 of 5").waitFor();
  // Typed slowly, as by hand.
  await page.keyboard.type("LAMP-OAK-NA", { delay: 40 });
  await page.keyboard.press("Enter");
  await page.getByText("4 of 5").waitFor();
  const [file] = await Promise.all([page.waitForEvent("download"), scan("0036000291452")]);
  await page.getByRole("heading", { name: "SHOP-10336 is packed" }).waitFor();
  await page.getByText("Label downloaded. Put the label on L.").waitFor();
  expect(await textOf(file)).toContain("SHOP-10336");
  const order = (await org.get("/orders/SHOP-10336")).body;
  expect(order).toMatchObject({ status: "shipped", shipping: { packageType: "L" } });
  const [label] = (await org.get(`/shipments/labels?orderId=${order.id}`)).body.data;
  expect(label).toMatchObject({ status: "purchased", printCount: 1, weight: { value: 12.35, unit: "lb" } });
  await page.getByText(`$${label.cost.toFixed(2)}`).waitFor();
  await page.getByText("Label downloaded", { exact: true }).waitFor();
  await page.getByText("1 packed today").waitFor();
  await checkPage(page, "pack-done");
  const [slip] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("p")]);
  expect(slip.suggestedFilename()).toBe("packing-slip-SHOP-10336.pdf");
  expect(await readPdf(await buffer(await slip.createReadStream()))).toHaveLength(1);
});

test("R prints again, V pressed twice voids, R buys another label", async () => {
  const [again] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("r")]);
  expect(await textOf(again)).toContain("SHOP-10336");
  await page.keyboard.press("v");
  await page.getByText("Press V again to void").waitFor();
  await page.keyboard.press("v");
  await page.getByText("The label is voided.").waitFor();
  expect((await org.get("/orders/SHOP-10336")).body.status).toBe("ready");
  const [bought] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("r")]);
  expect(await textOf(bought)).toContain("SHOP-10336");
  await page.getByText(/^Label downloaded\./).waitFor();
});

test("Enter opens the next order, a reload keeps its counts, and F4 holds it for stock", async () => {
  await page.getByText("Next: SHOP-10338").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "SHOP-10338" }).waitFor();
  await scan("MUG-01");
  await page.getByText("1 of 2").first().waitFor();
  await page.reload();
  await page.getByText("1 of 2").first().waitFor();
  await page.keyboard.press("F4");
  await page.getByText("SHOP-10338 is on hold: stock").waitFor();
  await expect
    .poll(async () => (await org.get("/orders/SHOP-10338")).body.holds[0]?.reason)
    .toBe("inventory_out_of_stock");
  expect((await org.get("/orders/SHOP-10338")).body.holds[0].note).toContain("1 × MUG-01");
  await scan("SHOP-10338");
  await page.getByRole("alert").getByText("This order cannot be packed").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("alert").waitFor({ state: "detached" });
});

test("an order of another packer is taken over with F6, and a failed purchase says why and is repeated with R", async () => {
  const other = await org.withRole("operator");
  const { session } = (await other.post("/packing/scans", { code: "SHOP-10341", station: "Station 9" })).body;
  await other.post("/packing/scans", { code: "MUG-01", sessionId: session.id });
  await scan("SHOP-10341");
  const alarm = page.getByRole("alert");
  await alarm.getByText("Another packer has this order").waitFor();
  expect(await alarm.innerText()).toMatch(/at Station 9 since today/);
  await page.keyboard.press("F6");
  await page.getByText("1 of 2").first().waitFor();
  const account = (await org.get("/carrier-accounts")).body.data[0];
  await org.patch(`/carrier-accounts/${account.id}`, { isActive: false });
  await scan("MUG-01");
  await page.getByText("The label was not bought. Demo is inactive.").waitFor();
  await org.patch(`/carrier-accounts/${account.id}`, { isActive: true });
  await Promise.all([page.waitForEvent("download"), page.keyboard.press("r")]);
  await page.getByText(/^Label downloaded\./).waitFor();
});

test("a station that prints ZPL prints a label that was sold as PDF as PDF, and a reload does not print again", async () => {
  const downloads: string[] = [];
  page.on("download", (file) => downloads.push(file.suggestedFilename()));
  const preferences = { print: { labels: { format: "zpl", sort: "given" } } };
  const headers = { origin: hub.url };
  const saved = await page.request.put(`${hub.url}/api/v1/me/preferences`, {
    data: { preferences: { console: preferences } },
    headers,
  });
  expect(saved.status()).toBe(200);
  await page.goto(`${hub.url}/pack`);
  await page.getByText(/^Next: /).waitFor();
  await scan("SHOP-10350");
  await page.getByRole("heading", { name: "SHOP-10350" }).waitFor();
  await scan("MUG-01");
  const [file] = await Promise.all([page.waitForEvent("download"), scan("MUG-01")]);
  expect(file.suggestedFilename()).toMatch(/\.pdf$/);
  await page.getByText(/^Label downloaded\./).waitFor();
  await page.reload();
  await page.getByText(/^The label was printed before\./).waitFor();
  expect(downloads).toHaveLength(1);
});

test("a tap on a button leaves the keys to the scan field, and nothing scrolls at 1024 × 768", async () => {
  await scan("SHOP-10344");
  await page.getByRole("heading", { name: "SHOP-10344" }).waitFor();
  await page.getByRole("button", { name: "M 12 × 9 × 6" }).click();
  await expect.poll(async () => (await saved()).box?.name).toBe("M");
  await scan("MUG-01");
  await page.getByText("Mug, 1 of 2").waitFor();
  const heights = await page.evaluate<number[]>(
    `[document.documentElement.scrollHeight, ...[...document.querySelectorAll("main aside, main ul")].map((part) => part.scrollHeight - part.clientHeight)]`,
  );
  expect(heights[0]).toBeLessThanOrEqual(768);
  expect(heights.slice(1).every((overflow) => overflow <= 1)).toBe(true);
  const low = await page.evaluate<string[]>(
    `[...document.querySelectorAll("main button")].filter((one) => one.closest("aside") && one.getBoundingClientRect().height < 44).map((one) => one.textContent)`,
  );
  expect(low).toEqual([]);
});

test("where the browser can print, the label goes to the print dialog and the keys stay with the scan field", async () => {
  // The test browser has no PDF viewer. A page stands in for it: what it is asked to print is recorded.
  const printed: string[] = [];
  await page.exposeFunction("recordPrint", (content: string) => printed.push(content));
  await page.addInitScript(`
    Object.defineProperty(Navigator.prototype, "pdfViewerEnabled", { value: true });
    const createUrl = URL.createObjectURL;
    URL.createObjectURL = (blob) => createUrl(new Blob([blob], { type: "text/html" }));
    window.print = () => { window.focus(); recordPrint(document.documentElement.textContent); };
  `);
  await page.reload();
  await page.getByText("1 of 2").first().waitFor();
  await scan("MUG-01");
  await page.getByText("Label sent to print. Put the label on M.").waitFor();
  expect(printed).toEqual([expect.stringMatching(/^%PDF-/)]);
  expect(await page.evaluate("document.activeElement.tagName")).toBe("INPUT");
  await page.keyboard.press("r");
  await expect.poll(() => printed.length).toBe(2);
  // A station that hands files to a program of its own downloads them.
  await page.getByRole("link", { name: "Open order" }).click();
  // The buttons move when the labels of the order have loaded.
  await page.getByRole("button", { name: "Print label" }).first().waitFor();
  await page.getByRole("button", { name: "Print options" }).first().click();
  const options = page.getByRole("dialog", { name: "Print", exact: true });
  // Labels are ZPL here, which no browser prints.
  await options.getByRole("combobox", { name: "Document" }).click();
  await page.getByRole("option", { name: "Packing slips" }).click();
  await options.getByRole("combobox", { name: "Output" }).click();
  await page.getByRole("option", { name: "Download" }).click();
  await checkPage(page, "print-output");
  const file = await downloadAfter(options.getByRole("button", { name: /^Print / }));
  expect(file.suggestedFilename()).toMatch(/\.pdf$/);
  expect(printed).toHaveLength(2);
});
