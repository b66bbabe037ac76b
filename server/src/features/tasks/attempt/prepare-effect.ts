import type { PushTask } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import type { Order, OrderShipment } from "../../orders/order.ts";
import { isShippable, presentOrder } from "../../orders/order.ts";
import type { AttemptWork } from "./attempt.ts";
import type { Push } from "./effect-claims.ts";
import type { DesiredEffect } from "./effect-steps.ts";
import { digestOf } from "./effect-steps.ts";
import type { Sending } from "./effects.store.ts";
import type { Mapped } from "./task-mappings.ts";

/** What an effect sends: an order as a whole, or one of its shipments. */
export type EffectSubject = { order: Order; shipment?: OrderShipment };

/** A subject with the request body made of it. */
export type PreparedEffect = { subject: EffectSubject; desired: DesiredEffect; record: Record<string, unknown> };

export const partOf = ({ shipment }: EffectSubject): string => shipment?.id ?? "";

function recordOf({ task }: Push, { order, shipment }: EffectSubject): Record<string, unknown> {
  const record = presentOrder(order);
  if (shipment) {
    // Which quantity of a kit a shipment completes depends on what was shipped before.
    const earlierShipments = order.shipments.slice(0, order.shipments.indexOf(shipment));
    return { ...record, shipments: [shipment], earlierShipments };
  }
  // A warehouse would look for a download or a gift card in vain.
  const isForWarehouse = task.name === "orders.export";
  return isForWarehouse ? { ...record, lines: order.lines.filter(isShippable) } : record;
}

export function mapSubject(push: Push, subject: EffectSubject) {
  const { work } = push;
  const record = recordOf(push, subject);
  const { outbound } = work.mappings;
  const mapped: Mapped = outbound?.map(record) ?? { ok: true, output: record };
  // Content is compared with the clock fixed: a mapping that writes the current time must not make it look changed.
  const comparable: Mapped = outbound?.mapTimeless?.(record) ?? mapped;
  return { record, mapped, comparable };
}

export function sendingOf({ subject: { order, shipment }, desired: { content } }: PreparedEffect): Sending {
  return { content, orderVersion: order.version, shipment: shipment ?? null };
}

/** A shipment is compared by what the order lists about it, so other changes of the order do not resend it. */
export function desiredEffect({ work, task, site }: Push, subject: EffectSubject, mapped: Mapped): DesiredEffect {
  const { order, shipment } = subject;
  const { effect_root: root, input } = work.execution;
  const { resendPolicy, update } = task;
  const compared = shipment ?? (mapped.ok ? contentOf(work, task, mapped.output) : undefined);
  const content = compared === undefined ? null : digestOf(compared);
  const isResend = input.forceResend === true;
  return { root, isResend, site, content, order, resendPolicy, canUpdate: update !== undefined };
}

/** Undefined: no request can be built; sending it reports why. */
function contentOf({ call }: AttemptWork, task: PushTask, record: Record<string, unknown>): unknown {
  const { version: _version, updatedAt: _updatedAt, ...rest } = record;
  try {
    return task.contentOf ? task.contentOf(call, record) : rest;
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}
