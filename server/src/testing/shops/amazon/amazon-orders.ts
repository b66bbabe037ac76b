/** Orders as the Selling Partner API answers them (Orders API 2026-01-01): amounts as texts, fields without a value missing. */

const usd = (amount: number) => ({ amount: amount.toFixed(2), currencyCode: "USD" });
const breakdown = (type: string, amount: number) => ({ type, subtotal: usd(amount) });

type Item = Record<string, unknown> & { orderItemId: string; quantityOrdered: number };
type ItemParts = {
  sku: string;
  title: string;
  price: number;
  quantity?: number;
  fulfilled?: number;
  tax?: number;
  discount?: number;
  gift?: string;
  customized?: string;
  more?: object;
};

function item(
  id: number,
  { sku, title, price, quantity = 1, fulfilled = 0, tax = 0, discount = 0, gift, customized, more }: ItemParts,
): Item {
  return {
    orderItemId: `1234567890${id}`,
    quantityOrdered: quantity,
    programs: [],
    product: {
      asin: `B08N5WRW${id}`,
      title,
      sellerSku: sku,
      condition: { conditionType: "NEW", conditionSubtype: "NEW" },
      price: { unitPrice: usd(price) },
      ...(customized ? { customization: { customizedUrl: customized } } : {}),
    },
    proceeds: {
      proceedsTotal: usd(price * quantity + tax - discount),
      breakdowns: [
        breakdown("ITEM", price * quantity),
        ...(tax > 0 ? [breakdown("TAX", tax)] : []),
        ...(discount > 0 ? [breakdown("DISCOUNT", -discount)] : []),
      ],
    },
    fulfillment: {
      quantityFulfilled: fulfilled,
      quantityUnfulfilled: quantity - fulfilled,
      ...(gift ? { packing: { giftOption: { giftMessage: gift, giftWrapLevel: "PREMIUM" } } } : {}),
    },
    ...more,
  };
}

type AmazonPackage = {
  packageReferenceId: string;
  trackingNumber: string;
  carrier: string;
  packageItems: object[];
};

export type AmazonOrder = Record<string, unknown> & {
  orderId: string;
  lastUpdatedTime: string;
  fulfillment: Record<string, unknown> & { fulfillmentStatus: string };
  orderItems: Item[];
  packages: AmazonPackage[];
};

type Parts = { items: Item[]; breakdowns?: object[]; total: number; address?: object | null } & Record<string, unknown>;

const home = {
  name: "John Smith",
  companyName: "",
  addressLine1: "123 Main Street",
  addressLine2: "Suite 456",
  addressLine3: "",
  city: "Seattle",
  districtOrCounty: "King County",
  stateOrRegion: "WA",
  postalCode: "98101",
  countryCode: "US",
  phone: "555-123-4567",
  addressType: "RESIDENTIAL",
};

function order(
  id: number,
  status: string,
  { items, breakdowns = [], total, address = home, ...more }: Parts,
): AmazonOrder {
  const day = String(id).padStart(2, "0");
  return {
    orderId: `123-45678${day}-1234567`,
    orderAliases: [{ aliasId: `SELLER-${id}`, aliasType: "SELLER_ORDER_ID" }],
    createdTime: `2026-03-${day}T09:00:00Z`,
    lastUpdatedTime: `2026-03-${day}T10:00:00Z`,
    programs: [],
    salesChannel: { channelName: "AMAZON", marketplaceId: "ATVPDKIKX0DER", marketplaceName: "Amazon.com" },
    buyer: { buyerName: "John Smith", buyerEmail: `buyer${id}@marketplace.amazon.com` },
    ...(address === null ? {} : { recipient: { deliveryAddress: address } }),
    proceeds: { grandTotal: usd(total), breakdowns },
    payment: { paymentExecutions: [{ paymentMethod: "CreditCard", paymentAmount: usd(total) }] },
    fulfillment: {
      fulfillmentStatus: status,
      fulfilledBy: "MERCHANT",
      fulfillmentServiceLevel: "STANDARD",
      shipByWindow: { earliestDateTime: `2026-03-${day}T00:00:00Z`, latestDateTime: "2026-03-28T23:59:59Z" },
      deliverByWindow: { earliestDateTime: "2026-03-29T00:00:00Z", latestDateTime: "2026-03-31T23:59:59Z" },
    },
    orderItems: items,
    packages: [],
    ...more,
  };
}

