/** Parts of recorded orders of Shopify: every field that the GraphQL Admin API documents, with plain values. */
type Json = Record<string, unknown>;

export const bag = (amount: number, foreign = amount) => ({
  shopMoney: { amount: amount.toFixed(2), currencyCode: "USD" },
  presentmentMoney: { amount: foreign.toFixed(2), currencyCode: foreign === amount ? "USD" : "CAD" },
});
export const page = (nodes: unknown[]) => ({ pageInfo: { hasNextPage: false, endCursor: null }, nodes });
export const gid = (type: string, id: number | string) => `gid://shopify/${type}/${id}`;

const home = {
  firstName: "Ann",
  lastName: "Lee",
  name: "Ann Lee",
  company: "Lee & Sons",
  address1: "12 Main Street",
  address2: "Apt 4",
  city: "Boston",
  province: "Massachusetts",
  provinceCode: "MA",
  zip: "02108",
  country: "United States",
  countryCodeV2: "US",
  phone: "+1 617 555 0101",
  latitude: 42.35,
  longitude: -71.06,
};
const homeInHub = {
  name: "Ann Lee",
  company: "Lee & Sons",
  address1: "12 Main Street",
  address2: "Apt 4",
  city: "Boston",
  province: "Massachusetts",
  provinceCode: "MA",
  zip: "02108",
  country: "United States",
  countryCode: "US",
  phone: "+1 617 555 0101",
};

type Allocation = [amount: number, index: number];

/** A line of `quantity` units at `price`. `taxes`: of the whole line. */
export function line(id: number, title: string, quantity: number, price: number, values: Json = {}): Json {
  return {
    id: gid("LineItem", id),
    sku: title.toUpperCase(),
    title,
    name: title,
    variantTitle: null,
    vendor: "Shop",
    quantity,
    currentQuantity: quantity,
    refundableQuantity: quantity,
    unfulfilledQuantity: quantity,
    nonFulfillableQuantity: 0,
    requiresShipping: true,
    isGiftCard: false,
    taxable: true,
    restockable: true,
    merchantEditable: true,
    customAttributes: [],
    originalUnitPriceSet: bag(price),
    originalTotalSet: bag(price * quantity),
    discountedUnitPriceSet: bag(price),
    discountedUnitPriceAfterAllDiscountsSet: bag(price),
    discountedTotalSet: bag(price * quantity),
    totalDiscountSet: bag(0),
    unfulfilledOriginalTotalSet: bag(price * quantity),
    unfulfilledDiscountedTotalSet: bag(price * quantity),
    discountAllocations: [],
    taxLines: [],
    duties: [],
    image: { id: gid("ImageSource", 5), altText: "", width: 100, height: 100, url: "https://cdn.example/mug.png" },
    lineItemGroup: null,
    sellingPlan: null,
    contract: null,
    staffMember: null,
    product: { id: gid("Product", 20), title, handle: "mug" },
    variant: {
      id: gid("ProductVariant", 21),
      title: "Default Title",
      barcode: null,
      selectedOptions: [{ name: "Title", value: "Default Title" }],
      inventoryItem: {
        id: gid("InventoryItem", 22),
        harmonizedSystemCode: "691200",
        countryCodeOfOrigin: "PT",
        measurement: { id: gid("InventoryItemMeasurement", 1), weight: { value: 350, unit: "GRAMS" } },
      },
    },
    ...values,
  };
}

export const lineInHub = (id: number, name: string, quantity: number, price: number, values: Json = {}): Json => ({
  id: String(id),
  sku: name.toUpperCase(),
  name,
  quantity,
  shippedQuantity: 0,
  price,
  weight: { value: 350, unit: "g" },
  productId: "20",
  variantId: "21",
  imageUrl: "https://cdn.example/mug.png",
  hsCode: "691200",
  originCountry: "PT",
  ...values,
});

export const discounted = (...given: Allocation[]) =>
  given.map(([amount, index]) => ({ allocatedAmountSet: bag(amount), discountApplication: { index } }));

