/** Orders as Vendure's admin API has them: money in minor units, null where a field is not set. */

const taxRate = 20;
const withTax = (amount: number): number => Math.round(amount * (1 + taxRate / 100));

type Line = {
  id: string;
  quantity: number;
  linePrice: number;
  lineTax: number;
  discounts: { amount: number }[];
} & Record<string, unknown>;

type LineParts = {
  sku: string;
  name: string;
  quantity: number;
  unitPrice: number;
  placed?: number;
  options?: [string, string][];
  discount?: number;
  image?: string;
  shipped?: [number, string];
};

function line(id: number, parts: LineParts): Line {
  const { sku, name, quantity, unitPrice, placed = quantity, options = [], discount = 0, image, shipped } = parts;
  const linePrice = unitPrice * quantity;
  const discounts = discount === 0 ? [] : [{ ...promotion("10% off", discount) }];
  return {
    id: String(id),
    quantity,
    orderPlacedQuantity: placed,
    unitPrice,
    unitPriceWithTax: withTax(unitPrice),
    linePrice,
    linePriceWithTax: withTax(linePrice),
    lineTax: withTax(linePrice - discount) - (linePrice - discount),
    taxRate,
    discounts,
    featuredAsset: image === undefined ? null : { id: "1", preview: image },
    productVariant: {
      id: String(400 + id),
      sku,
      name,
      product: { id: String(40 + id) },
      options: options.map(([group, value]) => ({
        id: "7",
        code: value.toLowerCase(),
        name: value,
        group: { name: group },
      })),
    },
    fulfillmentLines:
      shipped === undefined ? [] : [{ quantity: shipped[0], fulfillment: { id: "1", state: shipped[1] } }],
  };
}

function promotion(description: string, amount: number) {
  return {
    adjustmentSource: "PROMOTION:3",
    type: "DISTRIBUTED_ORDER_PROMOTION",
    description,
    amount: -amount,
    amountWithTax: -withTax(amount),
  };
}

const shipTo = {
  fullName: "Hayden Zieme",
  company: null,
  streetLine1: "12 Main Street",
  streetLine2: null,
  city: "Manchester",
  province: "Greater Manchester",
  postalCode: "M1 2AB",
  country: "United Kingdom",
  countryCode: "GB",
  phoneNumber: "+44 161 496 0000",
};
const inCountry = (countryCode: string, province: string) => ({ ...shipTo, country: null, countryCode, province });
const nowhere = Object.fromEntries(Object.keys(shipTo).map((name) => [name, null]));

const buyer = {
  id: "21",
  firstName: "Hayden",
  lastName: "Zieme",
  emailAddress: "hayden@example.com",
  phoneNumber: null,
};

type Parts = {
  lines: Line[];
  shipping?: number;
  couponCodes?: string[];
  payment?: { state: string; amount?: number; refunds?: { total: number; state: string }[] } | null;
  surcharge?: number;
  /** A payment was declined before. */
  isRetried?: boolean;
} & Record<string, unknown>;

export type VendureOrder = {
  id: string;
  code: string;
  state: string;
  updatedAt: string;
  orderPlacedAt: string | null;
  lines: Line[];
} & Record<string, unknown>;

function order(
  id: number,
  state: string,
  { lines, shipping = 500, surcharge = 0, payment = { state: "Settled" }, isRetried = false, ...more }: Parts,
): VendureOrder {
  const discounts = lines.flatMap(({ discounts: own }) => own);
  const net =
    lines.reduce((sum, { linePrice }) => sum + linePrice, 0) + discounts.reduce((sum, { amount }) => sum + amount, 0);
  const lineTax = lines.reduce((sum, { lineTax: tax }) => sum + tax, 0);
  const total = net + shipping + surcharge;
  const taxTotal = lineTax + withTax(shipping) - shipping + withTax(surcharge) - surcharge;
  const declined = {
    id: `9${id}`,
    method: "cod",
    amount: total + taxTotal,
    state: "Declined",
    transactionId: null,
    errorMessage: "Not available",
    refunds: [],
  };
  const day = String(id).padStart(2, "0");
  return {
    id: String(id),
    code: `T_${1000 + id}`,
    state,
    type: "Regular",
    active: false,
    createdAt: `2026-03-${day}T08:00:00.000Z`,
    updatedAt: `2026-03-${day}T10:00:00.000Z`,
    orderPlacedAt: `2026-03-${day}T09:00:00.000Z`,
    currencyCode: "GBP",
    customer: buyer,
    shippingAddress: shipTo,
    billingAddress: nowhere,
    lines,
    surcharges:
      surcharge === 0
        ? []
        : [{ id: "1", description: "Payment fee", sku: "", price: surcharge, priceWithTax: withTax(surcharge) }],
    discounts,
    couponCodes: [],
    subTotal: net,
    subTotalWithTax: net + lineTax,
    shipping,
    shippingWithTax: withTax(shipping),
    total,
    totalWithTax: total + taxTotal,
    taxSummary: [{ description: "Standard Tax", taxRate, taxBase: total, taxTotal }],
    shippingLines: [
      {
        id: "1",
        price: shipping,
        priceWithTax: withTax(shipping),
        shippingMethod: { id: "1", code: "standard", name: "Standard Shipping" },
      },
    ],
    payments:
      payment === null
        ? []
        : [
            ...(isRetried ? [declined] : []),
            {
              id: String(id),
              method: "stripe",
              amount: payment.amount ?? total + taxTotal,
              state: payment.state,
              transactionId: `pi_${id}`,
              refunds: (payment.refunds ?? []).map((refund, index) => ({
                id: String(index + 1),
                reason: null,
                lines: [],
                ...refund,
              })),
            },
          ],
    fulfillments: [],
    ...more,
  };
}

