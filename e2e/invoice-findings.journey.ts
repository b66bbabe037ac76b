import { text } from "node:stream/consumers";
import type { Locator } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Facts } from "../server/src/testing/invoices/audit-book.ts";
import { aParcel, auditCards, plants } from "../server/src/testing/invoices/audit-book.ts";
import type { BookInvoice } from "../server/src/testing/invoices/invoice-book.ts";
import { writeUps } from "../server/src/testing/invoices/write-invoices.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub, takeScreenshot } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let newPerson: () => Promise<Person>;
let contract: string;

const facts: Facts = { day: "2026-02-02", zone: "8", pounds: 6, isHome: false };
const home: Facts = { ...facts, isHome: true };
/** More findings than a page of the list holds: 52 of fuel, one each of rate, discount and surcharge. */
const wrong = [
  plants["base_rate"]!("1ZRATE", facts),
  plants["discount"]!("1ZDISCOUNT", facts),
  plants["surcharge"]!("1ZHOME", home),
  ...Array.from({ length: 52 }, (_, at) => plants["fuel"]!(`1ZFUEL${100 + at}`, facts)),
];
const right = [aParcel("1ZRIGHT", facts)];
const planted = wrong.flatMap((parcel) => parcel.planted);
const centsOf = (kind?: string): number =>
  planted.filter((one) => kind === undefined || one.kind === kind).reduce((sum, { amount }) => sum + amount, 0);
const money = (cents: number): string =>
  new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(cents / 100);

const anInvoice = (number: string, account: string, parcels: BookInvoice["parcels"]): BookInvoice => ({
  number,
  account,
  day: "2026-05-01",
  parcels,
  fees: [],
  error: 0,
});

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  newPerson = () => browser.person();
  org = await hub.org();
  person = await newPerson();
  const account = await org.post("/carrier-accounts", { name: "UPS agreement", carrier: "rate-card" });
  contract = account.body.id;
  for (const card of auditCards("lb")) {
    const answer = await org.post(`/carrier-accounts/${contract}/rate-cards`, { card });
    expect(answer.status, answer.text).toBe(201);
  }
  await signIn(person.page, hub, org.admin, "/invoices/findings");
});

const choose = async (within: Locator, label: string, option: string): Promise<void> => {
  await within.getByLabel(label).click();
  await person.page.getByRole("option", { name: option }).click();
};

