import type { Call } from "../connector.ts";
import type { Json } from "../shape.ts";
import { objectOf } from "../shape.ts";
import { AccessDenied, query } from "./shopify-graphql.ts";

/** Parts of an order that need scopes beyond `read_orders`. An app without such a scope imports orders without that part. */
const parts = {
  customer: { scope: "read_customers", what: "IDs of customers" },
  products: { scope: "read_products", what: "product and variant IDs, options, pictures, customs data and weights" },
  deliveries: {
    scope: "read_merchant_managed_fulfillment_orders",
    what: "locations, and whether the buyer collects the order",
  },
} as const;
type Part = keyof typeof parts;

/** The fields that Shopify names when it denies access. */
const fieldsOfParts: Record<string, Part> = {
  customer: "customer",
  image: "products",
  product: "products",
  variant: "products",
  inventoryItem: "products",
  fulfillmentOrders: "deliveries",
  assignedLocation: "deliveries",
  location: "deliveries",
  deliveryMethod: "deliveries",
};

const addressFields = "name company address1 address2 city province provinceCode zip country countryCodeV2 phone";
const money = "{ shopMoney { amount } }";

function lineFieldsOf({ settings }: Call, has: ReadonlySet<Part>): string {
  const weight = settings.importWeights === true ? "measurement { weight { value unit } }" : "";
  const product = `image { url } product { id }
    variant { id selectedOptions { name value } inventoryItem { harmonizedSystemCode countryCodeOfOrigin ${weight} } }`;
  return `id sku title variantTitle quantity currentQuantity refundableQuantity unfulfilledQuantity requiresShipping
    customAttributes { key value } originalUnitPriceSet ${money}
    discountAllocations { allocatedAmountSet ${money} discountApplication { index } }
    taxLines { priceSet ${money} } lineItemGroup { title } ${has.has("products") ? product : ""}`;
}

const fulfillmentOrderFields = `pageInfo { hasNextPage endCursor }
  nodes { status assignedLocation { location { id } } deliveryMethod { methodType } }`;
const discountFields = `pageInfo { hasNextPage } nodes { index
  ... on DiscountCodeApplication { code } ... on AutomaticDiscountApplication { title }
  ... on ManualDiscountApplication { title } ... on ScriptDiscountApplication { title } }`;
const transactionFields = "kind status paymentId";

/** Payments that come with an order; a list of as many may be longer. */
export const transactionsPerOrder = 5;

function orderFieldsOf(call: Call, has: ReadonlySet<Part>): string {
  return `id name email phone createdAt updatedAt cancelledAt displayFinancialStatus displayFulfillmentStatus
    tags note poNumber currencyCode presentmentCurrencyCode taxesIncluded paymentGatewayNames
    customAttributes { key value }
    totalPriceSet { shopMoney { amount } presentmentMoney { amount } }
    currentTotalPriceSet { shopMoney { amount } presentmentMoney { amount } }
    subtotalPriceSet ${money} currentSubtotalPriceSet ${money}
    totalShippingPriceSet ${money} currentShippingPriceSet ${money}
    totalTaxSet ${money} currentTotalTaxSet ${money}
    currentTotalDutiesSet ${money} currentTotalAdditionalFeesSet ${money} totalTipReceivedSet ${money}
    totalRefundedSet ${money} totalReceivedSet ${money}
    discountApplications(first: 5) { ${discountFields} }
    transactions(first: ${transactionsPerOrder}) { ${transactionFields} }
    risk { recommendation assessments { riskLevel } }
    shippingAddress { ${addressFields} }
    billingAddress { ${addressFields} }
    shippingLine { title }
    ${has.has("customer") ? "customer { id displayName }" : ""}
    ${has.has("deliveries") ? `fulfillmentOrders(first: 3) { ${fulfillmentOrderFields} }` : ""}
    lineItems(first: ${linesPerOrder(call)}) { pageInfo { hasNextPage endCursor } nodes { ${lineFieldsOf(call, has)} } }`;
}

