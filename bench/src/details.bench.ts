import type pg from "pg";
import type { Bench, Figure } from "./bench.ts";
import { pickOrders, restoreOrders, runToTheEnd } from "./bulk-runs.ts";
import type { HubClient } from "./hub-client.ts";
import { withDataDir } from "./hub-process.ts";
import { timeInterleaved } from "./interleaved.ts";
import type { OrderHub } from "./order-hub.ts";
import { withOrders } from "./order-hub.ts";

/** Half of them get all details. Some are on hold; a run needs ten thousand others. */
const stored = 20_400;
const count = 10_000;

export const detailsBench: Bench = {
  name: "details",
  bar: "orders with all details: a run of 10,000 and an import of 10,000 <= 1.3x of orders without",
  run: () => withDataDir((dataDir) => withOrders(dataDir, stored, measure)),
};

async function measure({ client, db, url }: OrderHub): Promise<Figure[]> {
  await addDetails(db, client.orgId);
  const runOf = (isDetailed: boolean) => async (): Promise<void> => {
    const which = `po_number is ${isDetailed ? "not " : ""}null`;
    await runToTheEnd(client, { order_ids: await pickOrders(db, client.orgId, count, which) });
  };
  // Restored between the rounds, outside of the measurement.
  const rounds: { ours: number; floor: number }[] = [];
  for (let round = 0; round < 4; round++) {
    rounds.push(await timeInterleaved(runOf(true), runOf(false), { rounds: 1, warmUps: 0 }));
    await restoreOrders(db, client.orgId);
  }
  // The first round warms up.
  const [, ...counted] = rounds;
  const mean = (side: "ours" | "floor"): number => counted.reduce((sum, one) => sum + one[side], 0) / counted.length;
  let batch = 0;
  const imported = await timeInterleaved(
    () => importFile(url, client, `D${batch++}`, details),
    () => importFile(url, client, `P${batch++}`, {}),
    { rounds: 3, warmUps: 1 },
  );
  return [
    {
      what: "run of 10 k with all details : without",
      unit: "ms",
      ours: mean("ours"),
      floor: mean("floor"),
      limit: { on: "ratio", atMost: 1.3 },
    },
    { what: "import of 10 k with all details : without", ...imported, limit: { on: "ratio", atMost: 1.3 } },
  ];
}

const amounts = {
  subtotal: 34.49,
  discount: 3.45,
  discounts: [{ code: "WELCOME10", title: "Welcome", amount: 3.45 }],
  shipping: 4.9,
  tax: 5.9,
  paid: 41.84,
  refunded: 0,
};
const lineDetails = {
  discount: 1.5,
  tax: 2.1,
  productId: "8123456789012",
  variantId: "44123456789012",
  options: [
    { name: "Color", value: "Blue" },
    { name: "Size", value: "L" },
  ],
  properties: [{ name: "Engraving", value: "To Ann, from Bo" }],
  imageUrl: "https://cdn.example.com/products/8123456789012/main.jpg?v=1700000000",
  hsCode: "6109.10",
  originCountry: "PT",
};

async function addDetails(db: pg.Client, orgId: string): Promise<void> {
  await db.query(
    `update orders set amounts = $2, payment = $3, risk_level = 'low', po_number = 'PO-' || number,
       gift_message = 'Happy birthday', requested_delivery_date = '2026-12-24', customer = customer || '{"id": "6123456789"}',
       lines = (select jsonb_agg(line || $4) from jsonb_array_elements(lines) as line)
      where org_id = $1 and substr(number, 3)::int % 2 = 0`,
    [orgId, amounts, { method: "Visa", reference: "ch_3Nabcdefghijk" }, lineDetails],
  );
  await db.query("vacuum (full, analyze) orders");
}

/** Columns of the hub's own export. */
const plain: Record<string, (n: number) => string> = {
  number: String,
  "customer.name": (n) => `Buyer ${n}`,
  "shippingAddress.address1": (n) => `${n} Main St`,
  "shippingAddress.city": () => "Albany",
  "shippingAddress.provinceCode": () => "NY",
  "shippingAddress.zip": () => "12207",
  "shippingAddress.countryCode": () => "US",
  "line.sku": (n) => `SKU-${n % 50}`,
  "line.quantity": () => "2",
  "line.price": () => "9.50",
  orderedAt: (n) => `2026-02-${String(1 + (n % 28)).padStart(2, "0")}T00:00:00Z`,
};
/** A list in a cell, as in the hub's own export. */
const cellOf = (list: object[]): string => `"${JSON.stringify(list).replaceAll('"', '""')}"`;
/** A line has no parent, which would be a second line that the orders without details lack. */
const details: Record<string, (n: number) => string> = {
  "customer.id": (n) => `61234${n}`,
  "amounts.subtotal": () => "19.00",
  "amounts.discount": () => "1.90",
  "amounts.shipping": () => "4.90",
  "amounts.tax": () => "3.20",
  "amounts.taxIncluded": () => "false",
  "amounts.fees": () => "1.50",
  "amounts.paid": () => "26.70",
  "amounts.refunded": () => "2.00",
  "amounts.presentmentCurrency": () => "CAD",
  "amounts.presentmentTotal": () => "36.31",
  "amounts.discounts": () => cellOf(amounts.discounts),
  giftMessage: (n) => `Happy birthday ${n}`,
  "billingAddress.name": (n) => `Buyer ${n}`,
  "billingAddress.address1": (n) => `${n} Side St`,
  "billingAddress.city": () => "Albany",
  "billingAddress.provinceCode": () => "NY",
  "billingAddress.zip": () => "12207",
  "billingAddress.countryCode": () => "US",
  "payment.method": () => "Visa",
  "payment.reference": (n) => `ch_3Nabc${n}`,
  riskLevel: () => "low",
  poNumber: (n) => `PO-${n}`,
  requestedDeliveryDate: () => "2026-12-24",
  "line.discount": () => "1.90",
  "line.tax": () => "3.20",
  "line.weight": () => "250",
  "line.weightUnit": () => "g",
  "line.options": () => cellOf(lineDetails.options),
  "line.properties": () => cellOf(lineDetails.properties),
  "line.productId": () => "8123456789012",
  "line.variantId": () => "44123456789012",
  "line.imageUrl": () => "https://cdn.example.com/products/8123456789012/main.jpg",
  "line.hsCode": () => "6109.10",
  "line.originCountry": () => "PT",
};

async function importFile(
  url: string,
  { headers }: HubClient,
  prefix: string,
  more: Record<string, (n: number) => string>,
): Promise<void> {
  const columns = Object.entries({ ...plain, ...more });
  const rows = Array.from({ length: count }, (_, n) =>
    columns.map(([name, cell]) => (name === "number" ? `${prefix}-${n}` : cell(n))).join(","),
  );
  const answer = await fetch(`${url}/api/v1/orders/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body: [columns.map(([name]) => name).join(","), ...rows].join("\n"),
  });
  const { summary, mapping } = (await answer.json()) as { summary?: { created: number }; mapping?: object };
  if (summary?.created !== count)
    throw new Error(`${answer.status}: ${summary?.created} created, ${JSON.stringify(mapping)}`);
}
