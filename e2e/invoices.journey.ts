import { beforeAll, expect, test } from "vitest";
import { writeXlsx } from "../server/src/core/csv/xlsx.ts";
import { makeBook, netOf } from "../server/src/testing/invoices/invoice-book.ts";
import { writeFedex, writeUps } from "../server/src/testing/invoices/write-invoices.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";
import { seedContract } from "./seed-parcels.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let newPerson: () => Promise<Person>;

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: name.endsWith(".xlsx") ? "application/zip" : "text/csv",
  buffer: Buffer.from(content),
});
const money = (cents: number): string =>
  new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(cents / 100);

/** The first invoice states 28.75 more than its lines; its weekly fee is as large. */
const book = makeBook({ seed: 31, error: 2_875 });

beforeAll(async () => {
  const [started, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  hub = started;
  newPerson = () => browser.person();
  org = await hub.org();
  person = await newPerson();
  await signIn(person.page, hub, org.admin, "/invoices");
});

test("a file of UPS is imported as it comes, and its result says what was recognised", async () => {
  const { page } = person;
  await page.getByRole("heading", { name: "No carrier invoices yet" }).waitFor();
  await checkPage(page, "invoices-empty");
  await page.getByRole("link", { name: "Import invoices" }).click();
  await page.getByText("Drop a file here, or").waitFor();
  await checkPage(page, "invoice-import");
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file("ups.csv", writeUps(book)));
  await page.getByText("Detected as UPS Billing Data.").waitFor();
  await page.getByRole("table", { name: "Invoices of the file" }).getByText(book[0]!.number).waitFor();
  await page.getByText("28.75", { exact: true }).waitFor();
  await checkPage(page, "invoice-imported");
  await page.getByLabel("Another file").setInputFiles(file("again.csv", writeUps(book, { header: true })));
  await page.getByText("The file was imported before; nothing has changed.").waitFor();
  await page.getByRole("link", { name: "View invoices" }).click();
  await page.getByText("1 to 3 of 3 invoices").waitFor();
});

