import type { Kind } from "../../db/columns.ts";
import { cents, defineColumns, moment } from "../../db/columns.ts";
import type { Order } from "./order.ts";
import { isOnHold, nextRelease } from "./order.ts";
import type { Priority } from "./orders.states.ts";
import { priorities } from "./orders.states.ts";

/** Stored as the index in its list, for sorting. */
const priority: Kind = {
  type: "smallint",
  read: (stored) => priorities[stored as number],
  write: (value) => priorities.indexOf(value as Priority),
};

/** The mapping of order fields to table columns. */
export const orderColumns = defineColumns<Order>(
  "o",
  {
    number: "text",
    status: "text",
    paymentStatus: "text",
    priority,
    holds: "jsonb",
    tags: "text[]",
    channel: "text",
    bridgeId: "uuid",
    externalId: "text",
    customer: "jsonb",
    shippingAddress: "jsonb",
    billingAddress: "jsonb",
    addressStatus: "text",
    lines: "jsonb",
    currency: "text",
    total: cents("total_cents"),
    amounts: "jsonb",
    payment: "jsonb",
    riskLevel: "text",
    poNumber: "text",
    giftMessage: "text",
    requestedDeliveryDate: "text",
    shipping: "jsonb",
    packages: "jsonb",
    shipments: "jsonb",
    notes: "jsonb",
    customFields: "jsonb",
    locationId: "uuid",
    assigneeId: "uuid",
    parentOrderId: "uuid",
    mergedIntoId: "uuid",
    childCount: "smallint",
    orderedAt: moment,
    shipBy: moment,
    deliverBy: moment,
    dispatchOn: moment,
    archivedAt: moment,
    createdAt: moment,
    updatedAt: moment,
    version: "integer",
  },
  [
    { name: "on_hold", type: "boolean", from: ["holds"], write: isOnHold },
    { name: "hold_until", type: "timestamptz", from: ["holds"], write: nextRelease },
  ],
);
