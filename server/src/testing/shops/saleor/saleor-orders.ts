/** Orders as Saleor's GraphQL API has them: amounts as numbers with their currency, null where a field is not set. */

const taxed = (net: number, tax = 0) => ({
  net: { amount: net, currency: "USD" },
  gross: { amount: Math.round((net + tax) * 100) / 100, currency: "USD" },
  tax: { amount: tax, currency: "USD" },
});
const money = (amount: number) => ({ amount, currency: "USD" });

type Line = Record<string, unknown> & {
  id: string;
  quantity: number;
  quantityFulfilled: number;
};
/** With the sums that an order is made of. */
type CountedLine = Line & { net: number; tax: number; full: number };
type LineParts = {
  sku: string | null;
  name: string;
  variant?: string;
  price: number;
  quantity?: number;
  fulfilled?: number;
  tax?: number;
  discount?: number;
  attributes?: [string, string][];
  metadata?: [string, string][];
  isDigital?: boolean;
  isGone?: boolean;
};

function line(id: number, parts: LineParts): CountedLine {
  const {
    sku,
    name,
    variant = "",
    price,
    quantity = 1,
    fulfilled = 0,
    tax = 0,
    discount = 0,
    attributes = [],
    metadata = [],
  } = parts;
  const full = price * quantity;
  const net = full - discount;
  return {
    id: `T3JkZXJMaW5lOj${id}`,
    productName: name,
    variantName: variant,
    productSku: sku,
    productVariantId: parts.isGone ? null : `VmFyaWFudDo${id}`,
    isShippingRequired: !parts.isDigital,
    quantity,
    quantityFulfilled: fulfilled,
    undiscountedUnitPrice: taxed(price),
    undiscountedTotalPrice: taxed(full),
    unitPrice: taxed(net / quantity),
    totalPrice: taxed(net, tax),
    thumbnail: parts.isGone ? null : { url: `https://shop.example.com/thumbnail/${id}`, alt: "" },
    metadata: metadata.map(([key, value]) => ({ key, value })),
    allocations:
      fulfilled === quantity
        ? []
        : [{ id: `QWxsb2M6${id}`, quantity, warehouse: { id: "V2FyZWhvdXNlOjE=", name: "Default" } }],
    variant: parts.isGone
      ? null
      : {
          id: `VmFyaWFudDo${id}`,
          weight: parts.isDigital ? null : { value: 0.4, unit: "KG" },
          product: { id: `UHJvZHVjdDo${id}`, name },
          attributes: attributes.map(([attribute, value]) => ({
            attribute: { name: attribute },
            values: [{ name: value }],
          })),
        },
    net,
    tax,
    full,
  };
}

const address = {
  firstName: "Leslie",
  lastName: "Wade",
  companyName: "",
  streetAddress1: "1234 Elm Street",
  streetAddress2: "",
  city: "SPRINGFIELD",
  cityArea: "",
  countryArea: "IL",
  postalCode: "62701",
  country: { code: "US", country: "United States of America" },
  phone: "+12175550100",
};

const transaction = (about: object, charged: number, refunded: number, authorized = 0) => ({
  ...about,
  authorizedAmount: money(authorized),
  chargedAmount: money(charged),
  refundedAmount: money(refunded),
});

export type SaleorOrder = Record<string, unknown> & {
  id: string;
  number: string;
  status: string;
  updatedAt: string;
  lines: Line[];
};
type Parts = {
  lines: CountedLine[];
  shipping?: number;
  charged?: number;
  refunded?: number;
  authorized?: boolean;
  isRetried?: boolean;
} & Record<string, unknown>;

