import { buffer } from "node:stream/consumers";
import type { Download } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { aParcel } from "../server/src/features/labels/labels.schemas.ts";
import { pngLabel } from "../server/src/testing/carriers/label-files.ts";
import { readPdf } from "../server/src/testing/read-pdf.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, downloadAfter, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let anOrder: (number: string) => object;

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  org = await hub.org();
  person = await browser.person();
});

const pagesOf = async (file: Download) => await readPdf(await buffer(await file.createReadStream()));

test("labels that a run bought are printed as one file, and shown as printed", async () => {
  const { page } = person;
  const locationId = (await org.post("/locations", { name: "Dock", address: aParcel.from })).body.id as string;
  const carrierAccountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
  anOrder = (number) => ({
    number,
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
    locationId,
    shipping: { carrierAccountId, carrier: "demo", service: "NAT_GROUND" },
  });
  await org.post("/orders/bulk", { orders: ["PRINT-1", "PRINT-2", "PRINT-3"].map(anOrder) });
  const order_ids = ["PRINT-2", "PRINT-1", "PRINT-3"];
  const { body: run } = await org.post("/operations/run", { order_ids, actions: [{ type: "buy_label" }] });
  await expect.poll(async () => (await org.get("/shipments/labels?status=purchased")).body.data.length).toBe(3);

  await signIn(page, hub, org.admin, `/operations/runs/${run.id}`);
  const file = await downloadAfter(page.getByRole("button", { name: "Print 3 labels" }));
  expect(file.suggestedFilename()).toBe("labels.pdf");
  const pages = await pagesOf(file);
  expect(pages.map(({ text }) => /PRINT-\d/.exec(text)?.[0])).toEqual(order_ids);

  await page.goto(`${hub.url}/shipments/labels`);
  await page.getByRole("link", { name: "Not printed" }).click();
  await page.getByText("All purchased labels are printed.").waitFor();
  const { data } = (await org.get("/shipments/labels?isPrinted=true")).body;
  expect(data.map(({ printCount }: { printCount: number }) => printCount)).toEqual([1, 1, 1]);

  await org.delete(`/shipments/labels/${data[0].id}`);
  await page.getByRole("link", { name: "Purchased", exact: true }).click();
  await page.getByRole("link", { name: "PRINT-1" }).waitFor();
  await page.getByRole("button", { name: "Select all on this page" }).click();
  // A label that was printed before asks first.
  await page.getByRole("button", { name: "Print 2 labels" }).click();
  const question = page.getByRole("dialog", { name: "Print labels" });
  await question.getByText("2 of 2 labels were printed before.").waitFor();
  await checkPage(page, "print-again");
  // A label that is voided after it was selected is named, and the others can be printed without it.
  await org.delete(`/shipments/labels/${data[1].id}`);
  await question.getByRole("button", { name: "Print again" }).click();
  await question.getByText(`Label ${data[1].id} (${data[1].trackingNumber}) is voided.`).first().waitFor();
  const rest = await downloadAfter(question.getByRole("button", { name: "Print the other labels" }));
  expect(await pagesOf(rest)).toHaveLength(1);
  await page
    .getByRole("row", { name: new RegExp(data[2].trackingNumber) })
    .getByText("2 times")
    .waitFor();
});

test("labels of a run are printed in one click, and slips of an order on the remembered paper", async () => {
  const { page } = person;
  await org.post("/orders/bulk", { orders: ["PRINT-4", "PRINT-5"].map(anOrder) });
  const order_ids = ["PRINT-5", "PRINT-4"];
  const { body: run } = await org.post("/operations/run", { order_ids, actions: [{ type: "buy_label" }] });
  const bought = async () => (await org.get(`/shipments/labels?status=purchased&runId=${run.id}`)).body.data.length;
  await expect.poll(bought).toBe(2);
  await page.goto(`${hub.url}/shipments/labels?runId=${run.id}`);
  await page.getByText("Labels bought by").waitFor();
  const labels = await downloadAfter(page.getByRole("button", { name: "Print labels" }));
  expect((await pagesOf(labels)).map(({ text }) => /PRINT-\d/.exec(text)?.[0])).toEqual(order_ids);

  await org.post("/orders/bulk", { orders: ["PRINT-6"].map(anOrder) });
  await page.goto(`${hub.url}/orders/PRINT-6`);
  await page.getByRole("button", { name: "Print options" }).click();
  const options = page.getByRole("dialog", { name: "Print", exact: true });
  await options.getByRole("combobox", { name: "Paper" }).click();
  await page.getByRole("option", { name: "A6" }).click();
  await checkPage(page, "print-options");
  const slip = await downloadAfter(options.getByRole("button", { name: "Print packing slips" }));
  expect(slip.suggestedFilename()).toBe("packing-slips.pdf");
  await options.waitFor({ state: "detached" });
  await page.reload();
  const again = await downloadAfter(page.getByRole("button", { name: "Print packing slip", exact: true }));
  expect((await pagesOf(again)).map(({ width }) => Math.round(width))).toEqual([298]);
});

