import type { PullTask } from "./connector.ts";

/**
 * Top-level fields of the records that the hub stores, by record type. Mappings are checked against them. They repeat the schemas of the
 * features that store the records, which this folder must not import; a test keeps the two in step.
 */
export const recordFields: Record<PullTask["recordType"], readonly string[] | undefined> = {
  orders: [
    "number",
    "status",
    "paymentStatus",
    "priority",
    "currency",
    "orderedAt",
    "archived",
    "tags",
    "channel",
    "bridgeId",
    "externalId",
    "customer",
    "shippingAddress",
    "billingAddress",
    "lines",
    "total",
    "shipping",
    "packages",
    "notes",
    "customFields",
    "locationId",
    "assigneeId",
    "shipBy",
    "deliverBy",
    "dispatchOn",
    "hold",
    "deleted",
  ],
  locations: ["name", "type", "address", "is_active"],
  tracking: ["trackingNumber", "carrier", "status", "statusAt", "deliveredAt", "estimatedDeliveryAt", "events"],
  // Inventory is not stored, so its records may have any field.
  inventory: undefined,
};
