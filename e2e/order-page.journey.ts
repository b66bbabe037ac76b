import { beforeAll, expect, test } from "vitest";
import { aParcel } from "../server/src/features/labels/labels.schemas.ts";
import type { TestHub, TestOrg } from "../server/src/testing/test-hub.ts";
import type { Person } from "./console-hub.ts";
import { checkPage, countClicks, openBrowser, signIn, startConsoleHub } from "./console-hub.ts";

let hub: TestHub;
let org: TestOrg;
let person: Person;
let browser: Awaited<ReturnType<typeof openBrowser>>;

const rich = {
  number: "SHOP-10248",
  status: "ready",
  paymentStatus: "paid",
  channel: "web",
  tags: ["rush", "gift"],
  customer: { name: "Nora Lindqvist", email: "nora@mail.example", phone: "+1 555 0165" },
  shippingAddress: aParcel.to,
  billingAddress: aParcel.to,
  lines: [
    {
      id: "mug",
      sku: "MUG-ENM-12-FO",
      name: "Enamel mug, 12 oz",
      quantity: 2,
      price: 18,
      weight: { value: 300, unit: "g" },
      options: [{ name: "Color", value: "Forest" }],
      properties: [{ name: "Engraving", value: "Good morning, Nora" }],
    },
    { id: "card", sku: "GIFT-50", name: "Gift card", quantity: 1, price: 50, requiresShipping: false },
    { id: "throw", sku: "THROW-GR", name: "Wool throw", quantity: 1, price: 74, refundedQuantity: 1 },
  ],
  amounts: {
    subtotal: 160,
    discount: 16,
    discounts: [{ code: "SPRING10", title: "10 % off items" }],
    shipping: 12.5,
    tax: 17.01,
    paid: 173.51,
    refunded: 13.72,
  },
  payment: { method: "Visa", reference: "ch_3Nf42" },
  riskLevel: "low",
  poNumber: "PO-77",
  giftMessage: "Welcome home, Nora.",
  notes: [{ text: "Please leave it with the doorman.", visibility: "customer" }],
  customFields: { batch: "A7" },
};

beforeAll(async () => {
  [hub, browser] = await Promise.all([startConsoleHub(), openBrowser()]);
  org = await hub.org();
  expect((await org.patch(`/organizations/${org.id}`, { timezone: "America/New_York" })).status).toBe(200);
  person = await browser.person();
  const locationId = (await org.post("/locations", { name: "Newark DC", address: aParcel.from })).body.id as string;
  const carrierAccountId = (await org.post("/carrier-accounts", { name: "Demo", carrier: "demo" })).body.id as string;
  const shipping = { carrierAccountId, carrier: "demo", service: "NAT_GROUND" };
  const made = await org.post("/orders/bulk", {
    orders: [
      { ...rich, locationId, shipping },
      { ...rich, number: "SHOP-10249", locationId },
      { ...rich, number: "SHOP-10250", locationId },
    ],
  });
  expect(made.body.summary.failed).toBe(0);
  const lines = [{ lineId: "mug", quantity: 2 }];
  const { id } = (await org.get("/orders/SHOP-10248")).body;
  const bought = await org.post("/shipments/labels", {
    ...aParcel,
    orderId: id,
    carrierAccountId,
    service: "NAT_GROUND",
    lines,
  });
  expect(bought.status).toBeLessThan(300);
  await signIn(person.page, hub, org.admin, "/orders");
});