export const taxed = (...amounts: number[]) =>
  amounts.map((amount) => ({
    title: "Sales tax",
    rate: 0.0625,
    ratePercentage: 6.25,
    source: "Shopify",
    channelLiable: false,
    priceSet: bag(amount),
  }));

export const fulfillmentOrder = (values: Json = {}): Json => ({
  id: gid("FulfillmentOrder", 31),
  status: "OPEN",
  requestStatus: "UNSUBMITTED",
  fulfillAt: null,
  fulfillmentHolds: [],
  assignedLocation: { name: "Main", location: { id: gid("Location", 1) } },
  deliveryMethod: { id: gid("DeliveryMethod", 1), methodType: "SHIPPING", presentedName: "Standard" },
  lineItems: page([]),
  ...values,
});

export const payment = (values: Json = {}): Json => ({
  id: gid("OrderTransaction", 41),
  kind: "SALE",
  status: "SUCCESS",
  gateway: "shopify_payments",
  paymentId: "c501.1",
  authorizationCode: "A1",
  accountNumber: "•••• •••• •••• 4242",
  amountSet: bag(10),
  test: false,
  ...values,
});

export function shopifyOrder(id: number, values: Json): Json {
  return {
    id: gid("Order", id),
    legacyResourceId: String(id),
    name: `#${id}`,
    number: id,
    email: "ann@mail.example",
    phone: null,
    createdAt: "2026-03-02T10:00:00Z",
    processedAt: "2026-03-02T10:00:00Z",
    updatedAt: `2026-03-02T10:10:${id % 100}Z`,
    closed: false,
    closedAt: null,
    cancelledAt: null,
    cancelReason: null,
    cancellation: null,
    confirmed: true,
    confirmationNumber: "XPAV284CT",
    test: false,
    edited: false,
    fullyPaid: true,
    unpaid: false,
    refundable: true,
    restockable: true,
    fulfillable: true,
    capturable: false,
    canMarkAsPaid: false,
    canNotifyCustomer: true,
    merchantEditable: true,
    hasTimelineComment: false,
    requiresShipping: true,
    displayFinancialStatus: "PAID",
    displayFulfillmentStatus: "UNFULFILLED",
    returnStatus: "NO_RETURN",
    tags: [],
    note: null,
    poNumber: null,
    customAttributes: [],
    currencyCode: "USD",
    presentmentCurrencyCode: "USD",
    taxesIncluded: false,
    taxExempt: false,
    estimatedTaxes: false,
    dutiesIncluded: false,
    totalWeight: "350",
    currentTotalWeight: "350",
    subtotalLineItemsQuantity: 1,
    currentSubtotalLineItemsQuantity: 1,
    totalPriceSet: bag(0),
    currentTotalPriceSet: bag(0),
    originalTotalPriceSet: bag(0),
    subtotalPriceSet: bag(0),
    currentSubtotalPriceSet: bag(0),
    totalShippingPriceSet: bag(0),
    currentShippingPriceSet: bag(0),
    totalTaxSet: bag(0),
    currentTotalTaxSet: bag(0),
    totalDiscountsSet: bag(0),
    currentTotalDiscountsSet: bag(0),
    currentCartDiscountAmountSet: null,
    cartDiscountAmountSet: null,
    currentTotalDutiesSet: null,
    originalTotalDutiesSet: null,
    currentTotalAdditionalFeesSet: null,
    originalTotalAdditionalFeesSet: null,
    additionalFees: [],
    totalTipReceivedSet: bag(0),
    totalRefundedSet: bag(0),
    totalRefundedShippingSet: bag(0),
    refundDiscrepancySet: bag(0),
    totalReceivedSet: bag(0),
    netPaymentSet: bag(0),
    totalCapturableSet: bag(0),
    totalOutstandingSet: bag(0),
    totalCashRoundingAdjustment: null,
    taxLines: [],
    currentTaxLines: [],
    discountCode: null,
    discountCodes: [],
    discountApplications: page([]),
    transactions: [payment()],
    transactionsCount: { count: 1 },
    paymentGatewayNames: ["shopify_payments"],
    paymentTerms: null,
    paymentCollectionDetails: { additionalPaymentCollectionUrl: null },
    risk: { recommendation: "NONE", assessments: [{ riskLevel: "NONE", provider: null, facts: [] }] },
    shippingAddress: home,
    billingAddress: home,
    billingAddressMatchesShippingAddress: true,
    displayAddress: null,
    shippingLine: {
      id: gid("ShippingLine", 51),
      title: "Standard",
      code: "std",
      source: "shopify",
      carrierIdentifier: null,
    },
    shippingLines: page([]),
    customer: { id: gid("Customer", 61), displayName: "Ann Lee", numberOfOrders: "3", note: null, tags: [] },
    customerAcceptsMarketing: false,
    customerLocale: "en-US",
    customerJourneySummary: null,
    clientIp: "203.0.113.7",
    purchasingEntity: null,
    app: { id: gid("App", 1), name: "Online Store" },
    channelInformation: null,
    publication: null,
    retailLocation: null,
    sourceName: "web",
    sourceIdentifier: null,
    registeredSourceUrl: null,
    staffMember: null,
    statusPageUrl: `https://shop.example/orders/${id}`,
    merchantOfRecordApp: null,
    merchantBusinessEntity: { id: gid("BusinessEntity", 1) },
    merchantEditableErrors: [],
    metafields: page([]),
    localizedFields: page([]),
    alerts: [],
    disputes: [],
    refunds: [],
    returns: page([]),
    agreements: page([]),
    fulfillments: [],
    fulfillmentsCount: { count: 0 },
    nonFulfillableLineItems: page([]),
    shopifyProtect: null,
    suggestedRefund: null,
    fulfillmentOrders: page([fulfillmentOrder()]),
    lineItems: page([]),
    ...values,
  };
}

