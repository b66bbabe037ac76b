import { expect } from "vitest";

type Members = Record<string, unknown>;
/** An order as the API has to answer it, without what the hub makes itself. Fields that it does not name have their default. */
export type ExpectedOrder = Members & { lines: Members[] };

/** No order of a vendor says what these are: IDs of the hub's own records, its own clock, and its own user. All else is compared. */
const madeByHub = {
  order: ["id", "bridgeId", "createdAt", "updatedAt"],
  hold: ["id", "by", "placedAt"],
  note: ["id", "by", "at"],
};

/** What a field is if the vendor has nothing for it. */
const defaults = {
  order: {
    onHold: false,
    holds: [],
    priority: "normal",
    tags: [],
    shippingAddress: null,
    billingAddress: null,
    addressStatus: "unverified",
    riskLevel: null,
    poNumber: null,
    giftMessage: null,
    requestedDeliveryDate: null,
    packages: [],
    shipments: [],
    notes: [],
    customFields: {},
    locationId: null,
    assigneeId: null,
    parentOrderId: null,
    mergedIntoId: null,
    childCount: 0,
    shipBy: null,
    deliverBy: null,
    dispatchOn: null,
    archived: false,
    archivedAt: null,
    version: 1,
  },
  hold: { handle: "source_hold", source: "bridge", until: null },
  line: { shippedQuantity: 0 },
};

/** When the order of this day was placed: the stand-ins have one order per day. */
export function placedOn(day: number): string {
  return `2026-03-${String(day).padStart(2, "0")}T09:00:00.000Z`;
}

/** Orders by their ID at the vendor: every field of each is compared. */
export function compareOrders(found: Map<string, Members>, expected: Record<string, ExpectedOrder>): void {
  const answered = [...found].map(([externalId, order]) => [externalId, withoutHubMade(order)]);
  const wanted = Object.entries(expected).map(([externalId, order]) => [externalId, withDefaults(externalId, order)]);
  expect(Object.fromEntries(answered)).toEqual(Object.fromEntries(wanted));
}

function withoutHubMade(order: Members): Members {
  return {
    ...without(order, madeByHub.order),
    holds: (order.holds as Members[]).map((hold) => without(hold, madeByHub.hold)),
    notes: (order.notes as Members[]).map((note) => without(note, madeByHub.note)),
  };
}

function withDefaults(externalId: string, order: ExpectedOrder): Members {
  const holds = (order.holds ?? []) as Members[];
  return {
    ...defaults.order,
    externalId,
    ...order,
    holds: holds.map((hold) => ({ ...defaults.hold, ...hold })),
    lines: order.lines.map((line) => ({ ...defaults.line, ...line })),
  };
}

/** Fails for an object that lacks one of them. */
function without(object: Members, names: string[]): Members {
  expect(Object.keys(object)).toEqual(expect.arrayContaining(names));
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
