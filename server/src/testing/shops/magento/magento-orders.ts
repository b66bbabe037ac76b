/** Orders as Magento 2 answers them: numbers as numbers, times in UTC without a zone, fields without a value missing or null. */

type Item = Record<string, unknown> & { item_id: number; qty_ordered: number; qty_shipped: number; row_total: number };

type ItemParts = {
  sku: string;
  name: string;
  price: number;
  qty?: number;
  type?: string;
  tax?: number;
  discount?: number;
  shipped?: number;
  canceled?: number;
  refunded?: number;
  parent?: Item;
  product?: number;
  option?: unknown;
};

function item(id: number, parts: ItemParts): Item {
  const {
    sku,
    name,
    price,
    qty = 1,
    type = "simple",
    tax = 0,
    discount = 0,
    shipped = 0,
    canceled = 0,
    refunded = 0,
  } = parts;
  return {
    item_id: id,
    order_id: 1,
    sku,
    name,
    product_id: parts.product ?? 1000 + id,
    product_type: type,
    is_virtual: type === "virtual" || type === "downloadable" ? 1 : 0,
    price,
    base_price: price,
    original_price: price,
    price_incl_tax: price + tax / qty,
    qty_ordered: qty,
    qty_shipped: shipped,
    qty_canceled: canceled,
    qty_refunded: refunded,
    qty_invoiced: 0,
    row_total: price * qty,
    base_row_total: price * qty,
    discount_amount: discount,
    base_discount_amount: discount,
    tax_amount: tax,
    base_tax_amount: tax,
    weight: 0.5,
    ...(parts.parent ? { parent_item_id: parts.parent.item_id, parent_item: parts.parent } : {}),
    ...(parts.option === undefined ? {} : { product_option: { extension_attributes: parts.option } }),
  };
}

const shipTo = {
  address_type: "shipping",
  city: "Calder",
  company: null,
  country_id: "US",
  email: "roni@example.com",
  entity_id: 1,
  firstname: "Veronica",
  lastname: "Costello",
  postcode: "49628-7978",
  region: "Michigan",
  region_code: "MI",
  region_id: 33,
  street: ["6146 Honey Bluff Parkway"],
  telephone: "(555) 229-3326",
};

export type MagentoOrder = Record<string, unknown> & {
  entity_id: number;
  increment_id: string;
  state: string;
  status: string;
  updated_at: string;
  items: Item[];
};

type Parts = Record<string, unknown> & {
  items: Item[];
  shipping?: number;
  shipTo?: object | null;
  gift?: object;
  rate?: number;
};

function order(id: number, state: string, parts: Parts): MagentoOrder {
  const { items, shipping = 5, shipTo: address = shipTo, gift, rate = 1, ...more } = parts;
  const total = (name: string): number => round(items.reduce((sum, one) => sum + Number(one[name]), 0));
  const subtotal = round(
    items.filter((one) => one.parent_item_id === undefined).reduce((sum, one) => sum + one.row_total, 0),
  );
  const discount = total("discount_amount");
  const tax = total("tax_amount");
  const grandTotal = round(subtotal - discount + tax + shipping);
  const isPaid = ["processing", "complete", "closed"].includes(state);
  const day = String(id).padStart(2, "0");
  const amounts = {
    subtotal,
    discount_amount: -discount,
    shipping_amount: shipping,
    tax_amount: tax,
    grand_total: grandTotal,
    total_due: isPaid ? 0 : grandTotal,
    total_paid: isPaid ? grandTotal : null,
    total_refunded: null,
  };
  const based = Object.entries({ ...amounts, ...pick(more, Object.keys(amounts)) });
  return {
    ...Object.fromEntries(based.map(([name, value]) => [name, value === null ? null : round(value * rate)])),
    ...Object.fromEntries(based.map(([name, value]) => [`base_${name}`, value])),
    entity_id: id,
    increment_id: String(id).padStart(9, "0"),
    state,
    status: state,
    created_at: `2026-03-${day} 09:00:00`,
    updated_at: `2026-03-${day} 10:00:00`,
    base_currency_code: "USD",
    order_currency_code: "USD",
    global_currency_code: "USD",
    base_to_order_rate: rate,
    customer_email: "roni@example.com",
    customer_firstname: "Veronica",
    customer_lastname: "Costello",
    customer_id: 1,
    customer_is_guest: 0,
    customer_note: null,
    coupon_code: null,
    discount_description: null,
    is_virtual: 0,
    shipping_description: "Flat Rate - Fixed",
    items,
    billing_address: { ...shipTo, address_type: "billing", company: "Costello Ltd" },
    payment: {
      method: "checkmo",
      additional_information: ["Check / Money order"],
      last_trans_id: null,
      po_number: null,
    },
    status_histories: [],
    extension_attributes: {
      shipping_assignments: address === null ? [] : [{ shipping: { address, method: "flatrate_flatrate" } }],
      ...(gift ? { gift_message: gift } : {}),
    },
    ...more,
  };
}