test("an invoice shows its totals by kind, the difference with its rows, and lines with filters", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/invoices?hasDifference=true`);
  await page.getByText("1 to 1 of 1 invoices").waitFor();
  await page.getByRole("link", { name: book[0]!.number }).click();
  await page.getByText("$28.75 is not explained by the lines").waitFor();
  expect(await page.title()).toContain(book[0]!.number);
  const [fee] = book[0]!.fees;
  const rows = page.getByRole("table", { name: "Rows that may explain the difference" });
  await rows.getByText("The amount of the row is the difference").first().waitFor();
  const fuel = book[0]!.parcels.flatMap(({ charges }) => charges).filter(({ kind }) => kind === "fuel");
  const sum = fuel.reduce((total, charge) => total + netOf(charge), 0);
  const kinds = page.getByRole("table", { name: "Charges by kind" });
  await kinds.getByRole("row", { name: /^Fuel/ }).getByText(money(sum)).first().waitFor();
  await checkPage(page, "invoice");
  await kinds.getByRole("link", { name: "Fuel" }).click();
  await page.getByText(new RegExp(`of ${fuel.length} lines$`)).waitFor();
  await page.getByRole("button", { name: "Drop the filter Kind Fuel" }).click();
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("button", { name: "Code", exact: true }).click();
  await page.getByLabel("Code", { exact: true }).fill(fee!.code);
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("No parcel").first().waitFor();
  await page.waitForURL((url) => url.searchParams.get("code") === fee!.code);
  await page.getByRole("button", { name: `Drop the filter Code ${fee!.code}` }).click();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText(/^51 to /).waitFor();
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByText(/^1 to 50 of /).waitFor();
  await checkPage(page, "invoice-lines");
  // The exception leads back to the invoice.
  await page.getByRole("link", { name: "Open the exception" }).click();
  await page.getByRole("dialog").getByRole("link", { name: book[0]!.number }).click();
  await page.getByRole("table", { name: "Charges by kind" }).waitFor();
});

test("a parcel shows its charges over all invoices, found by its number", async () => {
  const { page } = person;
  const { data } = (await org.get("/invoices?limit=100")).body as { data: { id: string }[] };
  // A parcel with a correction on a later invoice.
  const known = book.flatMap((invoice) => invoice.parcels.map((parcel) => parcel.original ?? parcel.tracking));
  const twice = known.find((tracking, at) => known.indexOf(tracking) < at)!;
  const { lines, totals } = (await org.get(`/invoices/charges?trackingNumber=${twice}`)).body;
  expect(new Set(lines.map((line: { invoice: { id: string } }) => line.invoice.id)).size).toBe(2);
  expect(data).toHaveLength(3);
  await page.goto(`${hub.url}/invoices`);
  await page.getByRole("button", { name: "Find a parcel" }).click();
  await page.getByLabel("Tracking number").fill(twice);
  await page.keyboard.press("Enter");
  await page.getByText(`${lines.length} charges on 2 invoices`).waitFor();
  const total = money(Math.round(totals[0].net * 100));
  await page
    .getByRole("row", { name: /^Total/ })
    .getByText(total, { exact: true })
    .last()
    .waitFor();
  await checkPage(page, "invoice-parcel");
  await page.goto(`${hub.url}/invoices/parcels/UNKNOWN`);
  await page.getByText("No invoice has a charge for this tracking number.").waitFor();
});

test("other lines under a known number are refused with the parcels that differ", async () => {
  const { page } = person;
  const other = makeBook({ seed: 31, error: 2_875 });
  const changed = other[1]!.parcels[0]!;
  changed.charges[0]!.gross += 100;
  await page.goto(`${hub.url}/invoices/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file("edited.csv", writeUps(other)));
  await page.getByText(`Invoice ${other[1]!.number} was imported with other lines`).waitFor();
  const row = page.getByRole("table", { name: "Parcels that differ" }).getByRole("row").nth(1);
  await row.getByRole("link", { name: changed.tracking }).waitFor();
  await row.getByText("+1.00", { exact: true }).waitFor();
  await checkPage(page, "invoice-differs");
  // A cell that cannot be read is named by row and column.
  const [header, first, ...rest] = writeUps(book, { header: true }).split("\r\n");
  const cells = first!.split(",");
  cells[header!.split(",").indexOf("Net Amount")] = "twelve";
  const broken = [header, cells.join(","), ...rest].join("\r\n");
  await page.getByLabel("Another file").setInputFiles(file("broken.csv", broken));
  await page.getByRole("table", { name: "Unreadable cells" }).getByText("Net Amount").waitFor();
  await page.getByRole("table", { name: "Parcels that differ" }).waitFor({ state: "detached" });
});

const own = (number: string): string =>
  `Rechnung;Sendung;Betrag;Versand\n${number};P-1;1.234,50;31.12.2026\n${number};;7,00;\n`;

test("the columns of an unknown file are mapped once, and a preset reads the next one", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/invoices/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file("post.csv", own("R-1")));
  await page.getByText("This is not a file of a known carrier.").waitFor();
  const columns = page.getByRole("region", { name: "Columns" });
  for (const [column, field] of [
    ["Rechnung", "Invoice number"],
    ["Sendung", "Tracking number"],
    ["Betrag", "Net amount"],
    ["Versand", "Ship date"],
  ]) {
    await columns.getByRole("button", { name: `Field for ${column}: Not imported` }).click();
    await page.getByRole("combobox", { name: `Field for ${column}` }).fill(field!);
    await page.getByRole("option", { name: field!, exact: true }).click();
    await columns.getByRole("button", { name: `Field for ${column}: ${field}` }).waitFor();
  }
  await page.getByLabel("Carrier").fill("Post");
  await page.getByRole("button", { name: "Number and date formats" }).click();
  await page.getByLabel("Default currency").fill("eur");
  await page.getByRole("button", { name: "Save as preset" }).click();
  await page.getByLabel("Preset name").fill("Post");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Preset Post saved").waitFor();
  await expect.poll(() => page.getByLabel("Preset name").count()).toBe(0);
  await checkPage(page, "invoice-mapping");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported as invoices of Post, by the columns of the file.").waitFor();
  const [stored] = (await org.get("/invoices?carrier=post")).body.data;
  expect(stored).toMatchObject({ number: "R-1", amount: 1241.5, currency: "EUR", lineCount: 2 });

  await page.getByLabel("Another file").setInputFiles(file("post-2.csv", own("R-2")));
  await columns.getByRole("button", { name: "Field for Betrag: Net amount" }).waitFor();
  await page.getByText("The columns are those of the preset Post.").waitFor();
  await expect.poll(() => page.getByLabel("Carrier").inputValue()).toBe("Post");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Imported as invoices of Post").waitFor();
  expect((await org.get("/invoices?carrier=Post")).body.pagination.total).toBe(2);
});

