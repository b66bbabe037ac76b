import type { CarrierCall } from "../carriers/seam/carrier.ts";
import type { Label } from "../carriers/seam/labels.ts";
import { demoCarrier } from "../carriers/demo/demo-carrier.ts";
import { afterFile } from "./after-file.ts";

/** A scripted fault of the carrier, before or after the purchase. */
type Turn = { before?: () => unknown; after?: (label: Label) => Label | Promise<Label> };

/** Records of the carrier. */
export type LabelDesk = {
  /** Labels by effect key: one entry is one payment. */
  sold: Map<string, Label>;
  asked: CarrierCall[];
  voided: string[];
  nextTurns: Turn[];
  nextVoids: (() => unknown)[];
};

/** Makes the demo carrier record its labels and follow a script; restored after the test file. */
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
    return { state: "voided" };
  };
  afterFile(() => Object.assign(demoCarrier, { createLabel, voidLabel }));
  return desk;
}

/** The same for pickups: faults of the next bookings and cancellations, and effects by key. */
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
