import type { PullTask } from "./connector.ts";

export type RecordField = {
  /** `lines[].sku` is that of each line. */
  path: string;
  /** Within its parent object or list element, if that is given. */
  isRequired: boolean;
  /** Accepts members of any name. */
  isOpen: boolean;
};

type RecordType = PullTask["recordType"];

const address =
  "name company address1 address2 city province provinceCode zip country countryCode phone email residential";

/** `*`: required. `{}`: accepts members of any name. */
const texts: Record<RecordType, string[]> = {
  orders: [
    "number status paymentStatus priority currency orderedAt archived tags channel bridgeId externalId",
    within("customer", "id name email phone"),
    within("shippingAddress", address),
    within("billingAddress", address),
    within(
      "lines[]",
      "id sku* name quantity* price weight weight.value* weight.unit* discount tax refundedQuantity productId variantId " +
        "options options[].name* options[].value* properties properties[].name* properties[].value* imageUrl " +
        "requiresShipping parentLineId hsCode originCountry shippedQuantity",
    ),
    "total",
    within(
      "amounts",
      "subtotal discount discounts discounts[].code discounts[].title discounts[].amount shipping tax taxIncluded fees " +
        "refunded paid presentmentCurrency presentmentTotal",
    ),
    within("payment", "method reference"),
    "riskLevel poNumber giftMessage requestedDeliveryDate",
    within(
      "shipping",
      "carrierAccountId carrier service packageType thirdPartyBilling thirdPartyBilling.account* " +
        "thirdPartyBilling.zip thirdPartyBilling.country",
    ),
    within(
      "packages[]",
      "weight weight.value* weight.unit* dimensions dimensions.length* dimensions.width* dimensions.height* " +
        "dimensions.unit* count",
    ),
    within("notes[]", "id text* visibility"),
    "customFields{} locationId assigneeId shipBy deliverBy dispatchOn",
    within("hold", "reason note"),
    "deleted locationExternalId",
  ],
  locations: ["name* type", within("address", address), "is_active"],
  tracking: [
    "trackingNumber* carrier status statusAt deliveredAt estimatedDeliveryAt",
    within("events[]", "at* status* description location"),
  ],
  inventory: ["sku* available* committed locationId locationExternalId"],
};

/** The parent itself and its members. */
function within(parent: string, members: string): string {
  const own = parent.replace("[]", "");
  return [own, ...members.split(" ").map((member) => `${parent}.${member}`)].join(" ");
}

/**
 * Fields of the records that the hub stores, by record type. Mappings are checked against them. They repeat the schemas of the
 * features that store the records, which this folder must not import; a test keeps the two in step.
 */
export const recordFields: Record<RecordType, readonly RecordField[]> = {
  orders: fieldsIn(texts.orders),
  locations: fieldsIn(texts.locations),
  tracking: fieldsIn(texts.tracking),
  inventory: fieldsIn(texts.inventory),
};

function fieldsIn(lines: readonly string[]): RecordField[] {
  return lines
    .flatMap((line) => line.split(" "))
    .map((text) => ({
      path: text.replace(/(\*|\{\})$/, ""),
      isRequired: text.endsWith("*"),
      isOpen: text.endsWith("{}"),
    }));
}