test("a workbook is imported, and its export without a number asks for one", async () => {
  const { page } = person;
  const fedex = makeBook({ seed: 32, invoices: 1, parcels: 4 });
  const cells = writeFedex(fedex)
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));
  async function* portions() {
    yield cells;
  }
  const workbook = Buffer.concat(await Array.fromAsync(writeXlsx([{ name: "Invoice", portions: portions() }])));
  await page.goto(`${hub.url}/invoices/import`);
  await page.getByLabel("Choose a CSV or XLSX file").setInputFiles(file("fedex.xlsx", workbook));
  await page.getByText("Detected as FedEx Billing Online.").waitFor();
  const nameless = "Shipment - Tracking Number,Carrier - Fee\n9400,7.20\n";
  await page.getByLabel("Another file").setInputFiles(file("labels.csv", nameless));
  await page.getByText("Enter the number of the invoice.").waitFor();
  await page.getByLabel("Invoice number").fill("July");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByText("Detected as ShipStation export.").waitFor();
});

test("invoices are compared with a contract, by selection and by dates", async () => {
  const { page } = person;
  await seedContract(org, "National contract");
  await page.goto(`${hub.url}/invoices?carrier=UPS`);
  for (const { number } of book.slice(0, 2)) await page.getByLabel(`Select ${number}`).click();
  await checkPage(page, "invoices");
  await page.getByRole("button", { name: "Compare 2 invoices" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Compare with").click();
  await page.getByRole("option", { name: "National contract" }).click();
  await checkPage(page, "invoice-compare");
  await dialog.getByRole("button", { name: "Compare 2 invoices" }).click();
  await page.getByRole("heading", { name: /UPS 2 invoices/ }).waitFor();
  await page.getByText(/^paid for \d+ items/).waitFor();
  const [comparison] = (await org.get("/rate-comparisons")).body.data;
  expect(comparison).toMatchObject({ name: "UPS 2 invoices", sourceCarrier: "UPS" });

  await page.goto(`${hub.url}/invoices?from=${book[2]!.day}&to=${book[2]!.day}`);
  await page.getByRole("button", { name: "Compare with a contract" }).click();
  await dialog.getByLabel("Name").fill("February");
  await dialog.getByLabel("Compare with").click();
  await page.getByRole("option", { name: "National contract" }).click();
  await dialog.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByRole("heading", { name: /February/ }).waitFor();
});

test("the palette finds invoices and their page, and deleting asks first", async () => {
  const { page } = person;
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("combobox", { name: "Search or run a command" });
  for (const word of ["invoice", "bill", "charges"]) {
    await palette.fill(word);
    await page.getByRole("option", { name: /^Invoices/ }).waitFor();
  }
  await palette.fill("R-2");
  await page.getByRole("option", { name: /^R-2 Invoice/ }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByText("The same file can be imported again.").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect((await org.get("/invoices?number=R-2")).body.pagination.total).toBe(1);
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 2 lines" }).click();
  await page.getByText("1 to 6 of 6 invoices").waitFor();
  expect((await org.get("/invoices?number=R-2")).body.pagination.total).toBe(0);
});

test("a viewer reads invoices and sees why the rest is not possible", async () => {
  const viewer = await newPerson();
  const email = "viewer@invoices.example";
  await org.post("/users", { email, role: "viewer", password: org.admin.password });
  const [{ id }] = (await org.get("/invoices?carrier=UPS")).body.data;
  await signIn(viewer.page, hub, { ...org.admin, email }, `/invoices/${id}`);
  await viewer.page.getByRole("table", { name: "Charges by kind" }).waitFor();
  await viewer.page.getByRole("button", { name: "Delete" }).hover();
  await viewer.page.getByText("has no permission to change invoices").first().waitFor();
  await viewer.page.goto(`${hub.url}/invoices/import`);
  await viewer.page.getByText("has no permission to change invoices").waitFor();
  expect(await viewer.page.getByLabel("Choose a CSV or XLSX file").count()).toBe(0);
});
