/** Orders as BigCommerce's v2 API answers them: amounts as texts with four decimals, times as in RFC 2822. */

type Product = Record<string, unknown> & { id: number; quantity: number; quantity_shipped: number };
type ProductParts = Record<string, unknown> & {
  sku: string;
  name: string;
  price: number;
  quantity?: number;
  taxRate?: number;
};

const money = (amount: number): string => amount.toFixed(4);

function product(id: number, { price, quantity = 1, taxRate = 0, ...more }: ProductParts): Product {
  const tax = price * taxRate;
  return {
    id,
    order_id: 0,
    product_id: 70 + id,
    variant_id: 170 + id,
    order_address_id: 500,
    upc: "",
    type: "physical",
    base_price: money(price),
    price_ex_tax: money(price),
    price_inc_tax: money(price + tax),
    price_tax: money(tax),
    total_ex_tax: money(price * quantity),
    total_inc_tax: money((price + tax) * quantity),
    total_tax: money(tax * quantity),
    weight: "1.0000",
    quantity,
    quantity_shipped: 0,
    quantity_refunded: 0,
    is_refunded: false,
    refund_amount: "0.0000",
    wrapping_name: "",
    wrapping_message: "",
    parent_order_product_id: null,
    is_bundled_product: false,
    event_name: null,
    event_date: null,
    external_id: null,
    fulfillment_source: "",
    applied_discounts: [],
    product_options: [],
    configurable_fields: [],
    ...more,
  };
}

const option = (name: string, value: string, type = "Multiple choice") => ({
  id: 45,
  option_id: 18,
  display_name: name,
  display_value: value,
  value,
  type,
  name,
});

const billTo = {
  first_name: "Jane",
  last_name: "Doe",
  company: "",
  street_1: "555 East Street",
  street_2: "",
  city: "Austin",
  state: "Texas",
  zip: "78108",
  country: "United States",
  country_iso2: "US",
  phone: "1234567890",
  email: "janedoe@example.com",
  form_fields: [],
};

export type BigcommerceOrder = {
  order: Record<string, unknown> & { id: number; status: string; status_id: number; date_modified: string };
  products: Product[];
  shippingAddresses: Record<string, unknown>[];
  coupons: Record<string, unknown>[];
};

type Parts = {
  products: Product[];
  shipTo?: object | null;
  coupon?: [string, number];
  shipping?: number;
  handling?: number;
  wrapping?: number;
  /** Taken off by an employee. */
  discounted?: number;
} & Record<string, unknown>;

function order(id: number, statusId: number, status: string, parts: Parts): BigcommerceOrder {
  const { products, shipTo = {}, coupon, shipping = 10, handling = 0, wrapping = 0, discounted = 0, ...more } = parts;
  const sum = (name: string): number => products.reduce((total, one) => total + Number(one[name]), 0);
  const discount = coupon?.[1] ?? 0;
  const exTax = sum("total_ex_tax") + shipping + handling + wrapping - discount - discounted;
  const tax = sum("total_tax");
  const at = (hour: string): string =>
    new Date(`2026-03-${String(id).padStart(2, "0")}T${hour}:00:00Z`).toUTCString().replace("GMT", "+0000");
  const link = (name: string) => ({
    url: `https://api.bigcommerce.com/stores/abc/v2/orders/${id}/${name}`,
    resource: `/orders/${id}/${name}`,
  });
  return {
    order: {
      id,
      customer_id: 11,
      date_created: at("09"),
      date_modified: at("10"),
      date_shipped: "",
      status_id: statusId,
      status,
      custom_status: status,
      subtotal_ex_tax: money(sum("total_ex_tax")),
      subtotal_inc_tax: money(sum("total_inc_tax")),
      subtotal_tax: money(tax),
      base_shipping_cost: money(shipping),
      shipping_cost_ex_tax: money(shipping),
      shipping_cost_inc_tax: money(shipping),
      shipping_cost_tax: "0.0000",
      handling_cost_ex_tax: money(handling),
      wrapping_cost_ex_tax: money(wrapping),
      total_ex_tax: money(exTax),
      total_inc_tax: money(exTax + tax),
      total_tax: money(tax),
      items_total: products.reduce((total, { quantity }) => total + quantity, 0),
      items_shipped: 0,
      payment_method: "Credit Card",
      payment_provider_id: "",
      payment_status: "captured",
      refunded_amount: "0.0000",
      order_is_digital: false,
      store_credit_amount: "0.0000",
      gift_certificate_amount: "0.0000",
      currency_code: "USD",
      currency_exchange_rate: "1.0000000000",
      default_currency_code: "USD",
      staff_notes: "",
      customer_message: "",
      discount_amount: money(discounted),
      coupon_discount: money(discount),
      shipping_address_count: shipTo === null ? 0 : 1,
      is_deleted: false,
      billing_address: billTo,
      order_source: "www",
      channel_id: 1,
      external_id: null,
      products: link("products"),
      shipping_addresses: link("shippingaddresses"),
      coupons: link("coupons"),
      ...more,
    },
    products: products.map((one) => ({ ...one, order_id: id, order_address_id: shipTo === null ? 0 : 500 + id })),
    shippingAddresses:
      shipTo === null
        ? []
        : [
            {
              id: 500 + id,
              order_id: id,
              ...billTo,
              street_1: "666 Sussex St",
              zip: "78251",
              city: "San Antonio",
              shipping_method: "Flat Rate",
              ...shipTo,
            },
          ],
    coupons: coupon
      ? [
          {
            id: 1,
            coupon_id: 5,
            order_id: id,
            code: coupon[0],
            amount: String(coupon[1]),
            type: 0,
            discount: coupon[1],
          },
        ]
      : [],
  };
}