test("the page of an order shows items, shipments, payment, customer and activity", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10248`);
  const items = page.getByRole("region", { name: "Items", exact: true });
  await items.getByText("Engraving").waitFor();
  expect(await items.innerText()).toContain("“Good morning, Nora”");
  await expect.poll(() => items.innerText()).toMatch(/2 of 2[\s\S]*0 of 1/);
  const shipments = page.getByRole("region", { name: "Shipments", exact: true });
  await shipments.getByText("1 item left to ship").waitFor();
  await shipments.getByText("Not printed").waitFor();
  const payment = await page.getByRole("region", { name: "Payment", exact: true }).innerText();
  expect(payment).toMatch(/Visa · ch_3Nf42[\s\S]*SPRING10[\s\S]*PO-77/);
  expect(payment).toMatch(
    /Subtotal\s+\$160\.00[\s\S]*Discount\s+−\$16\.00[\s\S]*Total\s+\$173\.51[\s\S]*Net paid\s+\$159\.79/,
  );
  expect(await page.title()).toContain("SHOP-10248");
  await checkPage(page, "order");
  await shipments.getByRole("button", { name: "Print label", exact: true }).click();
  await shipments.getByText(/^Printed /).waitFor();
});

test("a tag takes one click, is undone from the toast, and its undo is named so", async () => {
  const { page } = person;
  const { click, count } = countClicks();
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await click(page.getByRole("combobox", { name: "Add a tag" }));
  await page.keyboard.type("vip");
  await page.keyboard.press("Enter");
  await page.getByText("Added vip").waitFor();
  await expect.poll(async () => (await org.get("/orders/SHOP-10249")).body.tags).toContain("vip");
  expect(count()).toBeLessThanOrEqual(2);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await org.get("/orders/SHOP-10249")).body.tags).not.toContain("vip");
  await page.getByText("Undid: Add tags").waitFor();
});

test("an order is held in two clicks and released in one", async () => {
  const { page } = person;
  const { click, count } = countClicks();
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await click(page.getByRole("button", { name: "Hold" }));
  await page.getByRole("dialog").getByRole("textbox", { name: "Note" }).fill("call the customer");
  await click(page.getByRole("dialog").getByRole("button", { name: "Hold", exact: true }));
  const holds = page.getByRole("list", { name: "Holds" });
  await holds.getByText("call the customer").waitFor();
  expect(count()).toBeLessThanOrEqual(3);
  await holds.getByRole("button", { name: "Release" }).click();
  await holds.waitFor({ state: "detached" });
  expect((await org.get("/orders/SHOP-10249")).body.holds).toEqual([]);
});

test("an address is corrected in two clicks; Escape leaves it as it was", async () => {
  const { page } = person;
  const { click, count } = countClicks();
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await click(page.getByRole("button", { name: "Edit ship to" }));
  const street = page.getByRole("textbox", { name: "Address line 1" });
  await street.fill("99 Correct Lane");
  await click(page.getByRole("button", { name: "Save" }));
  await page.getByRole("region", { name: "Ship to" }).getByText("99 Correct Lane").waitFor();
  expect(count()).toBeLessThanOrEqual(3);
  expect((await org.get("/orders/SHOP-10249")).body.shippingAddress.address1).toBe("99 Correct Lane");

  await page.getByRole("button", { name: "Edit ship to" }).click();
  await page.getByRole("textbox", { name: "City" }).fill("Nowhere");
  await page.keyboard.press("Escape");
  await street.waitFor({ state: "detached" });
  expect((await org.get("/orders/SHOP-10249")).body.shippingAddress.city).not.toBe("Nowhere");
});

test("a change by another user meanwhile is shown beside one's own", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await page.getByRole("button", { name: "Edit customer" }).click();
  await page.getByRole("textbox", { name: "Phone" }).fill("+1 555 0001");
  await org.patch("/orders/SHOP-10249", { customer: { phone: "+1 555 0002" } });
  await page.keyboard.press("Control+Enter");
  const box = page.getByRole("alert", { name: "Changed by another user" });
  expect(await box.innerText()).toMatch(/0001[\s\S]*0002/);
  await box.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(async () => (await org.get("/orders/SHOP-10249")).body.customer.phone).toBe("+1 555 0001");
});

test("items, shipping, notes and custom fields are edited in place", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10250`);
  await page.getByRole("button", { name: "Edit items" }).click();
  await page.getByRole("textbox", { name: "Quantity" }).first().fill("3");
  await page.getByRole("button", { name: "Remove THROW-GR" }).click();
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () =>
      (await org.get("/orders/SHOP-10250")).body.lines.map((line: { quantity: number }) => line.quantity),
    )
    .toEqual([3, 1]);
  // What the form does not show is kept.
  expect((await org.get("/orders/SHOP-10250")).body.lines[0].properties).toEqual(rich.lines[0]!.properties);

  await page.getByRole("button", { name: "Edit shipping" }).click();
  await page.getByRole("combobox", { name: "Carrier account" }).click();
  await page.getByRole("option", { name: "Demo" }).click();
  await page.getByRole("combobox", { name: "Service" }).click();
  await page
    .getByRole("option", { name: /overnight/i })
    .first()
    .click();
  await page.getByRole("textbox", { name: "Weight" }).fill("2.5");
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => (await org.get("/orders/SHOP-10250")).body)
    .toMatchObject({
      shipping: { carrier: "demo", service: "NAT_OVERNIGHT" },
      packages: [{ weight: { value: 2.5, unit: "lb" } }],
    });

  await page.getByRole("button", { name: "Edit notes" }).click();
  await page.getByRole("textbox", { name: "Gift message" }).fill("Hello");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await org.get("/orders/SHOP-10250")).body.giftMessage).toBe("Hello");
  expect((await org.get("/orders/SHOP-10250")).body.notes).toMatchObject(rich.notes);

  await page.getByRole("button", { name: "Edit custom fields" }).click();
  await page.getByRole("textbox", { name: "Value" }).fill("B8");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await org.get("/orders/SHOP-10250")).body.customFields).toEqual({ batch: "B8" });
});

