/** Receipts as Etsy's Open API v3 answers them: amounts with a divisor, times in seconds, null where a field is not set. */

const usd = (amount: number) => ({ amount: Math.round(amount * 100), divisor: 100, currency_code: "USD" });

type Transaction = Record<string, unknown> & { transaction_id: number; quantity: number; price: { amount: number } };
type TransactionParts = Record<string, unknown> & {
  title: string;
  price: number;
  quantity?: number;
  shippedAt?: number;
};

function transaction(id: number, { title, price, quantity = 1, shippedAt, ...more }: TransactionParts): Transaction {
  return {
    transaction_id: 3_000_000 + id,
    title,
    description: null,
    seller_user_id: 1,
    buyer_user_id: 2,
    create_timestamp: 1_772_355_600,
    paid_timestamp: 1_772_355_600,
    shipped_timestamp: shippedAt ?? null,
    quantity,
    listing_image_id: 777,
    is_digital: false,
    file_data: "",
    listing_id: 900 + id,
    product_id: 5000 + id,
    sku: `SKU-${id}`,
    price: usd(price),
    shipping_cost: usd(0),
    variations: [],
    product_data: [],
    shipping_profile_id: 1,
    min_processing_days: 1,
    max_processing_days: 3,
    shipping_method: null,
    shipping_upgrade: null,
    expected_ship_date: 1_772_614_800,
    buyer_coupon: 0,
    shop_coupon: 0,
    ...more,
  };
}

export type EtsyReceipt = Record<string, unknown> & {
  receipt_id: number;
  status: string;
  is_shipped: boolean;
  updated_timestamp: number;
  transactions: Transaction[];
  shipments: {
    receipt_shipping_id: number;
    carrier_name: string;
    tracking_code: string;
    shipment_notification_timestamp: number;
  }[];
};

type Parts = Record<string, unknown> & {
  transactions: Transaction[];
  shipping?: number;
  tax?: number;
  discount?: number;
  wrap?: number;
  refund?: number;
};

const dayOf = (day: number): number => Date.parse(`2026-03-${String(day).padStart(2, "0")}T09:00:00Z`) / 1000;

function receipt(id: number, status: string, parts: Parts): EtsyReceipt {
  const { transactions, shipping = 5, tax = 0, discount = 0, wrap = 0, refund, ...more } = parts;
  const price = transactions.reduce((sum, one) => sum + (one.price.amount / 100) * one.quantity, 0);
  const isPaid = !["open", "payment processing"].includes(status);
  return {
    receipt_id: 2_000_000 + id,
    receipt_type: 0,
    seller_user_id: 1,
    seller_email: "seller@example.com",
    buyer_user_id: 40 + id,
    buyer_email: "ann@example.com",
    name: "Ann Lee",
    first_line: "12 Main Street",
    second_line: null,
    city: "Albany",
    state: "NY",
    zip: "12207",
    country_iso: "US",
    formatted_address: "Ann Lee\n12 Main Street\nALBANY, NY 12207",
    status,
    payment_method: "cc",
    payment_email: null,
    message_from_seller: null,
    message_from_buyer: "",
    message_from_payment: null,
    is_paid: isPaid,
    is_shipped: status === "completed",
    create_timestamp: dayOf(id),
    created_timestamp: dayOf(id),
    update_timestamp: dayOf(id) + 3600,
    updated_timestamp: dayOf(id) + 3600,
    is_gift: false,
    gift_message: "",
    gift_sender: "",
    grandtotal: usd(price - discount + shipping + tax + wrap),
    subtotal: usd(price - discount),
    total_price: usd(price),
    total_shipping_cost: usd(shipping),
    total_tax_cost: usd(tax),
    total_vat_cost: usd(0),
    discount_amt: usd(discount),
    gift_wrap_price: usd(wrap),
    shipments: [],
    transactions,
    refunds:
      refund === undefined
        ? []
        : [
            {
              amount: usd(refund),
              created_timestamp: dayOf(id),
              reason: "Damaged",
              note_from_issuer: null,
              status: null,
            },
          ],
    ...more,
  };
}

const variation = (name: string, value: string, id: number) => ({
  property_id: id,
  value_id: null,
  formatted_name: name,
  formatted_value: value,
});
const mug = { title: "Handmade mug", price: 18.5 };

export function etsyReceipts(): EtsyReceipt[] {
  return [
    receipt(1, "Paid", {
      transactions: [
        transaction(1, {
          title: "Engraved ring",
          price: 40,
          quantity: 2,
          variations: [variation("Ring size", "7 US", 513), variation("Personalization", "To Ann", 54)],
        }),
        transaction(2, { ...mug, sku: null }),
      ],
      tax: 7.88,
      discount: 9.85,
      wrap: 3,
      is_gift: true,
      gift_message: "Happy birthday",
      gift_sender: "Bob",
      message_from_buyer: "Please pack well",
    }),
    receipt(2, "open", { transactions: [transaction(3, mug)] }),
    receipt(3, "payment processing", { transactions: [transaction(4, mug)] }),
    receipt(4, "Completed", {
      transactions: [transaction(5, { ...mug, shippedAt: dayOf(5), shipping_method: "Standard" })],
      is_shipped: true,
    }),
    receipt(5, "Canceled", { transactions: [transaction(6, mug)], refund: 23.5 }),
    receipt(6, "Partially Refunded", { transactions: [transaction(7, { ...mug, quantity: 2 })], refund: 18.5 }),
    receipt(7, "Fully Refunded", { transactions: [transaction(8, mug)], refund: 23.5 }),
    receipt(8, "Paid", {
      transactions: [transaction(9, { title: "Pattern (PDF)", price: 6, is_digital: true })],
      shipping: 0,
    }),
    receipt(9, "Paid", {
      transactions: [transaction(10, { ...mug, shipping_upgrade: "Express" })],
      name: "Jörg Müller",
      first_line: "Hauptstraße 5",
      second_line: "Hinterhof",
      city: "Berlin",
      state: null,
      zip: "10115",
      country_iso: "DE",
      buyer_email: null,
    }),
    receipt(10, "Partially Refunded", {
      transactions: [transaction(11, { ...mug, shippedAt: dayOf(11) })],
      refund: 5,
      is_shipped: true,
    }),
    receipt(11, "In dispute", { transactions: [transaction(12, mug)] }),
  ];
}