test("a file that takes longer than the browser lets a click download waits for another click", async () => {
  const { page } = person;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route("**/api/v1/documents", async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole("button", { name: "Print packing slip", exact: true }).click();
  // Each call into the page counts as a click, so none is made between the end of this one and the dialog.
  const inPage = (condition: string): Promise<unknown> =>
    page.evaluate(`new Promise((met) => {
      const look = () => (${condition} ? met() : setTimeout(look, 50));
      look();
    })`);
  const shown = inPage("document.querySelector('[role=dialog]')");
  await inPage("!navigator.userActivation.isActive");
  release();
  await shown;
  const ready = page.getByRole("dialog", { name: "File is ready" });
  await checkPage(page, "print-ready");
  const [slip] = await Promise.all([
    page.waitForEvent("download"),
    ready.getByRole("button", { name: "Download packing-slips.pdf" }).click(),
  ]);
  expect(await pagesOf(slip)).toHaveLength(1);
  await ready.waitFor({ state: "detached" });
  await page.unroute("**/api/v1/documents");
});

test("orders that are selected are printed as a pick list, and shipments as a manifest", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders`);
  await page.getByText(/orders match/).waitFor();
  await page.getByRole("checkbox", { name: "Select all that are shown" }).click();
  const bar = page.getByRole("region", { name: "Selection" });
  await bar.getByRole("button", { name: "Print options" }).click();
  const options = page.getByRole("dialog", { name: "Print", exact: true });
  await options.getByRole("combobox", { name: "Document" }).click();
  await page.getByRole("option", { name: "Pick list" }).click();
  const list = await downloadAfter(options.getByRole("button", { name: "Print pick list" }));
  expect(list.suggestedFilename()).toBe("pick-list.pdf");
  await page.goto(`${hub.url}/shipments`);
  await page.getByRole("table", { name: "Shipments" }).waitFor();
  await page.getByRole("button", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: /^Print manifest of/ }).click();
  // Voided shipments are named.
  const question = page.getByRole("dialog", { name: "Print manifest" });
  await question
    .getByText(/is voided/)
    .first()
    .waitFor();
  const manifest = await downloadAfter(question.getByRole("button", { name: "Print the other shipments" }));
  expect(manifest.suggestedFilename()).toBe("manifest.pdf");
});

test("an administrator sets logo, address and paper of packing slips", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/settings`);
  const card = page.getByRole("region", { name: "Printed documents" });
  await card.getByLabel("Sender address").fill("Fernhollow Supply\n1 Port Street");
  const image = { carrier: "demo", service: "ground", trackingNumber: "1Z1", to: "Albany" };
  await card
    .getByLabel("Add logo")
    .setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: pngLabel(image, { width: 160, height: 40 }) });
  await card.getByRole("img", { name: "Logo" }).waitFor();
  await card.getByRole("combobox", { name: "Paper for packing slips" }).click();
  await page.getByRole("option", { name: "Letter" }).click();
  await page.getByRole("button", { name: "Save print settings" }).click();
  await page.getByText("Print settings saved").waitFor();
  await checkPage(page, "print-settings");
  expect((await org.get("/documents/settings")).body).toMatchObject({
    address: "Fernhollow Supply\n1 Port Street",
    papers: { packing_slips: "letter" },
    logo: { contentType: "image/png", width: 160 },
    version: 1,
  });
});
