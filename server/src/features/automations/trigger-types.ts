import type { EventType } from "../../events/event-catalogue.ts";
import { typesNamed } from "../../events/event-families.ts";

/** Families of events that lead to orders, or to a bridge. */
export const triggerFamilies = [
  "order",
  "exception",
  "shipment",
  "label",
  "pickup",
  "manifest",
  "operation_run",
  "task_execution",
] as const;
export type TriggerFamily = (typeof triggerFamilies)[number];

const typesIn = (family: TriggerFamily): EventType[] =>
  // A deleted order cannot be processed.
  typesNamed(`${family}.*`).filter((type) => type !== "order.deleted" && type !== "orders.deleted");

const familyByType = new Map(triggerFamilies.flatMap((family) => typesIn(family).map((type) => [type, family])));

export const triggerTypes: readonly EventType[] = [...familyByType.keys()];

export const orderTypes: readonly EventType[] = typesIn("order");

/** Undefined for types that cannot be a trigger. */
export function familyOf(type: string): TriggerFamily | undefined {
  return familyByType.get(type as EventType);
}
