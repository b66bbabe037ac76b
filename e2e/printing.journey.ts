import { buffer } from "node:stream/consumers";
import type { Download } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { aParcel } from "../server/src/features/labels/labels.schemas.ts";
import { readPdf } from "../server/src/testing/read-pdf.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;

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
  const orders = ["PRINT-1", "PRINT-2", "PRINT-3"].map((number) => ({
    number,
    status: "ready",
    shippingAddress: aParcel.to,
    lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
    locationId,
    shipping: { carrierAccountId, carrier: "demo", service: "NAT_GROUND" },
  }));
  await org.post("/orders/bulk", { orders });
  const order_ids = ["PRINT-2", "PRINT-1", "PRINT-3"];
  const { body: run } = await org.post("/operations/run", { order_ids, actions: [{ type: "buy_label" }] });
  await expect.poll(async () => (await org.get("/shipments/labels?status=purchased")).body.data.length).toBe(3);

  await signIn(page, hub, org.admin, `/operations/runs/${run.id}`);
  await page.getByRole("button", { name: "Print labels" }).click();
  const dialog = page.getByRole("dialog", { name: "Print labels" });
  await checkPage(page, "print-labels");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Print", exact: true }).click(),
  ]);
  expect(file.suggestedFilename()).toBe("labels.pdf");
  const pages = await pagesOf(file);
  expect(pages.map(({ text }) => /PRINT-\d/.exec(text)?.[0])).toEqual(order_ids);
  await dialog.waitFor({ state: "detached" });

  await page.goto(`${hub.url}/shipments/labels`);
  await page.getByRole("link", { name: "Not printed" }).click();
  await page.getByText("All purchased labels are printed.").waitFor();
  const { data } = (await org.get("/shipments/labels?isPrinted=true")).body;
  expect(data.map(({ printCount }: { printCount: number }) => printCount)).toEqual([1, 1, 1]);

  await org.delete(`/shipments/labels/${data[0].id}`);
  await page.getByRole("link", { name: "Purchased", exact: true }).click();
  await page.getByRole("button", { name: "Pick all on this page" }).click();
  await page.getByRole("button", { name: "Print 2 labels" }).click();
  // A label that is voided after it was picked is named, and the others can be printed without it.
  await org.delete(`/shipments/labels/${data[1].id}`);
  await dialog.getByRole("button", { name: "Print", exact: true }).click();
  await dialog.getByText(`Label ${data[1].id} (${data[1].trackingNumber}) is voided.`).first().waitFor();
  const [rest] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Print the others" }).click(),
  ]);
  expect(await pagesOf(rest)).toHaveLength(1);
  await page
    .getByRole("row", { name: new RegExp(data[2].trackingNumber) })
    .getByText("2 times")
    .waitFor();
});