const towel = { sku: "S-ORAN", name: "Fog Linen Chambray Towel", price: 56 };

export function bigcommerceOrders(): BigcommerceOrder[] {
  return [
    order(1, 11, "Awaiting Fulfillment", {
      products: [
        product(1, {
          ...towel,
          quantity: 2,
          taxRate: 0.0825,
          product_options: [
            option("Size", "S"),
            option("Color", "Orange", "Swatch"),
            option("Add Letters", "A.B.", "Text field"),
          ],
          wrapping_message: "With love",
        }),
        product(2, {
          sku: "ABS",
          name: "Able Brewing System",
          price: 0,
          parent_order_product_id: 1,
          is_bundled_product: true,
        }),
      ],
      handling: 2.5,
      wrapping: 1.5,
      payment_provider_id: "ch_1",
      customer_message: "Leave at the door",
    }),
    order(2, 7, "Awaiting Payment", {
      products: [product(3, towel)],
      payment_status: "pending",
      payment_method: "Bank Deposit",
    }),
    order(3, 3, "Partially Shipped", { products: [product(4, { ...towel, quantity: 3, quantity_shipped: 1 })] }),
    order(4, 2, "Shipped", { products: [product(5, { ...towel, quantity_shipped: 1 })] }),
    order(5, 5, "Cancelled", { products: [product(6, towel)], payment_status: "void" }),
    order(6, 4, "Refunded", {
      products: [product(7, { ...towel, quantity_refunded: 1, is_refunded: true })],
      payment_status: "refunded",
      refunded_amount: "66.0000",
    }),
    order(7, 14, "Partially Refunded", {
      products: [product(8, { ...towel, quantity: 2, quantity_refunded: 1 })],
      payment_status: "partially refunded",
      refunded_amount: "56.0000",
    }),
    order(8, 11, "Awaiting Fulfillment", {
      products: [
        product(9, {
          ...towel,
          applied_discounts: [{ id: "coupon", amount: "5.6000", name: "S35B10", code: "SPRING", target: "order" }],
        }),
      ],
      coupon: ["SPRING", 5.6],
      discounted: 2,
    }),
    order(9, 10, "Completed", {
      products: [product(10, { sku: "EBOOK", name: "Guide (PDF)", price: 9, type: "digital" })],
      shipTo: null,
      shipping: 0,
      order_is_digital: true,
    }),
    order(10, 12, "Manual Verification Required", {
      products: [product(11, towel)],
      payment_status: "held for review",
    }),
    order(11, 11, "Awaiting Fulfillment", {
      products: [product(12, { ...towel, sku: "" })],
      customer_id: 0,
      billing_address: { ...billTo, company: "Doe Ltd", street_2: "Floor 2" },
      currency_code: "EUR",
      currency_exchange_rate: "0.9000000000",
      shipTo: {
        first_name: "Jörg",
        last_name: "Müller",
        company: "Müller GmbH",
        street_1: "Hauptstraße 5",
        street_2: "Hinterhof",
        city: "Berlin",
        state: "",
        zip: "10115",
        country: "Germany",
        country_iso2: "DE",
        phone: "",
      },
    }),
    order(12, 0, "Incomplete", { products: [product(13, towel)], payment_status: "" }),
    order(13, 77, "Awaiting Craftsman", { products: [product(14, towel)] }),
  ];
}
