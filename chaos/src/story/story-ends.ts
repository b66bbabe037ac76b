/*
 * Expected end of each story, derived by hand from the documents and not from the code: changes by the shop from decision 0018,
 * sending once from 0023, exceptions from docs/exceptions.md. Imports nothing from the hub.
 */

/** Stories: what the shop and the warehouse do to an order. */
export const storyNames = [
  "plain",
  "delivered",
  "pays_late",
  "never_pays",
  "fails_then_pays",
  "cancelled_unpaid",
  "deleted_unpaid",
  "collected",
  "cancelled_after_sending",
  "cancelled_when_packed",
  "moves_before_paying",
  "moves_after_sending",
  "moves_and_is_overruled",
  "moves_and_moves_back",
  "wants_more_after_sending",
  "refunded_after_sending",
  "held",
  "held_and_released",
  "ships_partly",
  "ships_in_two_parcels",
  "cancelled_partly_shipped",
  "cancelled_after_shipping",
  "tracking_corrected",
  "refused_by_warehouse",
  "refused_then_listed",
  "number_taken",
] as const;
export type StoryName = (typeof storyNames)[number];

export type End = {
  /** Undefined: the hub has no such order. */
  status: string | undefined;
  /** "What it says about money is always taken over." */
  payment: string;
  /** Differs for WooCommerce: a cancelled order is void there. */
  wooPayment?: string;
  /** Handles of its holds. */
  holds: string[];
  /** Open exceptions: kind and code. */
  exceptions: string[];
  /** State at the warehouse. */
  warehouse: "never had it" | "has it" | "gave it back";
  parcels: "none" | "first" | "all" | "both";
  /** Ship-to address in the hub and at the warehouse. */
  address: "first" | "second";
};

const shipped: End = {
  status: "shipped",
  payment: "paid",
  holds: [],
  exceptions: [],
  warehouse: "has it",
  parcels: "all",
  address: "first",
};
const untouched: End = { ...shipped, warehouse: "never had it", parcels: "none" };
/** At the warehouse, not shipped, with a conflict to resolve. */
const disputed = (fact: string): End => ({
  ...shipped,
  status: "sent",
  holds: [`source_${fact}`],
  exceptions: [`import_conflict source_${fact}`],
  parcels: "none",
});

export const ends: Record<StoryName, End> = {
  plain: shipped,
  delivered: { ...shipped, status: "delivered" },
  // "paid: apply" from wherever it waits.
  pays_late: shipped,
  never_pays: { ...untouched, status: "awaiting_payment", payment: "pending" },
  // "no longer cancelled: apply".
  fails_then_pays: shipped,
  // "cancelled, deleted: apply" as long as all is here.
  cancelled_unpaid: { ...untouched, status: "cancelled", payment: "pending", wooPayment: "voided" },
  deleted_unpaid: { ...untouched, status: "cancelled", payment: "pending" },
  // "fulfilled: apply", from every open state.
  collected: { ...untouched, status: "shipped" },
  // "cancelled: recall" when it is with the partner; cancelled when the partner has given it back.
  cancelled_after_sending: { ...untouched, status: "cancelled", wooPayment: "voided", warehouse: "gave it back" },
  // The partner rejects the recall: the order stays on hold with an exception.
  cancelled_when_packed: {
    ...shipped,
    status: "sent",
    wooPayment: "voided",
    holds: ["source_cancelled"],
    exceptions: ["recall rejected"],
    parcels: "none",
  },
  // "another address: apply" while nothing was sent, "conflict" when the partner has it.
  moves_before_paying: { ...shipped, address: "second" },
  moves_after_sending: disputed("address_changed"),
  // Resolved by keeping the local value: the order continues, and the same change from the source opens nothing.
  moves_and_is_overruled: shipped,
  // "It goes by itself when the source takes back what it said."
  moves_and_moves_back: shipped,
  wants_more_after_sending: disputed("quantity_changed"),
  refunded_after_sending: { ...disputed("refunded"), payment: "refunded" },
  // "on hold: apply" while nothing was sent; not an exception.
  held: { ...untouched, status: "new", holds: ["source_hold"] },
  held_and_released: shipped,
  ships_partly: { ...shipped, status: "partially_shipped", parcels: "first" },
  ships_in_two_parcels: { ...shipped, parcels: "both" },
  // "cancelled: conflict" when partly shipped, "keep" when shipped; both open an exception.
  cancelled_partly_shipped: {
    ...shipped,
    status: "partially_shipped",
    wooPayment: "voided",
    holds: ["source_cancelled"],
    exceptions: ["import_conflict source_cancelled"],
    parcels: "first",
  },
  cancelled_after_shipping: {
    ...shipped,
    wooPayment: "voided",
    exceptions: ["import_conflict source_cancelled"],
  },
  // One shipment, whose tracking number is corrected at the shop.
  tracking_corrected: shipped,
  // Rejected by the partner: ready again, on hold, with an exception.
  refused_by_warehouse: {
    ...untouched,
    status: "ready",
    holds: ["fulfillment"],
    exceptions: ["push rejected"],
  },
  refused_then_listed: shipped,
  // Numbers are unique per bridge: the second order is rejected with an exception.
  number_taken: { ...untouched, status: undefined, exceptions: ["rejected_record order_number_taken"] },
};