test("a wrong value is shown at its field, and nothing is saved", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10250`);
  await page.getByRole("button", { name: "Edit shipping" }).click();
  await page.getByRole("textbox", { name: "Ship by" }).fill("next week");
  await page.keyboard.press("Control+Enter");
  const field = page.getByRole("textbox", { name: "Ship by" });
  await expect.poll(async () => await field.getAttribute("aria-invalid")).toBe("true");
  expect((await org.get("/orders/SHOP-10250")).body.shipBy).toBeNull();
});

test("every shipping value is edited in place, times in the zone of the organization", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10250`);
  await page.getByRole("button", { name: "Edit shipping" }).click();
  await page.getByRole("textbox", { name: "Ship by" }).fill("2027-03-01 17:00");
  await page.getByRole("textbox", { name: "Deliver by" }).fill("4 Mar 2027");
  for (const [name, value] of Object.entries({ Length: "12", Width: "9", Height: "4" }))
    await page.getByRole("textbox", { name }).fill(value);
  const chosen = { "Ship from": "Newark DC", "Assigned to": /^(?!Not set)/, Priority: "High" };
  for (const [name, option] of Object.entries(chosen)) {
    await page.getByRole("combobox", { name }).click();
    await page.getByRole("option", { name: option }).first().click();
  }
  await page.keyboard.press("Control+Enter");
  await expect
    .poll(async () => (await org.get("/orders/SHOP-10250")).body)
    .toMatchObject({
      shipBy: "2027-03-01T22:00:00.000Z",
      deliverBy: "2027-03-05T04:59:00.000Z",
      priority: "high",
      assigneeId: expect.stringMatching(/./),
      packages: [{ dimensions: { length: 12, width: 9, height: 4, unit: "in" } }],
    });
  await page.getByRole("button", { name: "Edit shipping" }).click();
  expect(await page.getByRole("textbox", { name: "Ship by" }).inputValue()).toBe("2027-03-01 17:00");
  await page.getByRole("textbox", { name: "Ship by" }).fill("2027-03-02 17:00");
  await org.patch("/orders/SHOP-10250", { shipBy: "2027-03-03T22:00:00Z" });
  await page.keyboard.press("Control+Enter");
  const box = page.getByRole("alert", { name: "Changed by another user" });
  await box.getByRole("button", { name: "Save mine" }).click();
  await expect.poll(async () => (await org.get("/orders/SHOP-10250")).body.shipBy).toBe("2027-03-02T22:00:00.000Z");
  const activity = await page.getByRole("region", { name: "Activity", exact: true }).innerText();
  // The address of the test user holds an ID.
  expect(activity.replaceAll(/\S+@\S+/g, "")).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  expect(activity).toContain("Enamel mug, 12 oz: quantity 2 to 3");
});

test("the billing address and a customer note are edited in place", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10250`);
  await page.getByRole("button", { name: "Edit bill to" }).click();
  await page.getByRole("textbox", { name: "City" }).fill("Trenton");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await org.get("/orders/SHOP-10250")).body.billingAddress.city).toBe("Trenton");
  // Keys belong to the form with the focus, also while another one is open.
  await page.getByRole("button", { name: "Edit custom fields" }).click();
  await page.getByRole("button", { name: "Edit notes" }).click();
  await page.getByRole("textbox", { name: "From the customer" }).fill("Ring twice.");
  await page.keyboard.press("Control+Enter");
  await expect.poll(async () => (await org.get("/orders/SHOP-10250")).body.notes[0].text).toBe("Ring twice.");
});

test("an unsaved change is not lost by a key, a link or the back button", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders?sort=-orderedAt`);
  await page.getByRole("link", { name: "SHOP-10249" }).click();
  await page.getByRole("button", { name: "Edit ship to" }).click();
  const city = page.getByRole("textbox", { name: "City" });
  await city.fill("Halfway");
  await page.getByRole("heading", { name: "Payment" }).click();
  const leave = page.getByRole("dialog", { name: "Leave without saving?" });
  const steps = await page.getByText(/^[123] of 3/).innerText();
  const ways = [
    () => page.keyboard.press(steps.startsWith("3") ? "k" : "j"),
    () => page.getByRole("link", { name: "Orders" }).first().click(),
    () => page.goBack(),
  ];
  for (const go of ways) {
    await go();
    await leave.getByRole("button", { name: "Keep editing" }).click();
    await leave.waitFor({ state: "detached" });
    expect(await city.inputValue()).toBe("Halfway");
  }
  await page.getByRole("link", { name: "Orders" }).first().click();
  await leave.getByRole("button", { name: "Discard changes" }).click();
  await page.waitForURL(/\/orders(\?|$)/);
  expect((await org.get("/orders/SHOP-10249")).body.shippingAddress.city).not.toBe("Halfway");
});