function order(id: number, status: string, parts: Parts): SaleorOrder {
  const { lines, shipping = 5, refunded = 0, authorized = false, isRetried = false, charged: given, ...more } = parts;
  const net = lines.reduce((sum, one) => sum + one.net, 0) + shipping;
  const tax = lines.reduce((sum, one) => sum + one.tax, 0);
  const total = taxed(net, tax);
  const charged = given ?? total.gross.amount;
  const day = String(id).padStart(2, "0");
  return {
    id: `T3JkZXI6${id}`,
    number: String(id),
    status,
    created: `2026-03-${day}T09:00:00.000000+00:00`,
    updatedAt: `2026-03-${day}T10:00:00.000000+00:00`,
    channel: { id: "Q2hhbm5lbDox", slug: "default-channel", name: "Default" },
    user: { id: "VXNlcjox" },
    userEmail: "leslie@example.com",
    shippingAddress: address,
    billingAddress: address,
    chargeStatus: charged === 0 ? "NONE" : charged >= total.gross.amount ? "FULL" : "PARTIAL",
    authorizeStatus: charged > 0 || authorized ? "FULL" : "NONE",
    total,
    shippingPrice: taxed(shipping),
    shippingMethodName: "Default",
    collectionPointName: null,
    voucherCode: null,
    customerNote: "",
    totalCharged: money(charged),
    totalRefunded: money(refunded),
    transactions:
      charged > 0
        ? [
            ...(isRetried ? [transaction({ id: "0", name: "Voucher card", pspReference: `failed-${id}` }, 0, 0)] : []),
            transaction({ id: "1", name: "Credit card", pspReference: `psp-${id}` }, charged - refunded, refunded),
          ]
        : authorized
          ? [transaction({ id: "1", name: "Credit card", pspReference: `psp-${id}` }, 0, 0, total.gross.amount)]
          : [],
    externalReference: null,
    fulfillments: [],
    lines: lines.map(({ net: _net, tax: _tax, full: _full, ...one }) => one),
    ...more,
  };
}

const mug = { sku: "MUG-01", name: "Mug", price: 10 };

export function saleorOrders(): SaleorOrder[] {
  return [
    order(1, "UNFULFILLED", {
      lines: [
        line(1, {
          sku: "TEE-BLU-L",
          name: "T-shirt",
          variant: "Blue / L",
          price: 25,
          quantity: 2,
          tax: 4.5,
          discount: 5,
          attributes: [
            ["Color", "Blue"],
            ["Size", "L"],
          ],
          metadata: [["engraving", "To Ann"]],
        }),
        line(2, mug),
      ],
      voucherCode: "SPRING10",
      isRetried: true,
      customerNote: "Ring twice",
    }),
    order(2, "UNFULFILLED", { lines: [line(3, mug)], charged: 0 }),
    order(3, "UNFULFILLED", { lines: [line(4, mug)], charged: 0, authorized: true }),
    order(4, "PARTIALLY_FULFILLED", { lines: [line(5, { ...mug, quantity: 2, fulfilled: 1 })] }),
    order(5, "FULFILLED", { lines: [line(6, { ...mug, fulfilled: 1 })] }),
    order(6, "CANCELED", { lines: [line(7, mug)], refunded: 15 }),
    order(7, "UNFULFILLED", { lines: [line(8, { ...mug, quantity: 2 })], refunded: 10 }),
    order(8, "RETURNED", { lines: [line(9, { ...mug, fulfilled: 1 })], refunded: 15 }),
    order(9, "UNCONFIRMED", { lines: [line(10, mug)] }),
    order(10, "FULFILLED", {
      lines: [line(11, { sku: null, name: "E-book", variant: "PDF", price: 9, isDigital: true, fulfilled: 1 })],
      shipping: 0,
      shippingAddress: null,
      shippingMethodName: null,
    }),
    order(11, "UNFULFILLED", {
      lines: [line(12, { ...mug, isGone: true })],
      user: null,
      shippingAddress: {
        ...address,
        firstName: "Jörg",
        lastName: "Müller",
        companyName: "Müller GmbH",
        streetAddress1: "Hauptstraße 5",
        streetAddress2: "Hinterhof",
        city: "BERLIN",
        countryArea: "",
        postalCode: "10115",
        country: { code: "DE", country: "Germany" },
        phone: "",
      },
      billingAddress: { ...address, companyName: "Wade Inc.", streetAddress2: "Suite 5" },
    }),
    order(12, "EXPIRED", { lines: [line(13, mug)], charged: 0 }),
    order(13, "SOMETHING_NEW", { lines: [line(14, mug)] }),
  ];
}
