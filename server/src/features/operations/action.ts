import type { Static, TSchema } from "typebox";
import type { Actor } from "../../core/actor.ts";
import type { Predicate, SetLookup } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import type { Queryable } from "../../db/database.ts";
import type { Order, OrderPatch } from "../orders/order.ts";
import type { CarrierOffer } from "../carrier-accounts/carrier-accounts.ts";
import type { LabelWish } from "../labels/labels.ts";
import { changesOf } from "../orders/order-changes.ts";
import type { Obstacle } from "../orders/order-rules.ts";
import type { OrderStatus } from "../orders/orders.states.ts";
import { orderStatuses } from "../orders/orders.states.ts";
import type { CarrierDesk } from "./carrier-desk.ts";
import type { RunResult } from "./operations.schemas.ts";

/** What an action may know besides the order and its params. */
export type ActionEnv = {
  /** The hub's time, ISO; the same for every order of a portion. */
  now: string;
  actor: Actor;
  newId(): string;
  /** Whether whoever runs the pipeline holds `operations:override`. */
  mayOverride: boolean;
  bridges: BridgeDirectory;
  carriers: CarrierDesk;
  /** Those that params name. */
  sets: SetLookup;
  /** Of the organization: a day without a zone is meant in it. */
  timeZone: string;
  /** Numbers that an order which is made must not get; known once such a number was refused. */
  takenNumbers?: ReadonlySet<string>;
};

/** What actions may ask about bridges; nobody is called for it. */
export type BridgeDirectory = {
  /** Why this task cannot be run there with this input; undefined when it can. */
  problem(bridgeId: string, taskName: string, input: Record<string, unknown>): Refusal | undefined;
  ofLocation(locationId: string | null): string | undefined;
  /** The bridge that the order was sent to, as far as `readSent` has read it. */
  ofSent(orderId: string): string | undefined;
  /** Reads where these orders were sent, for the actions of a portion. */
  readSent(db: Queryable, orders: readonly Order[]): Promise<void>;
};

/** Something to be done outside, queued when the order's changes are committed. */
export type ExternalCall = {
  bridgeId: string;
  taskName: string;
  input: Record<string, unknown>;
  followUp?: "fulfillment_send" | "fulfillment_recall";
};

export type Refusal = { refused: string; message: string; fix?: string };

/** What came of one action on one order. A patch that changes nothing is reported as `no_change`. */
export type Outcome =
  | (Effects & { patch: OrderPatch; price?: StepPrice; warning?: { code: string; message: string } })
  | Refusal;

/** What an action does besides changing the order. */
type Effects = {
  creates?: Order[];
  call?: ExternalCall;
  /** A label to be bought, written down with the order's changes and asked for then. */
  buys?: { account: CarrierOffer; wish: LabelWish };
  /** The ids of labels to be given back, in the same way. */
  voids?: string[];
};

export type StepPrice = NonNullable<RunResult["steps"][number]["price"]>;

/** Things that params point at; looked up once for the whole pipeline, never per order. */
export type Reference = { kind: "user" | "location" | "bridge" | "carrier_account"; id: string; param: string };

export type ActionDefinition<Params extends TSchema = TSchema> = {
  type: string;
  title: string;
  group: "workflow" | "organize" | "routing" | "shipping" | "fulfillment" | "payment" | "integration";
  description: string;
  params: Params;
  example: Static<Params>;
  /** The statuses an order may have; another one refuses the step with `invalid_state`. */
  statuses: readonly OrderStatus[];
  /** Why what it does cannot be taken back by an undo, and what can be done instead; undefined: it can. */
  irreversible?: string;
  /** Doing it twice is the same as doing it once. */
  idempotent: boolean;
  blockedByHold?: boolean;
  /** Beyond operations:run. */
  scope?: Scope;
  /** Queues tasks of bridges, so that something is done outside. */
  needsBridges?: boolean;
  /** Looks at carrier accounts, prices or labels. */
  asksCarriers?: boolean;
  /** What an active carrier account has to be able to do. */
  needsCarrier?: "givesPrices" | "sellsLabels";
  /**
   * The order follows later, when a carrier has answered: what comes after it in a pipeline may only organise, or it would
   * change an order whose label is being bought.
   */
  isLastWord?: boolean;
  refers?(params: Static<Params>): Reference[];
  /** The condition sets that params name, by id or name; pointers are relative to the params. */
  sets?(params: Static<Params>): { set: string | undefined; pointer: string }[];
  /** What of an order its params ask about, read it or compare with it; pointers are relative to the params. */
  asksAbout?(params: Static<Params>): { path: string; pointer: string }[];
  /** Rules between params, checked once; pointers are relative to the params. */
  check?(params: Static<Params>, env: CheckEnv): FieldError[];
  /** The param that is a condition. It is compiled once for the whole pipeline and handed to `apply`. */
  conditionParam?: string;
  /** Pure: reads the order, returns what would be different. */
  apply?(order: Order, params: Static<Params>, env: ActionEnv, holds: Predicate | undefined): Outcome;
  /** For actions that look at all orders of the run at once; one outcome for each. */
  applyToAll?(orders: readonly Order[], params: Static<Params>, env: ActionEnv): Outcome[];
};

type CheckEnv = Pick<ActionEnv, "now" | "mayOverride" | "timeZone">;

const usual = { statuses: orderStatuses, idempotent: true };

/** Says what is unusual about an action. Keeps the type of the params while the catalog forgets it. */
export function defineAction<Params extends TSchema>(
  definition: Omit<ActionDefinition<Params>, keyof typeof usual> & Partial<ActionDefinition<Params>>,
): ActionDefinition {
  return { ...usual, ...definition };
}

/** What the rules for orders say, as the end of a step. */
export function refuseFor(obstacle: Obstacle | undefined): Refusal | undefined {
  return obstacle && refuse(obstacle.code, obstacle.message, obstacle.fix);
}

/** The fulfilment partner works from what it was sent: whoever changes it here has to know that nobody tells them. */
export function changeSent(order: Order, patch: OrderPatch): Outcome {
  if (order.status !== "sent" || changesOf(order, patch).length === 0) return { patch };
  const message = "The order is with the fulfilment partner already, who is not told of this change.";
  return { patch, warning: { code: "already_sent", message } };
}

export function refuse(code: string, message: string, fix?: string): Refusal {
  return { refused: code, message, ...(fix === undefined ? {} : { fix }) };
}
