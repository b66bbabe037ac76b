/**
 * Sales orders as NetSuite has them: a row of SuiteQL (lower-case names, all values as texts) and the record of the REST record
 * service (references as objects, fields without a value missing).
 */

type Line = Record<string, unknown> & { line: number; quantity: number; quantityFulfilled: number; amount: number };
type LineParts = {
  sku: string;
  description?: string;
  rate: number;
  quantity?: number;
  fulfilled?: number;
  isClosed?: boolean;
  tax?: number;
};

function line(
  number: number,
  { sku, description, rate, quantity = 1, fulfilled = 0, isClosed = false, tax = 0 }: LineParts,
): Line {
  return {
    links: [],
    line: number,
    item: { links: [], id: String(200 + number), refName: sku },
    ...(description === undefined ? {} : { description }),
    quantity,
    quantityFulfilled: fulfilled,
    quantityBilled: 0,
    rate,
    amount: rate * quantity,
    tax1Amt: tax,
    isClosed,
  };
}

export type NetsuiteOrder = {
  row: Record<string, unknown> & { id: string; tranid: string; status: string; modified: string };
  record: Record<string, unknown> & {
    id: string;
    item: Record<string, unknown> & { items: Record<string, unknown>[] };
  };
};
/** Lines that are no goods: they have no quantity, and an amount only if they change the subtotal. */
const discountLine = (number: number, amount: number) => ({
  links: [],
  line: number,
  item: { links: [], id: "301", refName: "Spring discount" },
  itemType: { id: "Discount", refName: "Discount" },
  rate: -amount,
  amount: -amount,
});
const subtotalLine = (number: number) => ({
  links: [],
  line: number,
  item: { links: [], id: "-2", refName: "Subtotal" },
  itemType: { id: "Subtotal", refName: "Subtotal" },
});
const descriptionLine = (number: number, description: string) => ({
  links: [],
  line: number,
  item: { links: [], id: "-3", refName: "Description" },
  itemType: { id: "Description", refName: "Description" },
  description,
});
/** A charge with a quantity, which is negative in one of two ways. */
const chargeLine = (number: number, quantity: number, rate: number) => ({
  ...line(number, { sku: "TRADE-IN", rate, quantity }),
  itemType: { id: "OthCharge", refName: "Other Charge" },
});

type Parts = { lines: Record<string, unknown>[]; shipping?: number; discount?: number; record?: object; row?: object };

const shipTo = {
  links: [],
  addressee: "Ada Byron",
  attention: "Purchasing",
  addr1: "12 Main Street",
  city: "Albany",
  state: "NY",
  zip: "12207",
  country: { id: "US", refName: "United States" },
  addrPhone: "(518) 555-0100",
};

function order(
  id: number,
  status: string,
  { lines, shipping = 8, discount = 0, record = {}, row = {} }: Parts,
): NetsuiteOrder {
  const subtotal = lines.reduce((sum, one) => sum + Number(one.amount ?? 0), 0);
  const tax = lines.reduce((sum, one) => sum + Number(one.tax1Amt ?? 0), 0);
  const day = String(id).padStart(2, "0");
  return {
    row: {
      links: [],
      id: String(7000 + id),
      tranid: `SO${1000 + id}`,
      status,
      created: `2026-03-${day} 09:00:00`,
      modified: `2026-03-${day} 10:00:00`,
      currency: "USD",
      entity: "55",
      ...row,
    },
    record: {
      links: [],
      id: String(7000 + id),
      tranId: `SO${1000 + id}`,
      tranDate: `2026-03-${day}`,
      entity: { id: "55", refName: "55 Byron Ltd" },
      email: "ada@example.com",
      otherRefNum: "",
      memo: "",
      shipMethod: { id: "3", refName: "UPS Ground" },
      shipDate: "2026-03-20",
      paymentMethod: { id: "7", refName: "Invoice" },
      subtotal,
      discountTotal: -discount,
      taxTotal: tax,
      shippingCost: shipping,
      total: subtotal - discount + tax + shipping,
      shippingAddress: shipTo,
      billingAddress: { ...shipTo, addressee: "Byron Ltd", addr2: "Floor 2" },
      item: { links: [], items: lines, totalResults: lines.length },
      ...record,
    },
  };
}

const mug = { sku: "MUG-01", description: "Enamel mug", rate: 9.5 };

export function netsuiteOrders(): NetsuiteOrder[] {
  return [
    order(1, "B", {
      lines: [line(1, { ...mug, quantity: 4, tax: 3.14 }), line(2, { sku: "TEE-BLU-L", rate: 20, quantity: 1 })],
      discount: 5.8,
      record: { otherRefNum: "PO-4711", memo: "Deliver to dock 4" },
    }),
    order(2, "A", { lines: [line(1, mug)] }),
    order(3, "C", { lines: [line(1, { ...mug, isClosed: true })] }),
    order(4, "D", { lines: [line(1, { ...mug, quantity: 3, fulfilled: 1 })] }),
    order(5, "E", { lines: [line(1, { ...mug, quantity: 2, fulfilled: 1 })] }),
    order(6, "F", { lines: [line(1, { ...mug, fulfilled: 1 })] }),
    order(7, "G", { lines: [line(1, { ...mug, fulfilled: 1 })] }),
    order(8, "H", { lines: [line(1, { ...mug, isClosed: true })] }),
    order(9, "B", {
      lines: [line(1, mug)],
      row: { currency: "EUR" },
      record: {
        shippingAddress: {
          ...shipTo,
          addressee: "Jörg Müller",
          attention: "Müller GmbH",
          addr1: "Hauptstraße 5",
          addr2: "Hinterhof",
          city: "Berlin",
          state: undefined,
          zip: "10115",
          country: { id: "DE", refName: "Germany" },
          addrPhone: undefined,
        },
      },
    }),
    order(10, "B", { lines: [line(1, { ...mug, quantity: 2 })] }),
    order(11, "Z", { lines: [line(1, mug)] }),
    order(12, "B", {
      lines: [
        line(1, { ...mug, quantity: 4 }),
        subtotalLine(2),
        discountLine(3, 3.8),
        descriptionLine(4, "Packed in a box"),
        chargeLine(5, 1, -5),
        chargeLine(6, -1, 2),
      ],
    }),
    order(13, "D", {
      lines: [
        line(1, mug),
        line(2, { sku: "TEE-BLU-L", rate: 20, quantity: 3, fulfilled: 1, isClosed: true }),
        { ...line(3, { sku: "CAP-01", rate: 15, isClosed: true }), quantityFulfilled: undefined },
      ],
    }),
  ];
}