/**
 * Shopify rejects queries with a cost above 1,000 points. An object costs 1 point, a list as much as the elements that are requested.
 *
 *     Order: itself 1, custom attributes 1, prices 28 (11 of two objects and 2 of three), discount applications 5, transactions 5,
 *            risk 2, addresses and shipping line 3, customer 1, fulfillment orders 3 x 4               58
 *     Line:  itself 1, attributes 1, price 2, discounts 4, taxes 3, image 1, group 1, product 1, variant 5      19
 *
 * The default, 8 orders of up to 3 lines, costs 8 x (58 + 3 x 19) = 920. Further lines are read in separate requests of
 * 50 x 19 + 1 = 951. A page has at most 12 orders: 12 x (58 + 19) = 924. Longer lists of single orders are read in requests of their own.
 */
const maxCost = 1_000;
const orderCost = 58;
const lineCost = 19;
const defaultPageSize = 8;
const maxPageSize = 12;
const maxLines = 10;
const furtherLines = 50;

export function pageSizeOf({ settings }: Pick<Call, "settings">): number {
  return Math.min((settings.pageSize as number | undefined) ?? defaultPageSize, maxPageSize);
}

function linesPerOrder(call: Call): number {
  return Math.min(maxLines, Math.floor((maxCost / pageSizeOf(call) - orderCost) / lineCost));
}

export type OrderReader = {
  page(variables: { first: number; after: string | null; query: string }): Promise<Json>;
  byIds(ids: string[]): Promise<unknown>;
  /** Up to 100 discounts and payments of an order. */
  longLists(id: unknown): Promise<Json>;
  fulfillmentOrders(id: unknown, after: string): Promise<unknown>;
  /** The page of lines of an order after a cursor. */
  lines(id: unknown, after: string): Promise<unknown>;
};

/** Reads orders during one import. A part that the app may not read is left out of all further requests. */
export function createOrderReader(call: Call): OrderReader {
  const has = new Set<Part>(["customer", "deliveries"]);
  if (call.settings.importProducts !== false || call.settings.importWeights === true) has.add("products");

  async function ask(document: () => string, variables: Json): Promise<Json> {
    for (;;) {
      try {
        return await query(call, document(), variables);
      } catch (error) {
        for (const part of deniedParts(error, has)) {
          has.delete(part);
          const { scope, what } = parts[part];
          call.log("warn", `The app lacks the scope ${scope}: orders are imported without ${what}.`);
        }
      }
    }
  }

  const fields = (): string => orderFieldsOf(call, has);
  return {
    async page(variables) {
      const document = (): string => `query HubOrders($first: Int!, $after: String, $query: String) {
        orders(first: $first, after: $after, sortKey: UPDATED_AT, query: $query) {
          pageInfo { hasNextPage endCursor }
          nodes { ${fields()} }
        }
      }`;
      return objectOf((await ask(document, variables)).orders);
    },
    async byIds(ids) {
      const document = (): string => `query HubOrdersById($ids: [ID!]!) {
        nodes(ids: $ids) { ... on Order { ${fields()} } }
      }`;
      return (await ask(document, { ids })).nodes;
    },
    async longLists(id) {
      const document = (): string => `query HubOrderLongLists($id: ID!) {
        order(id: $id) {
          discountApplications(first: 100) { ${discountFields} }
          transactions(first: 100) { ${transactionFields} }
        }
      }`;
      return objectOf((await ask(document, { id })).order);
    },
    async fulfillmentOrders(id, after) {
      const document = (): string => `query HubOrderFulfillmentOrders($id: ID!, $after: String) {
        order(id: $id) { fulfillmentOrders(first: 50, after: $after) { ${fulfillmentOrderFields} } }
      }`;
      return objectOf((await ask(document, { id, after })).order).fulfillmentOrders;
    },
    async lines(id, after) {
      const document = (): string => `query HubOrderLines($id: ID!, $after: String) {
        order(id: $id) {
          lineItems(first: ${furtherLines}, after: $after) {
            pageInfo { hasNextPage endCursor } nodes { ${lineFieldsOf(call, has)} }
          }
        }
      }`;
      return objectOf((await ask(document, { id, after })).order).lineItems;
    },
  };
}

/** The parts to leave out after Shopify has denied access: those that it names, or else all. Throws if there are none. */
function deniedParts(error: unknown, has: ReadonlySet<Part>): Part[] {
  if (!(error instanceof AccessDenied) || has.size === 0) throw error;
  const named = error.fields.map((field) => fieldsOfParts[field]);
  const denied = [...has].filter((part) => named.includes(part));
  return denied.length > 0 ? denied : [...has];
}