const laptop = {
  sku: "L2201308",
  name: "Laptop 13 inch 8GB",
  unitPrice: 129900,
  options: [
    ["screen size", "13 inch"],
    ["RAM", "8GB"],
  ] as [string, string][],
};
const mug = { sku: "MUG-01", name: "Mug", unitPrice: 950 };

export function vendureOrders(): VendureOrder[] {
  return [
    order(1, "PaymentSettled", {
      lines: [
        line(1, { ...laptop, quantity: 1, image: "https://shop.example.com/assets/preview/laptop.jpg" }),
        line(2, { ...mug, quantity: 3 }),
      ],
    }),
    order(2, "PaymentAuthorized", { lines: [line(3, { ...mug, quantity: 2 })], payment: { state: "Authorized" } }),
    order(3, "PartiallyShipped", { lines: [line(4, { ...mug, quantity: 2, shipped: [1, "Shipped"] })] }),
    order(4, "Shipped", { lines: [line(5, { ...mug, quantity: 1, shipped: [1, "Shipped"] })] }),
    order(5, "Delivered", { lines: [line(6, { ...mug, quantity: 1, shipped: [1, "Delivered"] })] }),
    // Cancelled items are taken out of the quantity, and out of all totals.
    order(6, "Cancelled", {
      lines: [line(7, { ...mug, quantity: 0, placed: 2 })],
      shipping: 0,
      isRetried: true,
      payment: { state: "Settled", amount: 2880, refunds: [{ total: 2880, state: "Settled" }] },
    }),
    order(7, "PaymentSettled", {
      lines: [line(8, { ...laptop, quantity: 2, discount: 25980 })],
      couponCodes: ["SPRING10"],
      surcharge: 100,
    }),
    order(8, "PaymentSettled", {
      lines: [line(9, { ...mug, quantity: 2, placed: 3 })],
      payment: {
        state: "Settled",
        amount: 4020,
        refunds: [
          { total: 1140, state: "Settled" },
          { total: 50, state: "Failed" },
        ],
      },
    }),
    order(9, "PaymentSettled", {
      currencyCode: "EUR",
      lines: [line(10, { ...mug, quantity: 1 })],
      customer: {
        id: "22",
        firstName: "Jörg",
        lastName: "Müller",
        emailAddress: "joerg@example.de",
        phoneNumber: "+49 30 901820",
      },
      shippingAddress: {
        ...shipTo,
        fullName: "Jörg Müller",
        company: "Müller GmbH",
        streetLine1: "Hauptstraße 5",
        streetLine2: "Hinterhof",
        city: "Berlin",
        province: "",
        postalCode: "10115",
        country: "Germany",
        countryCode: "DE",
        phoneNumber: null,
      },
      billingAddress: {
        ...shipTo,
        fullName: "Buchhaltung",
        company: "Müller GmbH",
        streetLine1: "Torstraße 1",
        streetLine2: "Aufgang B",
        city: "Berlin",
        province: "",
        postalCode: "10117",
        country: "Germany",
        countryCode: "DE",
        phoneNumber: "+49 30 901820",
      },
    }),
    // A state of a custom order process.
    order(10, "AwaitingCraftsman", {
      lines: [line(11, { ...mug, quantity: 1 })],
      shippingAddress: inCountry("US", "New York"),
      billingAddress: inCountry("US", "NY"),
    }),
    order(11, "ArrangingAdditionalPayment", {
      lines: [line(12, { ...mug, quantity: 1 })],
      shippingAddress: inCountry("CA", "Ontario"),
      billingAddress: inCountry("AU", "Victoria"),
    }),
    order(12, "Modifying", {
      lines: [line(13, { ...mug, quantity: 1 })],
      shippingAddress: inCountry("US", "Upstate"),
    }),
    // A cart: not placed yet.
    order(13, "AddingItems", {
      lines: [line(14, { ...mug, quantity: 1 })],
      orderPlacedAt: null,
      active: true,
      payment: null,
    }),
  ];
}
