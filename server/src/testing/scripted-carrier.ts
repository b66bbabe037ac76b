import type { CarrierCall, Label } from "../carriers/carrier.ts";
import { demoCarrier } from "../carriers/demo/demo-carrier.ts";
import { afterFile } from "./after-file.ts";

/** One thing that the carrier does out of the ordinary, before or after it has taken the money. */
type Turn = { before?: () => unknown; after?: (label: Label) => Label | Promise<Label> };

/** What the carrier did, as its own books have it. */
export type LabelDesk = {
  /** Labels by the effect key they were sold under: one entry is one payment. */
  sold: Map<string, Label>;
  asked: CarrierCall[];
  voided: string[];
  nextTurns: Turn[];
  nextVoids: (() => unknown)[];
};

/** Has the demo carrier keep books on its labels and follow a script; as it was again after the test file. */
export function scriptLabels(): LabelDesk {
  const desk: LabelDesk = { sold: new Map(), asked: [], voided: [], nextTurns: [], nextVoids: [] };
  const { createLabel, voidLabel } = demoCarrier;
  demoCarrier.createLabel = async (call, request) => {
    desk.asked.push(call);
    const turn = desk.nextTurns.shift();
    await turn?.before?.();
    const label = desk.sold.get(call.effectKey) ?? (await createLabel!(call, request));
    desk.sold.set(call.effectKey, label);
    return turn?.after ? await turn.after(label) : label;
  };
  demoCarrier.voidLabel = async (_call, { trackingNumber }) => {
    await desk.nextVoids.shift()?.();
    desk.voided.push(trackingNumber);
  };
  afterFile(() => Object.assign(demoCarrier, { createLabel, voidLabel }));
  return desk;
}

/** The same for pickups: what is to happen at the next bookings and cancellations, and what was done under which key. */
export type PickupDesk = {
  booked: Set<string>;
  cancelled: string[];
  nextBookings: (() => unknown)[];
  nextCancels: (() => unknown)[];
};

export function scriptPickups(): PickupDesk {
  const desk: PickupDesk = { booked: new Set(), cancelled: [], nextBookings: [], nextCancels: [] };
  const { schedulePickup, cancelPickup } = demoCarrier;
  demoCarrier.schedulePickup = async (call, request) => {
    await desk.nextBookings.shift()?.();
    desk.booked.add(call.effectKey);
    return await schedulePickup!(call, request);
  };
  demoCarrier.cancelPickup = async (_call, { confirmationNumber }) => {
    await desk.nextCancels.shift()?.();
    desk.cancelled.push(confirmationNumber);
  };
  afterFile(() => Object.assign(demoCarrier, { schedulePickup, cancelPickup }));
  return desk;
}
