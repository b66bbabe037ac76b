import type { Static, TSchema } from "typebox";
import type { Actor } from "../../core/actor.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { OrderAnswer } from "../orders/order-answers.schemas.ts";
import type { OrderPatchRequest } from "../orders/orders.schemas.ts";
import type { OrderStatus } from "../orders/orders.states.ts";

/**
 * Order fields that an action of a plug-in may change. IDs of other records, lines and amounts are not among them: their rules span
 * several records, and an action of the hub changes each of them.
 */
export const pluginFields = [
  "status",
  "paymentStatus",
  "priority",
  "tags",
  "channel",
  "customer",
  "shippingAddress",
  "billingAddress",
  "riskLevel",
  "poNumber",
  "giftMessage",
  "requestedDeliveryDate",
  "shipping",
  "packages",
  "notes",
  "customFields",
  "shipBy",
  "deliverBy",
  "dispatchOn",
] as const;

/** A merge patch, as the body of `PATCH /orders/{id}`: objects are merged, lists are replaced, null removes. */
export type PluginPatch = Pick<OrderPatchRequest, (typeof pluginFields)[number]>;

/** Why the step fails for this order; `refused` is a code in snake_case. */
export type PluginRefusal = { refused: string; message: string; fix?: string };

export type PluginOutcome = { patch: PluginPatch; warning?: { code: string; message: string } } | PluginRefusal;

export type PluginActionEnv = {
  /** ISO 8601. */
  now: string;
  /** Who runs the pipeline. */
  actor: Actor;
  /** Time zone of the organization. */
  timeZone: string;
  /** The caller has the scope `operations:override`. */
  mayOverride: boolean;
};

/** An action of a plug-in: a pure function from an order to the fields to change. Its steps are logged, retried and undone by the hub. */
export type PluginAction<Params extends TSchema = TSchema> = {
  /** `<namespace>.<name>`. */
  type: string;
  title: string;
  group: "workflow" | "organize" | "routing" | "shipping" | "fulfillment" | "payment" | "integration";
  description: string;
  params: Params;
  /** Valid params; used by the documentation and the form. */
  example: Static<Params>;
  /** Allowed order statuses; default: all. Any other fails the step with `invalid_state`. */
  statuses?: readonly OrderStatus[];
  /** Applying it twice has the same effect as once; default: true. */
  idempotent?: boolean;
  blockedByHold?: boolean;
  /** Required besides operations:run. */
  scope?: Scope;
  /** Order fields that params are compared with: callers without `pii:read` may not guess personal data. */
  asksAbout?(params: Static<Params>): { path: string; pointer: string }[];
  /** Rules between params, checked once per pipeline; pointers are relative to the params. */
  check?(params: Static<Params>): FieldError[];
  /** Reads the order, as `GET /orders/{id}` shows it, and returns the changes. Must not be async. */
  apply(order: OrderAnswer, params: Static<Params>, env: PluginActionEnv): PluginOutcome;
};
