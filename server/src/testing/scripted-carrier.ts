import type { CarrierCall, LabelRequest } from "../carriers/seam/carrier.ts";
import type { Label, SoldLabel, VoidAnswer } from "../carriers/seam/labels.ts";
import { demoCarrier } from "../carriers/demo/demo-carrier.ts";
import { afterFile } from "./after-file.ts";

/** A scripted fault of the carrier, before or after the purchase. */
type Turn = { before?: () => unknown; after?: (label: Label) => Label | Promise<Label> };

/** Records of the carrier. */
export type LabelDesk = {
  /** Labels by effect key: one entry is one payment. */
  sold: Map<string, Label>;
  asked: CarrierCall[];
  requests: LabelRequest[];
  voided: string[];
  nextTurns: Turn[];
  /** A returned answer replaces the carrier's own. */
  nextVoids: ((call: CarrierCall) => unknown)[];
  /** Answers about submitted refunds; by default there is none. */
  nextRefunds: (() => VoidAnswer | Promise<VoidAnswer>)[];
  refundChecks: SoldLabel[];
};

/** Makes the demo carrier record its labels and follow a script; restored after the test file. */
export function scriptLabels(): LabelDesk {
  const desk: LabelDesk = {
    sold: new Map(),
    asked: [],
    requests: [],
    voided: [],
    nextTurns: [],
    nextVoids: [],
    nextRefunds: [],
    refundChecks: [],
  };
  const { createLabel, voidLabel } = demoCarrier;
  demoCarrier.createLabel = async (call, request) => {
    desk.asked.push(call);
    desk.requests.push(request);
    const turn = desk.nextTurns.shift();
    await turn?.before?.();
    const label = desk.sold.get(call.effectKey) ?? (await createLabel!(call, request));
    desk.sold.set(call.effectKey, label);
    return turn?.after ? await turn.after(label) : label;
  };
  demoCarrier.voidLabel = async (call, { trackingNumber }) => {
    const answer = await desk.nextVoids.shift()?.(call);
    desk.voided.push(trackingNumber);
    return isVoidAnswer(answer) ? answer : { state: "voided" };
  };
  demoCarrier.findVoid = async (_call, label) => {
    desk.refundChecks.push(label);
    return await desk.nextRefunds.shift()?.();
  };
  afterFile(() => {
    Object.assign(demoCarrier, { createLabel, voidLabel });
    delete demoCarrier.findVoid;
  });
  return desk;
}

function isVoidAnswer(answer: unknown): answer is VoidAnswer {
  return typeof answer === "object" && answer !== null && "state" in answer;
}

/** The same for pickups: faults of the next bookings and cancellations, and effects by key. */
export type PickupDesk = {
  booked: Set<string>;
  cancelled: string[];
  nextBookings: ((call: CarrierCall) => unknown)[];
  nextCancels: (() => unknown)[];
};

export function scriptPickups(): PickupDesk {
  const desk: PickupDesk = { booked: new Set(), cancelled: [], nextBookings: [], nextCancels: [] };
  const { schedulePickup, cancelPickup } = demoCarrier;
  demoCarrier.schedulePickup = async (call, request) => {
    await desk.nextBookings.shift()?.(call);
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