const mug = { sku: "MUG-01", title: "Enamel mug", price: 10 };
const one = { breakdowns: [breakdown("ITEM", 10)], total: 10 };

export function amazonOrders(): AmazonOrder[] {
  return [
    order(1, "UNSHIPPED", {
      items: [
        item(1, {
          sku: "ECHO-4",
          title: "Smart speaker | Charcoal",
          price: 49.99,
          quantity: 2,
          tax: 8.2,
          discount: 10,
          gift: "Happy Holidays!",
        }),
        item(2, { ...mug, customized: "https://amazon.com/custom/view/12345" }),
      ],
      breakdowns: [
        breakdown("ITEM", 109.98),
        breakdown("SHIPPING", 5.99),
        breakdown("GIFT_WRAP", 3.5),
        breakdown("TAX", 8.2),
        breakdown("DISCOUNT", -10),
      ],
      total: 117.67,
      programs: ["PRIME", "AMAZON_BUSINESS"],
      buyer: {
        buyerName: "John Smith",
        buyerEmail: "buyer1@marketplace.amazon.com",
        buyerCompanyName: "Smith Industries LLC",
        buyerPurchaseOrderNumber: "PO-2026-1",
      },
    }),
    // A pending order has neither an address nor amounts.
    order(2, "PENDING", { items: [item(3, mug)], total: 0, address: null, proceeds: undefined, payment: undefined }),
    order(3, "PARTIALLY_SHIPPED", {
      items: [item(4, { ...mug, quantity: 2, fulfilled: 1 })],
      breakdowns: [breakdown("ITEM", 20)],
      total: 20,
    }),
    order(4, "SHIPPED", { items: [item(5, { ...mug, fulfilled: 1 })], ...one }),
    order(5, "CANCELLED", {
      items: [
        item(6, {
          ...mug,
          quantity: 0,
          more: {
            cancellation: { cancellationExecution: { cancelledBy: "MERCHANT", cancelReason: "Buyer requested" } },
          },
        }),
      ],
      total: 0,
    }),
    order(6, "UNSHIPPED", {
      items: [
        item(7, {
          ...mug,
          more: { cancellation: { cancellationRequest: { requester: "BUYER", cancelReason: "Changed mind" } } },
        }),
      ],
      ...one,
    }),
    order(7, "UNFULFILLABLE", { items: [item(8, mug)], ...one }),
    order(8, "PENDING_AVAILABILITY", { items: [item(9, mug)], total: 0, address: null }),
    order(9, "UNSHIPPED", {
      items: [item(10, mug)],
      ...one,
      address: {
        ...home,
        name: "Jörg Müller",
        companyName: "Müller GmbH",
        addressLine1: "Hauptstraße 5",
        addressLine2: "Hinterhof",
        addressLine3: "3. Stock",
        city: "Berlin",
        stateOrRegion: "",
        postalCode: "10115",
        countryCode: "DE",
        phone: "",
        addressType: "COMMERCIAL",
      },
      proceeds: {
        grandTotal: { amount: "10.00", currencyCode: "EUR" },
        breakdowns: [{ type: "ITEM", subtotal: { amount: "10.00", currencyCode: "EUR" } }],
      },
      salesChannel: { channelName: "AMAZON", marketplaceId: "A1PA6795UKMFR9", marketplaceName: "Amazon.de" },
    }),
    order(10, "UNSHIPPED", {
      items: [item(11, { ...mug, quantity: 3 })],
      breakdowns: [breakdown("ITEM", 30)],
      total: 30,
    }),
    order(11, "SOMETHING_NEW", { items: [item(12, mug)], ...one }),
  ];
}
