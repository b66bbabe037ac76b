/*
 * What becomes of an order, by what happened to it: written down by hand, from the documents and not from the code. Who may
 * do what to an order that its shop changes is decision 0018, what is sent once is 0023, what is an exception is
 * docs/exceptions.md. Nothing of the hub is imported here.
 */

/** What a shop or the warehouse does to an order, from beginning to end. */
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
  /** Where WooCommerce says something else about the money: what is cancelled there is not owed any more. */
  wooPayment?: string;
  /** The handles of its holds. */
  holds: string[];
  /** What the inbox has about it: kind and code. */
  exceptions: string[];
  /** How often the warehouse took it, and gave it back. */
  warehouse: "never had it" | "has it" | "gave it back";
  parcels: "none" | "first" | "all" | "both";
  /** Where the hub says it goes, and where the warehouse sent it. */
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
/** With the warehouse, which has not sent it, and somebody has to decide. */
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
  // The partner does not give it back: the order stays, held, and somebody has to see it.
  cancelled_when_packed: {
    ...shipped,
    status: "sent",
    wooPayment: "voided",
    holds: ["source_cancelled"],
    exceptions: ["recall rejected"],
    parcels: "none",
  },
  // "another address: apply" as long as all is here, "conflict" when it is with the partner.
  moves_before_paying: { ...shipped, address: "second" },
  moves_after_sending: disputed("address_changed"),
  // Somebody said keep_local: it goes on, and the source saying the same again opens nothing.
  moves_and_is_overruled: shipped,
  // "It goes by itself when the source takes back what it said."
  moves_and_moves_back: shipped,
  wants_more_after_sending: disputed("quantity_changed"),
  refunded_after_sending: { ...disputed("refunded"), payment: "refunded" },
  // "on hold: apply" as long as all is here; nothing is wrong with that.
  held: { ...untouched, status: "new", holds: ["source_hold"] },
  held_and_released: shipped,
  ships_partly: { ...shipped, status: "partially_shipped", parcels: "first" },
  ships_in_two_parcels: { ...shipped, parcels: "both" },
  // "cancelled: conflict" when it is partly shipped, "keep" when it is gone; both are told.
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
  // One shipment, whose number is corrected where it was told.
  tracking_corrected: shipped,
  // A partner that does not take it: ready again, on hold, and somebody has to see it.
  refused_by_warehouse: {
    ...untouched,
    status: "ready",
    holds: ["fulfillment"],
    exceptions: ["push rejected"],
  },
  refused_then_listed: shipped,
  // Numbers are unique among the orders of a bridge: the second one is not taken, and somebody has to see it.
  number_taken: { ...untouched, status: undefined, exceptions: ["rejected_record order_number_taken"] },
};