test("an invoice is imported with its contract, and shows what is at stake by kind", async () => {
  const { page } = person;
  await page.getByRole("heading", { name: "No open findings" }).waitFor();
  await checkPage(page, "findings-empty");
  await page.getByRole("link", { name: "Import invoices" }).click();
  await choose(page.getByRole("main"), "Audit against", "UPS agreement");
  await takeScreenshot(page, "invoice-import-contract");
  const csv = writeUps([anInvoice("INV-1", "A1B2C3", [...wrong, ...right])]);
  await page
    .getByLabel("Choose a CSV or XLSX file")
    .setInputFiles({ name: "ups.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByText("findings appear on the page of each invoice").waitFor();
  await page.getByRole("link", { name: "View invoice" }).click();
  await page.getByText(`${wrong.length + 1} of ${wrong.length + 1} parcels compared`).waitFor();
  const totals = page.getByLabel("Totals");
  await totals.getByText(`At stake, ${wrong.length} open findings`).waitFor();
  await totals.getByText(money(centsOf()), { exact: true }).waitFor();
  await page.getByRole("link", { name: /^Findings/ }).click();
  await page.getByText(`1 to 50 of ${wrong.length} findings`).waitFor();
  const kinds = page.getByRole("figure", { name: "Open findings by kind, USD" });
  const fuel = kinds.getByRole("link", { name: /^Fuel/ });
  await fuel.getByText("52 findings").waitFor();
  await fuel.getByText(money(centsOf("fuel")), { exact: true }).waitFor();
  await checkPage(page, "invoice-findings");
  // A bar leads to the findings of its kind.
  await kinds.getByRole("link", { name: /^Discount/ }).click();
  await page.getByText("1 to 1 of 1 findings").waitFor();
  await page.getByRole("link", { name: "1ZDISCOUNT" }).waitFor();
});

test("a parcel shows billed and expected side by side, with its findings in words", async () => {
  const { page } = person;
  const titles = new Set([await page.title()]);
  await page.goto(`${hub.url}/invoices/findings?trackingNumber=1ZHOME`);
  const [found] = (await org.get("/findings?trackingNumber=1ZHOME")).body.data;
  await page.getByRole("button", { name: "Surcharge: residential" }).click();
  const panel = page.getByRole("dialog");
  await panel.getByText(found.evidence.rule).waitFor();
  await checkPage(page, "finding");
  titles.add(await page.title());
  await panel.getByRole("link", { name: "1ZHOME" }).click();
  const charges = page.getByRole("table", { name: "Billed and expected" });
  const surcharge = charges.getByRole("row", { name: /^Residential/ });
  await surcharge.waitFor();
  // 4.50 in the contract; 1.00 more is billed, and the fuel on it.
  expect(await surcharge.getByRole("cell").allTextContents()).toEqual([
    "Residential Surcharge",
    "$5.50",
    "$4.50",
    "+$1.00",
  ]);
  const total = charges.getByRole("row", { name: /^Total/ });
  await total.getByText(`+${money(found.amount * 100)}`).waitFor();
  await page.getByRole("region", { name: "Finding: Surcharge: residential" }).getByText("Fuel included").waitFor();
  await page.getByRole("table", { name: "Lines of the contract price" }).getByText("10 % of").waitFor();
  await checkPage(page, "audited-parcel");
  titles.add(await page.title());
  await page.getByRole("link", { name: "Charges on all invoices" }).click();
  await page.getByRole("link", { name: "Billed and expected" }).waitFor();
  await expect.poll(async () => titles.add(await page.title()).size).toBe(4);
});

test("findings are claimed in bulk, exported as the claim file, and rejected one by one", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/invoices/findings?carrier=UPS&kind=fuel`);
  await page.getByText("1 to 50 of 52 findings").waitFor();
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  await page.getByText("50 selected").waitFor();
  await page.getByRole("button", { name: "Select all 52 that match" }).click();
  await page.getByText("52 selected").waitFor();
  await takeScreenshot(page, "findings-selected");
  await page.getByRole("button", { name: "Mark as claimed" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Number of the claim (optional)").fill("Claim 4711");
  await checkPage(page, "findings-claim");
  await dialog.getByRole("button", { name: "Mark as claimed (52)" }).click();
  await page.getByText("52 findings marked as claimed").waitFor();
  await page.getByText("No findings match these filters.").waitFor();
  const { data, pagination } = (await org.get("/findings?state=claimed&limit=100")).body;
  expect(pagination.total).toBe(52);
  expect(new Set(data.map(({ kind, note }: { kind: string; note: string }) => `${kind} ${note}`))).toEqual(
    new Set(["fuel Claim 4711"]),
  );
  await page.getByRole("button", { name: /Claimed, 52 findings: show only these/ }).click();
  await page.getByText("1 to 50 of 52 findings").waitFor();
  await checkPage(page, "findings");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Claim file for UPS" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("claims-ups.csv");
  const [header, ...rows] = (await text(await file.createReadStream())).trim().split("\r\n");
  expect(header).toContain("Dispute Reason");
  expect(rows).toHaveLength(52);
  expect(rows.every((row) => row.includes("Incorrect fuel surcharge"))).toBe(true);

  await page.goto(`${hub.url}/invoices/findings?trackingNumber=1ZRATE`);
  await page.getByRole("button", { name: "Base rate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Mark as rejected" }).click();
  await page.getByLabel("Reason (optional)").fill("Agreed by phone");
  await page.getByRole("dialog").last().getByRole("button", { name: "Mark as rejected" }).click();
  await page.getByText("1 finding marked as rejected").waitFor();
  await page.getByRole("dialog").getByText("Agreed by phone").waitFor();
  const [rejected] = (await org.get("/findings?trackingNumber=1ZRATE")).body.data;
  expect(rejected).toMatchObject({ state: "rejected", note: "Agreed by phone" });
});

test("an invoice without a contract says so, and is audited from its page", async () => {
  const { page } = person;
  const parcels = [plants["fuel"]!("1ZLATER", facts), { ...aParcel("1ZOLD", facts), day: "2025-12-01" }];
  // An account that no audit knows yet.
  const csv = writeUps([anInvoice("INV-2", "Z9Z9Z9", parcels)]);
  const [{ id }] = (await org.post("/invoices/import", { csv })).body.invoices;
  await page.goto(`${hub.url}/invoices/${id}?tab=findings`);
  await page.getByText("No contract is chosen, so prices are not checked").waitFor();
  await page.getByText("The invoice was not compared with a contract yet.").waitFor();
  await checkPage(page, "invoice-no-contract");
  await page.getByRole("button", { name: "Audit against a contract" }).first().click();
  const dialog = page.getByRole("dialog");
  await choose(dialog, "Audit against", "UPS agreement");
  await checkPage(page, "invoice-audit");
  await dialog.getByRole("button", { name: "Audit invoice" }).click();
  await page.getByRole("link", { name: "1ZLATER" }).waitFor();
  await page.getByText("1 of 2 parcels compared").waitFor();
  await page.getByRole("link", { name: "1 no rate card on the ship date" }).click();
  await page.getByText("1 to 1 of 1 parcels").waitFor();
  await page.getByText("Upload the rate card that was valid on the ship date.").waitFor();
  await checkPage(page, "invoice-parcels");
  await page.getByRole("link", { name: "1ZOLD" }).click();
  await page.getByText("The contract has no price for this parcel").waitFor();
});

test("a viewer reads findings, and sees why they cannot be changed", async () => {
  const viewer = await newPerson();
  const email = "viewer@findings.example";
  await org.post("/users", { email, role: "viewer", password: org.admin.password });
  await signIn(viewer.page, hub, { ...org.admin, email }, "/invoices/findings?kind=discount");
  await viewer.page.getByRole("checkbox", { name: "Select Discount of 1ZDISCOUNT" }).click();
  // Selecting a row does not open it.
  await viewer.page.getByText("1 selected").waitFor();
  expect(await viewer.page.getByRole("dialog").count()).toBe(0);
  await viewer.page.getByRole("button", { name: "Mark as claimed" }).hover();
  await viewer.page.getByText("has no permission to change invoices").first().waitFor();
});

test("a file with several carriers is audited with a contract for each", async () => {
  const { page } = person;
  const csv =
    "created_at,tracking_code,carrier,service,postage_fee,weight,from_zip,to_zip\n" +
    "2026-02-02T10:00:00Z,1ZSELLER,UPS,Ground,90.00,32,07114,90210\n" +
    "2026-02-02T10:00:00Z,9400SELLER,USPS,Ground Advantage,80.00,32,07114,90210\n";
  const { body } = await org.post("/invoices/import", { csv });
  const id = body.invoices[0].id;
  await page.goto(`${hub.url}/invoices/${id}`);
  await page.getByText("No contract is chosen").waitFor();
  await page.getByRole("button", { name: "Audit against a contract" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Audit against a contract" });
  await dialog.getByRole("button", { name: "Add a carrier" }).click();
  await dialog.getByRole("button", { name: "Audit invoice" }).hover();
  await page.getByText("Enter the name and choose the contract of each carrier.").first().waitFor();
  await dialog.getByRole("textbox", { name: "Carrier 1" }).fill("USPS");
  await choose(dialog, "Contract 1", "UPS agreement");
  await checkPage(page, "audit-carriers");
  await dialog.getByRole("button", { name: "Audit invoice" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("1 of 2 parcels compared").waitFor();
  await page.getByText("(USPS)").waitFor();
  const { body: audit } = await org.get(`/invoices/${id}/audit`);
  expect(audit).toMatchObject({
    carrierAccountId: null,
    carrierAccounts: [{ carrier: "USPS", carrierAccountId: contract }],
    notAudited: [{ reason: "no_contract", parcels: 1 }],
  });
});