/** The amounts of an order that was neither edited nor refunded. */
export function priced(parts: {
  goods: number;
  shipping?: number;
  tax?: number;
  extra?: number;
  foreign?: number;
}): Json {
  const { goods, shipping = 0, tax = 0, extra = 0, foreign } = parts;
  const total = goods + shipping + tax + extra;
  return {
    subtotalPriceSet: bag(goods),
    currentSubtotalPriceSet: bag(goods),
    totalShippingPriceSet: bag(shipping),
    currentShippingPriceSet: bag(shipping),
    totalTaxSet: bag(tax),
    currentTotalTaxSet: bag(tax),
    totalPriceSet: bag(total, foreign),
    currentTotalPriceSet: bag(total, foreign),
    totalReceivedSet: bag(total),
  };
}

export const inHub = (id: number, values: Json): Json => ({
  number: `#${id}`,
  externalId: String(id),
  channel: "shopify",
  status: "new",
  paymentStatus: "paid",
  currency: "USD",
  orderedAt: "2026-03-02T10:00:00.000Z",
  customer: { id: "61", name: "Ann Lee", email: "ann@mail.example", phone: "+1 617 555 0101" },
  shippingAddress: homeInHub,
  billingAddress: homeInHub,
  shipping: { service: "Standard" },
  payment: { method: "shopify_payments", reference: "c501.1" },
  tags: [],
  customFields: {},
  poNumber: null,
  giftMessage: null,
  requestedDeliveryDate: null,
  riskLevel: null,
  notes: [],
  ...values,
});

export const amounts = (subtotal: number, shipping: number, tax: number, paid: number, values: Json = {}): Json => ({
  subtotal,
  shipping,
  tax,
  paid,
  taxIncluded: false,
  ...values,
});

export const codeOf = (index: number, code: string, targetType = "LINE_ITEM"): Json => ({
  index,
  code,
  targetType,
  targetSelection: "ALL",
  allocationMethod: "ACROSS",
  value: { percentage: 10 },
});

export const wrongAddress = {
  id: 81,
  handle: "other-app",
  reason: "INCORRECT_ADDRESS",
  reasonNotes: "No house number",
};

export const automaticDiscount = {
  index: 1,
  title: "Loyal customers",
  targetType: "LINE_ITEM",
  targetSelection: "ALL",
  allocationMethod: "EACH",
  value: { percentage: 10 },
};
