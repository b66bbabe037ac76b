import type { Cells, FileOfProgram } from "./file-of-program.ts";

const wooHeader =
  "Order Number,Order Status,Order Date,Customer Note,First Name (Billing),Last Name (Billing),Company (Billing),Address 1&2 (Billing),City (Billing),State Code (Billing),Postcode (Billing),Country Code (Billing),Email (Billing),Phone (Billing),First Name (Shipping),Last Name (Shipping),Address 1&2 (Shipping),City (Shipping),State Code (Shipping),Postcode (Shipping),Country Code (Shipping),Payment Method Title,Cart Discount Amount,Order Subtotal Amount,Shipping Method Title,Order Shipping Amount,Order Refund Amount,Order Total Amount,Order Total Tax Amount,SKU,Item #,Item Name,Quantity (- Refund),Quantity,Item Cost,Coupon Code,Discount Amount,Discount Amount Tax,Order Currency,Product Variation,Customer User ID,Transaction ID".split(
    ",",
  );

const wooAddress = (side: string): Cells => ({
  [`First Name (${side})`]: "Eva",
  [`Last Name (${side})`]: "Kern",
  [`Address 1&2 (${side})`]: "Ring 4",
  [`City (${side})`]: "Dresden",
  [`Postcode (${side})`]: "1067",
  [`Country Code (${side})`]: "DE",
});

const wooRow = (number: string, cells: Cells = {}): Cells => ({
  "Order Number": number,
  "Order Status": "Processing",
  "Order Date": "2026-03-02 14:05",
  ...wooAddress("Billing"),
  ...wooAddress("Shipping"),
  "Company (Billing)": "Kern GmbH",
  "Email (Billing)": "eva@example.com",
  "Phone (Billing)": "+49 351 555 01",
  "Payment Method Title": "PayPal",
  "Cart Discount Amount": "0",
  "Order Subtotal Amount": "40.00",
  "Shipping Method Title": "DHL",
  "Order Shipping Amount": "5.00",
  "Order Refund Amount": "0",
  "Order Total Amount": "45.00",
  "Order Total Tax Amount": "0",
  SKU: "POT-1",
  "Item #": "1",
  "Item Name": "Pot",
  "Quantity (- Refund)": "2",
  Quantity: "2",
  "Item Cost": "20.00",
  "Order Currency": "EUR",
  "Customer User ID": "17",
  "Transaction ID": "8XK12",
  ...cells,
});

const eva = { name: "Eva Kern", address1: "Ring 4", city: "Dresden", zip: "01067", countryCode: "DE" };
const pot = { sku: "POT-1", name: "Pot", quantity: 2, price: 20 };
const wooOrder = (number: string, more: object = {}) => ({
  number,
  status: "new",
  paymentStatus: "paid",
  orderedAt: "2026-03-02T14:05:00.000Z",
  currency: "EUR",
  total: 45,
  amounts: { subtotal: 40, shipping: 5, tax: 0, discount: 0, refunded: 0 },
  payment: { method: "PayPal", reference: "8XK12" },
  customer: { id: "17", name: "Eva Kern", email: "eva@example.com", phone: "+49 351 555 01" },
  shipping: { service: "DHL" },
  shippingAddress: eva,
  billingAddress: { ...eva, company: "Kern GmbH" },
  lines: [pot],
  ...more,
});

/** Ten orders of WooCommerce, as Advanced Order Export writes them. */
export const woocommerceFile: FileOfProgram = {
  preset: "woocommerce",
  header: wooHeader,
  delimiter: ",",
  orders: [
    { rows: [wooRow("W1")], order: wooOrder("W1") },
    {
      rows: [
        wooRow("W2", { "Order Subtotal Amount": "55.00", "Order Total Amount": "60.00" }),
        wooRow("W2", {
          "Order Subtotal Amount": "55.00",
          "Order Total Amount": "60.00",
          SKU: "",
          "Item #": "2",
          "Item Name": "Tee &ndash; Classic",
          Quantity: "1",
          "Quantity (- Refund)": "1",
          "Item Cost": "15.00",
          "Product Variation": "Color: Blue | Size: L",
        }),
      ],
      order: wooOrder("W2", {
        total: 60,
        amounts: { subtotal: 55, shipping: 5, tax: 0, discount: 0, refunded: 0 },
        lines: [
          pot,
          {
            sku: "Tee – Classic / Blue / L",
            name: "Tee – Classic",
            quantity: 1,
            price: 15,
            options: [
              { name: "Color", value: "Blue" },
              { name: "Size", value: "L" },
            ],
          },
        ],
      }),
    },
    {
      rows: [wooRow("W3", { "Coupon Code": "spring", "Cart Discount Amount": "4.00", "Order Total Amount": "41.00" })],
      order: wooOrder("W3", {
        total: 41,
        amounts: {
          subtotal: 40,
          shipping: 5,
          tax: 0,
          discount: 4,
          discounts: [{ code: "spring", amount: 4 }],
          refunded: 0,
        },
      }),
    },
    {
      rows: [wooRow("W4", { "Order Total Tax Amount": "8.55", "Order Total Amount": "53.55" })],
      order: wooOrder("W4", {
        total: 53.55,
        amounts: { subtotal: 40, shipping: 5, tax: 8.55, discount: 0, refunded: 0 },
      }),
    },
    {
      // One of two units was refunded before shipping.
      rows: [wooRow("W5", { "Order Refund Amount": "20.00", "Quantity (- Refund)": "1" })],
      order: wooOrder("W5", {
        paymentStatus: "partially_refunded",
        amounts: { subtotal: 40, shipping: 5, tax: 0, discount: 0, refunded: 20 },
        lines: [{ ...pot, quantity: 1, refundedQuantity: 1 }],
      }),
    },
    {
      rows: [wooRow("W6", { "Order Status": "Processing", "Payment Method Title": "Cash on delivery" })],
      order: wooOrder("W6", {
        paymentStatus: "pending",
        payment: { method: "Cash on delivery", reference: "8XK12" },
      }),
    },
    {
      rows: [wooRow("W7", { "Order Status": "Completed", "Customer Note": "Leave it, please" })],
      order: wooOrder("W7", {
        status: "shipped",
        notes: [{ text: "Leave it, please" }],
        lines: [{ ...pot, shippedQuantity: 2 }],
      }),
    },
    {
      rows: [wooRow("W8", { "Order Status": "Partially Shipped" })],
      order: { ...wooOrder("W8", { status: "review_required" }), paymentStatus: undefined },
    },
    {
      rows: [wooRow("W9", { "Order Status": "On hold", "Customer User ID": "0" })],
      order: wooOrder("W9", {
        status: "awaiting_payment",
        paymentStatus: "pending",
        customer: { name: "Eva Kern", email: "eva@example.com", phone: "+49 351 555 01" },
      }),
    },
    {
      rows: [
        wooRow("W10", { "Order Total Amount": "35.00" }),
        wooRow("W10", {
          "Order Total Amount": "35.00",
          SKU: "DISC",
          "Item Name": "Loyalty",
          Quantity: "1",
          "Quantity (- Refund)": "1",
          "Item Cost": "-10.00",
        }),
      ],
      order: wooOrder("W10", {
        total: 35,
        amounts: {
          subtotal: 40,
          shipping: 5,
          tax: 0,
          discount: 10,
          discounts: [{ title: "Loyalty", amount: 10 }],
          refunded: 0,
        },
      }),
    },
  ],
};
