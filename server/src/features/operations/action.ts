import type { Static, TSchema } from "typebox";
import type { Actor } from "../../core/actor.ts";
import type { SetLookup } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { WorkingCalendar } from "../../core/working-days.ts";
import type { Queryable } from "../../db/database.ts";
import type { Order, OrderPatch } from "../orders/order.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import type { LabelSpec } from "../labels/labels.ts";
import { changesOf } from "../orders/order-changes.ts";
import type { Obstacle } from "../orders/order-rules.ts";
import type { OrderStatus } from "../orders/orders.states.ts";
import { orderStatuses } from "../orders/orders.states.ts";
import type { Reservation } from "../stock/stock.ts";
import type { CarrierDirectory } from "./carrier-directory.ts";
import type { OrderCondition, OrderFacts } from "./order-conditions.ts";
import type { RunResult } from "./run.schemas.ts";
import type { StockDirectory } from "./stock-directory.ts";

/** What an action can read besides the order and its params. */
export type ActionEnv = OrderFacts & {
  actor: Actor;
  newId(): string;
  /** The caller of the pipeline has the scope `operations:override`. */
  mayOverride: boolean;
  bridges: BridgeDirectory;
  users: UserDirectory;
  carriers: CarrierDirectory;
  stock: StockDirectory;
  /** Condition sets that params refer to. */
  sets: SetLookup;
  /** Time zone of the organization, for dates without one. */
  timeZone: string;
  /** Working days, holidays and cut-off time of the organization. */
  calendar: WorkingCalendar;
  /** Order numbers already in use; loaded after the number of a new order was rejected. */
  takenNumbers?: ReadonlySet<string>;
};

/** Bridges as actions see them. No bridge is called. */
export type BridgeDirectory = {
  /** Why the bridge cannot run this task with this input; undefined if it can. */
  problem(bridgeId: string, taskName: string, input: Record<string, unknown>): Refusal | undefined;
  ofLocation(locationId: string | null): string | undefined;
  /** The usable bridges that have this task. */
  having(taskName: string): string[];
  /** The bridge the order was sent to, if `readSent` has read it. */
  ofSent(orderId: string): string | undefined;
  /** Reads the bridges these orders were sent to. */
  readSent(db: Queryable, orders: readonly Order[]): Promise<void>;
};

/** The users of the organization as actions see them. */
export type UserDirectory = {
  /** Undefined for users who are disabled or deleted. */
  emailOf(userId: string): string | undefined;
};

/** A bridge task, queued in the transaction that changes the order. */
export type ExternalCall = {
  bridgeId: string;
  taskName: string;
  input: Record<string, unknown>;
  followUp?: "fulfillment_send" | "fulfillment_recall";
  /** Default: as for other executions. */
  maxAttempts?: number;
};

export type Refusal = { refused: string; message: string; fix?: string };

/** The outcome of one action on one order. A patch that changes nothing is reported as `no_change`. */
export type Outcome =
  | (Effects & { patch: OrderPatch; price?: StepPrice; warning?: { code: string; message: string } })
  | Refusal;

/** Effects of an action besides the patch. */
type Effects = {
  creates?: Order[];
  /** Units to reserve for the order and those it creates. They count while an order has the location, so no undo is needed. */
  reserves?: Reservation[];
  call?: ExternalCall;
  /** A label to buy. The request is committed with the order's changes and sent to the carrier afterwards. */
  buys?: { account: CarrierOffer; spec: LabelSpec };
  /** IDs of labels to void, in the same way. */
  voids?: string[];
};

export type StepPrice = NonNullable<RunResult["steps"][number]["price"]>;

/** Records that params refer to; looked up once per pipeline, not per order. */
export type Reference = { kind: "user" | "location" | "bridge" | "carrier_account"; id: string; param: string };

export type ActionDefinition<Params extends TSchema = TSchema> = {
  type: string;
  title: string;
  group: "workflow" | "organize" | "routing" | "shipping" | "fulfillment" | "payment" | "integration";
  description: string;
  params: Params;
  example: Static<Params>;
  /** Allowed order statuses; any other fails the step with `invalid_state`. */
  statuses: readonly OrderStatus[];
  /** Why the action cannot be undone, and the alternative; undefined if it can. */
  irreversible?: string;
  /** Applying it twice has the same effect as once. */
  idempotent: boolean;
  blockedByHold?: boolean;
  /** Required besides operations:run. */
  scope?: Scope;
  /** Queues bridge tasks. */
  needsBridges?: boolean;
  /** The task, if it is always the same: the action is unavailable without a bridge that has it. */
  needsTask?: string;
  /** Reads addresses of users. */
  needsUsers?: boolean;
  /** Reads carrier accounts, prices or labels. */
  asksCarriers?: boolean;
  /** So does an action that asks carriers with some params only. */
  asksCarriersWith?(params: Static<Params>): boolean;
  /** Allocates stock: no other allocation of the organization happens at the same time. */
  readsStock?: boolean;
  /** Required capability of an active carrier account. */
  needsCarrier?: "givesPrices" | "sellsLabels";
  /**
   * The order changes later, when the carrier responds. Only actions of the group `organize` may follow in a pipeline: others would
   * change an order whose label is being bought.
   */
  isLastWord?: boolean;
  refers?(params: Static<Params>): Reference[];
  /** Condition sets that params refer to, by ID or name; pointers are relative to the params. */
  sets?(params: Static<Params>): { set: string | undefined; pointer: string }[];
  /** Order fields that params read or compare with; pointers are relative to the params. */
  asksAbout?(params: Static<Params>): { path: string; pointer: string }[];
  /** Rules between params, checked once; pointers are relative to the params. */
  check?(params: Static<Params>, env: CheckEnv): FieldError[];
  /** The param that holds a condition. It is compiled once per pipeline and passed to `apply`. */
  conditionParam?: string;
  /** Pure: reads the order and returns the changes. */
  apply?(order: Order, params: Static<Params>, env: ActionEnv, holds: OrderCondition | undefined): Outcome;
  /** For actions that need all orders of the run at once; one outcome per order. */
  applyToAll?(orders: readonly Order[], params: Static<Params>, env: ActionEnv): Outcome[];
  /** With `applyToAll`: each order can be undone alone. Otherwise the step is undone for all orders or none. */
  isUndonePerOrder?: boolean;
};

type CheckEnv = Pick<ActionEnv, "now" | "mayOverride" | "timeZone">;

const defaults = { statuses: orderStatuses, idempotent: true };

/** Fills in defaults. The type of the params is checked here; the catalog does not keep it. */
export function defineAction<Params extends TSchema>(
  definition: Omit<ActionDefinition<Params>, keyof typeof defaults> & Partial<ActionDefinition<Params>>,
): ActionDefinition {
  return { ...defaults, ...definition };
}

/** A violated order rule as a refusal of the step. */
export function refuseFor(obstacle: Obstacle | undefined): Refusal | undefined {
  return obstacle && refuse(obstacle.code, obstacle.message, obstacle.fix);
}

/** Warns that the fulfillment partner, who works with the order as sent, is not notified of this change. */
export function changeSent(order: Order, patch: OrderPatch): Outcome {
  if (order.status !== "sent" || changesOf(order, patch).length === 0) return { patch };
  const message = "The order was already sent to the fulfillment partner, who is not notified of this change.";
  return { patch, warning: { code: "already_sent", message } };
}

export function refuse(code: string, message: string, fix?: string): Refusal {
  return { refused: code, message, ...(fix === undefined ? {} : { fix }) };
}