test("an address is checked on the page of the order, and a double click holds once", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await page.getByRole("button", { name: "Check address" }).click();
  await expect.poll(async () => (await org.get("/orders/SHOP-10249")).body.addressStatus).not.toBe("unverified");
  await page.getByText("Verified", { exact: true }).waitFor();
  const runs = async (): Promise<number> => (await org.get("/operations/runs?limit=1")).body.pagination.total;
  const before = await runs();
  await page.keyboard.press("h");
  await page.getByRole("textbox", { name: "Until" }).fill("2027-05-01");
  await page.getByRole("dialog").getByRole("button", { name: "Hold", exact: true }).dblclick();
  const holds = page.getByRole("list", { name: "Holds" });
  await holds.getByText(/placed by .* until/).waitFor();
  expect(await runs()).toBe(before + 1);
  await holds.getByRole("button", { name: "Release" }).click();
  await holds.waitFor({ state: "detached" });
});

test("keys: t goes to the tags, b buys a label, e edits in bulk", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10249`);
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.keyboard.press("t");
  await page.keyboard.type("fragile");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await org.get("/orders/SHOP-10249")).body.tags).toContain("fragile");
  await page.keyboard.press("Escape");
  await page.keyboard.press("b");
  await page.waitForURL(/labels\/new/);
  await page.goBack();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  await page.keyboard.press("e");
  await page.waitForURL(/operations\/new/);
});

test("keys: n adds a note, j and k walk through the list the order was opened from", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders?sort=-orderedAt`);
  await page.getByRole("link", { name: "SHOP-10250" }).click();
  await page.getByText(/^[123] of 3/).waitFor();
  await page.getByRole("heading", { name: "Activity" }).waitFor();
  const at = async (): Promise<string> => new URL(page.url()).pathname;
  const before = await at();
  const position = Number((await page.getByText(/^[123] of 3/).innerText()).charAt(0));
  await page.keyboard.press(position === 3 ? "k" : "j");
  await expect.poll(at).not.toBe(before);
  const neighbour = (await at()).split("/").at(-1)!;
  await page.getByRole("heading", { name: new RegExp(neighbour) }).waitFor();
  await page.keyboard.press(position === 3 ? "j" : "k");
  await expect.poll(at).toBe(before);
  await page.getByRole("heading", { name: /SHOP-10250/ }).waitFor();
  await page.keyboard.press("n");
  await page.keyboard.type("Double boxed");
  await page.keyboard.press("Control+Enter");
  await page.getByRole("list", { name: "Internal notes" }).getByText("Double boxed").waitFor();
});

test("the other orders of the customer are one click away", async () => {
  const { page } = person;
  await page.goto(`${hub.url}/orders/SHOP-10250`);
  await page.getByRole("button", { name: /^3 orders, \$/ }).click();
  await page.getByRole("dialog").getByRole("link", { name: "SHOP-10248" }).click();
  await page.getByRole("heading", { name: /SHOP-10248/ }).waitFor();
});

test("a viewer sees the page without pencils, and hidden names", async () => {
  const email = "viewer@order-page.example";
  await org.post("/users", { email, role: "viewer", password: org.admin.password });
  const { page } = await browser.person();
  await signIn(page, hub, { email, password: org.admin.password }, "/orders/SHOP-10250");
  await page.getByText("your account may not see personal data").waitFor();
  expect(await page.getByRole("button", { name: /^Edit/ }).count()).toBe(0);
  expect(await page.getByText("Nora Lindqvist").count()).toBe(0);
});
