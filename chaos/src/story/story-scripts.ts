import type { Acts, PlayedStory } from "./story-acts.ts";
import type { StoryName } from "./story-ends.ts";
import { firstReference } from "./story-plan.ts";

type Script = (o: Acts, played: PlayedStory) => Promise<void>;

const cancelled = ({ isWoo }: Acts) => ({ values: isWoo ? { status: "cancelled" } : { isCancelled: true } });

/** The steps of each story. The expected ends are in story-ends.ts. */
export const scripts: Record<StoryName, Script> = {
  async plain(o) {
    await o.place();
    await o.isTaken();
    await o.ship();
  },
  async delivered(o) {
    await o.place();
    await o.isTaken();
    await o.ship();
    await o.inWarehouse("deliver");
  },
  async pays_late(o) {
    await o.place({ isPaid: false });
    await o.isHere("awaiting_payment");
    await o.change({ values: { isPaid: true } }, "orders/paid");
    await o.isTaken();
    await o.ship();
  },
  async never_pays(o) {
    await o.place({ isPaid: false });
  },
  async fails_then_pays(o) {
    await o.place({ status: "failed" });
    await o.isHere("cancelled");
    await o.change({ values: { status: "processing" } });
    await o.isTaken();
    await o.ship();
  },
  async cancelled_unpaid(o) {
    await o.place({ isPaid: false });
    await o.isHere("awaiting_payment");
    await o.change(cancelled(o), "orders/cancelled");
  },
  async deleted_unpaid(o) {
    await o.place({ isPaid: false });
    await o.isHere("awaiting_payment");
    await o.change({ isDeleted: true }, "orders/delete");
  },
  async collected(o) {
    await o.place({ isPaid: false });
    await o.isHere("awaiting_payment");
    const paid = { isPaid: true };
    if (o.isWoo) await o.change({ values: { ...paid, isCompleted: true } });
    else await o.change({ values: paid, isFulfilled: true }, "fulfillments/create");
  },
  async cancelled_after_sending(o) {
    await o.place();
    await o.isTaken();
    await o.change(cancelled(o), "orders/cancelled");
  },
  async cancelled_when_packed(o) {
    await o.place();
    await o.isTaken();
    await o.inWarehouse("pack");
    await o.change(cancelled(o), "orders/cancelled");
  },
  async moves_before_paying(o, { story }) {
    await o.place({ isPaid: false });
    await o.isHere("awaiting_payment");
    await o.change({ values: { street: story.secondStreet } });
    await o.change({ values: { isPaid: true } }, "orders/paid");
    await o.isTaken();
    await o.ship();
  },
  async moves_after_sending(o, { story }) {
    await o.place();
    await o.isTaken();
    await o.change({ values: { street: story.secondStreet } });
  },
  async moves_and_is_overruled(o, { story }) {
    await o.place();
    await o.isTaken();
    await o.change({ values: { street: story.secondStreet } });
    await o.resolve("import_conflict", "source_address_changed", "keep_local");
    await o.isHere("sent");
    await o.ship();
  },
  async moves_and_moves_back(o, { story }) {
    await o.place();
    await o.isTaken();
    await o.change({ values: { street: story.secondStreet } });
    await o.isHere("sent", ["source_address_changed"]);
    await o.change({ values: { street: story.street } });
    await o.isHere("sent");
    await o.ship();
  },
  async wants_more_after_sending(o, { lines: [first, ...rest] }) {
    await o.place();
    await o.isTaken();
    await o.change({ values: { lines: [{ ...first!, quantity: first!.quantity + 1 }, ...rest] } }, "orders/edited");
  },
  async refunded_after_sending(o) {
    await o.place();
    await o.isTaken();
    await o.change({ values: { isRefunded: true } }, "refunds/create");
  },
  async held(o) {
    await o.place({ holds: [theirHold] });
  },
  async held_and_released(o) {
    await o.place({ holds: [theirHold] });
    await o.isHere("new", ["source_hold"]);
    await o.change({ values: { holds: [] } }, "fulfillment_orders/hold_released");
    await o.isTaken();
    await o.ship();
  },
  async ships_partly(o, { lines }) {
    await o.place();
    await o.isTaken();
    await o.ship(new Map([[lines[0]!.id, 1]]));
  },
  async ships_in_two_parcels(o, { lines }) {
    await o.place();
    await o.isTaken();
    await o.ship(new Map([[lines[0]!.id, 1]]));
    await o.shopKnows("fulfillment.create");
    await o.ship();
  },
  async cancelled_partly_shipped(o, { lines }) {
    await o.place();
    await o.isTaken();
    await o.ship(new Map([[lines[0]!.id, 1]]));
    await o.shopKnows("fulfillment.create");
    await o.change(cancelled(o));
  },
  async cancelled_after_shipping(o) {
    await o.place();
    await o.isTaken();
    await o.ship();
    await o.shopKnows("order.complete");
    await o.change(cancelled(o));
  },
  async tracking_corrected(o) {
    await o.place();
    await o.isTaken();
    await o.ship();
    await o.shopKnows("fulfillment.create");
    await o.correctTracking();
  },
  async refused_by_warehouse(o) {
    await o.place();
  },
  async refused_then_listed(o) {
    await o.place();
    // Wait for the rejection: the order is also on hold when the warehouse was unreachable.
    await o.waitForException("push", "rejected");
    await o.isHere("ready", ["fulfillment"]);
    await o.inWarehouse("list");
    await o.resolve("push", "rejected", "retry");
    await o.isTaken();
    await o.ship();
  },
  async number_taken(o, { story }) {
    await o.isThere(firstReference(story.shop));
    await o.place();
  },
};

const theirHold = { id: 7, handle: "theirs", reason: "INCORRECT_ADDRESS" };
