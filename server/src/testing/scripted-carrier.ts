import type { CarrierCall, Label } from "../carriers/carrier.ts";
import { demoCarrier } from "../carriers/demo/demo-carrier.ts";
import { afterFile } from "./after-file.ts";

/** A scripted fault of the carrier, before or after the purchase. */
type Turn = { before?: () => unknown; after?: (label: Label) => Label | Promise<Label> };

/** Records of the carrier. */
export type LabelScript = {
  /** Labels by effect key: one entry is one payment. */
  sold: Map<string, Label>;
  asked: CarrierCall[];
  voided: string[];
  nextTurns: Turn[];
  nextVoids: (() => unknown)[];
};

/** Makes the demo carrier record its labels and follow a script; restored after the test file. */
export function scriptLabels(): LabelScript {
  const script: LabelScript = { sold: new Map(), asked: [], voided: [], nextTurns: [], nextVoids: [] };
  const { createLabel, voidLabel } = demoCarrier;
  demoCarrier.createLabel = async (call, request) => {
    script.asked.push(call);
    const turn = script.nextTurns.shift();
    await turn?.before?.();
    const label = script.sold.get(call.effectKey) ?? (await createLabel!(call, request));
    script.sold.set(call.effectKey, label);
    return turn?.after ? await turn.after(label) : label;
  };
  demoCarrier.voidLabel = async (_call, { trackingNumber }) => {
    await script.nextVoids.shift()?.();
    script.voided.push(trackingNumber);
  };
  afterFile(() => Object.assign(demoCarrier, { createLabel, voidLabel }));
  return script;
}

/** The same for pickups: faults of the next bookings and cancellations, and effects by key. */
export type PickupScript = {
  booked: Set<string>;
  cancelled: string[];
  nextBookings: (() => unknown)[];
  nextCancels: (() => unknown)[];
};

export function scriptPickups(): PickupScript {
  const script: PickupScript = { booked: new Set(), cancelled: [], nextBookings: [], nextCancels: [] };
  const { schedulePickup, cancelPickup } = demoCarrier;
  demoCarrier.schedulePickup = async (call, request) => {
    await script.nextBookings.shift()?.();
    script.booked.add(call.effectKey);
    return await schedulePickup!(call, request);
  };
  demoCarrier.cancelPickup = async (_call, { confirmationNumber }) => {
    await script.nextCancels.shift()?.();
    script.cancelled.push(confirmationNumber);
  };
  afterFile(() => Object.assign(demoCarrier, { schedulePickup, cancelPickup }));
  return script;
}