const round = (amount: number): number => Math.round(amount * 100) / 100;
const pick = (from: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)));

const bag = { sku: "24-MB01", name: "Joust Duffle Bag", price: 34 };

export function magentoOrders(): MagentoOrder[] {
  const hoodie = item(2, {
    sku: "MH01-L-Blue",
    name: "Chaz Kangeroo Hoodie",
    price: 52,
    type: "configurable",
    tax: 4.29,
    product: 67,
    option: {
      configurable_item_options: [{ option_id: "93", option_value: 50 }],
      custom_options: [{ option_id: "5", option_value: "For Ann" }],
    },
  });
  const bundle = item(12, { sku: "24-WG080-24-WG081", name: "Sprite Yoga Companion Kit", price: 61, type: "bundle" });
  return [
    order(1, "processing", {
      items: [
        item(1, { ...bag, qty: 2, tax: 5.61 }),
        hoodie,
        item(3, { sku: "MH01-L-Blue", name: "Chaz Kangeroo Hoodie-L-Blue", price: 0, parent: hoodie, product: 58 }),
      ],
      payment: { method: "braintree", additional_information: ["Credit Card"], last_trans_id: "8xk2", po_number: null },
    }),
    order(2, "new", { items: [item(4, bag)], status: "pending", total_paid: 10, total_due: 29 }),
    order(3, "new", {
      items: [item(5, bag)],
      status: "pending",
      payment: {
        method: "cashondelivery",
        additional_information: ["Cash On Delivery"],
        last_trans_id: null,
        po_number: null,
      },
    }),
    order(4, "pending_payment", {
      items: [item(6, bag)],
      payment: {
        method: "checkmo",
        additional_information: ["Check / Money order"],
        amount_authorized: 39,
        last_trans_id: null,
        po_number: null,
      },
    }),
    order(5, "complete", { items: [item(7, { ...bag, shipped: 1 })] }),
    order(6, "canceled", { items: [item(8, { ...bag, qty: 2, canceled: 2 })] }),
    order(7, "closed", { items: [item(9, { ...bag, refunded: 1 })], total_refunded: 39 }),
    order(8, "processing", {
      items: [item(10, { ...bag, qty: 3, shipped: 1, refunded: 1, discount: 10.2 })],
      coupon_code: "H20",
      discount_description: "H20, Luma water bottle",
      total_refunded: 30.6,
    }),
    order(9, "holded", { items: [item(11, bag)] }),
    order(10, "payment_review", {
      items: [
        bundle,
        item(13, { sku: "24-WG081", name: "Sprite Stasis Ball", price: 0, parent: bundle }),
        item(14, { sku: "24-WG085", name: "Sprite Yoga Strap", price: 0, qty: 2, parent: bundle }),
      ],
    }),
    order(11, "processing", {
      items: [
        item(15, { ...bag, shipped: 1 }),
        item(16, { sku: "240-LV04", name: "Beginner's Yoga", price: 6, type: "downloadable" }),
      ],
      gift: { gift_message_id: 1, recipient: "Ann", sender: "Bob", message: "Happy birthday, Ann" },
      customer_note: "Please ring twice",
      payment: {
        method: "purchaseorder",
        additional_information: ["Purchase Order"],
        last_trans_id: null,
        po_number: "PO-4711",
      },
    }),
    order(12, "processing", {
      items: [item(17, bag)],
      rate: 0.5,
      billing_address: {
        ...shipTo,
        address_type: "billing",
        company: "Costello Ltd",
        street: ["6146 Honey Bluff Parkway", "Suite 2"],
      },
      order_currency_code: "EUR",
      customer_id: null,
      customer_is_guest: 1,
      customer_firstname: null,
      customer_lastname: null,
      shipTo: {
        ...shipTo,
        firstname: "Jörg",
        lastname: "Müller",
        street: ["Hauptstraße 5", "Hinterhof"],
        city: "Berlin",
        postcode: "10115",
        country_id: "DE",
        region: null,
        region_code: null,
        company: "Müller GmbH",
      },
    }),
    order(13, "fraud", { items: [item(18, bag)] }),
  ];
}
