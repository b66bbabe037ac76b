import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { orderLimits } from "../../../core/order-limits.ts";
import { fieldsOf, holdOfSource } from "../order-fields.ts";
import type { Hold, Order, OrderEnv, OrderLine, OrderPatch } from "../order.ts";
import { moveProblem, withHold } from "../order-rules.ts";
import type { ImportedOrder, OrderRequest } from "../orders.schemas.ts";
import type { OrderStatus } from "../orders.states.ts";
import { openStatuses, orderStatuses } from "../orders.states.ts";
import type { DisputedFact, SourceFact } from "../source-rules.ts";
import { conflictHandle, conflictHold, isCallingOff, isOfSource, sourceHold, sourceVerdict } from "../source-rules.ts";

/** The last state reported by a source, as a short hash per field. */
export type SourceSnapshot = Record<string, string>;

type RequestField = keyof OrderRequest;

/** Imported once: afterwards number, notes, priority and assignee belong to the hub. */
const importedOnce: ReadonlySet<string> = new Set(["number", "notes", "priority", "assigneeId"]);
/** Fields with special rules. */
const specialFields: ReadonlySet<string> = new Set(["status", "tags", "customFields", "hold", "deleted"]);
/** Identifies the order at its source. */
const identity: ReadonlySet<string> = new Set(["bridgeId", "externalId"]);
/** If changed locally, the order was split, merged or edited: applying the source would ship items twice. */
const keptInConflict: ReadonlySet<string> = new Set(["lines", "total"]);

export type Followed = {
  patch: OrderPatch;
  snapshot: SourceSnapshot;
  /** Fields that differ from the source and are kept. */
  kept: string[];
  /** The kept fields that have just changed at the source, with its new value. */
  leftOut: Map<keyof Order, { to: unknown; fact: DisputedFact }>;
  /** Facts that agree again, or were reverted at the source. */
  agreed: SourceFact[];
  /** Fields changed locally and later at the source. */
  overwritten: string[];
  /** Facts that were not applied: the order is on hold until a user decides. */
  conflicts: SourceFact[];
  /** The fulfillment partner must be asked to return the order. */
  isRecalled: boolean;
  takesLines: boolean;
};

type Work = {
  order: Order;
  incoming: ImportedOrder;
  before: SourceSnapshot | undefined;
  env: OrderEnv;
  /** Whether the fulfillment partner can be asked to return the order. */
  canRecall: boolean;
  followed: Followed;
};

/**
 * Applies the changes of a source since its last snapshot, by the rules for sources. Repeated values are ignored, and local
 * changes are kept. `before`: the last snapshot; undefined if there is none.
 */
export function followSource(
  order: Order,
  incoming: ImportedOrder,
  before: SourceSnapshot | undefined,
  env: OrderEnv,
  canRecall = false,
): Followed {
  const followed: Followed = {
    patch: {},
    snapshot: {},
    kept: [],
    leftOut: new Map(),
    agreed: [],
    overwritten: [],
    conflicts: [],
    isRecalled: false,
    takesLines: false,
  };
  const work = { order, incoming, before, env, canRecall, followed };
  followStatus(work);
  followFields(work);
  followHold(work);
  followShipped(work);
  if (incoming.tags) followTags(order, incoming.tags, before, followed);
  if (incoming.customFields) followCustomFields(order, incoming.customFields, before, followed);
  // Fields that are missing this time are not reverted.
  followed.snapshot = { ...(before && keptSnapshot(before, incoming)), ...followed.snapshot };
  return followed;
}

/** The snapshot of a new order. */
export function firstSnapshot(order: Order, incoming: ImportedOrder, env: OrderEnv): SourceSnapshot {
  return followSource(order, incoming, undefined, env).snapshot;
}

function followFields(work: Work): void {
  const { order, incoming, before, env, followed } = work;
  const { patch, snapshot, kept, leftOut, agreed, overwritten } = followed;
  const isFollowed = (field: string): boolean =>
    !importedOnce.has(field) && !specialFields.has(field) && !identity.has(field);
  const named = (Object.keys(incoming) as RequestField[]).filter(isFollowed);
  // The total follows the lines.
  const fields = named.toSorted((a, b) => Number(a === "total") - Number(b === "total"));
  // Computed as for a new order, independent of current values.
  const fresh = fieldsOf(incoming, fields, env);
  const taken: RequestField[] = [];
  for (const field of fields) {
    const name = field === "archived" ? "archivedAt" : (field as keyof OrderPatch);
    const [here, there] = [comparable(name, order[name]), comparable(name, fresh[name])];
    const last = before?.[field];
    const digest = digestOf(order.id, field, there);
    snapshot[field] = digest;
    const about = factsOfFields[field];
    const isSame = isDeepStrictEqual(here, there);
    // A changed name or price does not affect shipping.
    const isShippedAlike = isSame || (field === "lines" && isDeepStrictEqual(contentOf(here), contentOf(there)));
    if (about && isShippedAlike) {
      settle(work, conflictHandle(about));
      agreed.push(about);
    }
    if (isSame) continue;
    const fact = isShippedAlike ? undefined : about;
    const isRepeated = last === digest;
    const isChangedHere = last !== undefined && digestOf(order.id, field, here) !== last;
    const verdict = fact ? sourceVerdict(order.status, fact) : "apply";
    const isWithLines = field === "total" && leftOut.has("lines");
    if (isRepeated || isWithLines || verdict !== "apply" || (isChangedHere && keptInConflict.has(field))) {
      kept.push(field);
      if (!isRepeated) leftOut.set(name, { to: fresh[name], fact: about ?? "total_changed" });
      if (!isRepeated && fact && verdict === "conflict") placeConflict(work, fact);
      continue;
    }
    taken.push(field);
    if (isChangedHere) overwritten.push(field);
  }
  followed.takesLines = taken.includes("lines");
  Object.assign(patch, fieldsOf(incoming, taken, env, order));
}

const factsOfFields: Partial<Record<RequestField, SourceFact>> = {
  shippingAddress: "address_changed",
  lines: "quantity_changed",
};

function contentOf(lines: unknown): string[] {
  return (lines as OrderLine[]).map(({ sku, quantity }) => `${quantity} ${sku}`).toSorted();
}

function placeConflict({ order, env, followed }: Work, fact: SourceFact, more?: string): void {
  const { patch, conflicts } = followed;
  // Shipped or cancelled: there is nothing to hold.
  if (!openStatuses.includes(patch.status ?? order.status)) return;
  conflicts.push(fact);
  patch.holds = withHold({ holds: patch.holds ?? order.holds }, conflictHold(env, order, fact, more));
}

/** The source reverted the reason of the hold. */
function settle(work: Work, ...handles: string[]): void {
  drop(work, (hold) => isOfSource(hold) && handles.includes(hold.handle));
}

function drop({ order, followed: { patch } }: Work, isOver: (hold: Hold) => boolean): void {
  const holds = patch.holds ?? order.holds;
  if (holds.some(isOver)) patch.holds = holds.filter((hold) => !isOver(hold));
}

type Statement = { fact: SourceFact | "onward"; to: OrderStatus };

/** The new fact about the whole order, if any. */
function statementOf({ order, incoming, before }: Work): Statement | undefined {
  const { status } = incoming;
  const wasDeleted = before?.deleted === "yes";
  if (incoming.deleted) return wasDeleted ? undefined : { fact: "deleted", to: "cancelled" };
  const lastWas = (one: OrderStatus): boolean => before?.status === digestOf(order.id, "status", one);
  const isPaid =
    incoming.paymentStatus === "paid" && before?.paymentStatus !== digestOf(order.id, "paymentStatus", "paid");
  // The order was moved locally since: a repeated report does not revert that.
  const isNews = status !== undefined && (wasDeleted || !lastWas(status));
  if (!isNews) {
    const isWaiting = order.status === "awaiting_payment" && status !== "cancelled";
    return isPaid && isWaiting ? { fact: "paid", to: "ready" } : undefined;
  }
  if (status === "cancelled") return { fact: "cancelled", to: status };
  if (status === "partially_shipped") return { fact: "partly_fulfilled", to: status };
  if (status === "shipped") return { fact: "fulfilled", to: status };
  if (status === "delivered") return { fact: "delivered", to: status };
  if (lastWas("cancelled") || wasDeleted) {
    const isKept = status === "awaiting_payment" || status === "review_required" || status === "ready";
    const to = order.status !== "cancelled" ? order.status : isKept ? status : "new";
    return { fact: "reopened", to };
  }
  const isNoLongerWaiting = status === "new" || status === "review_required" || status === "ready";
  if (order.status === "awaiting_payment" && isNoLongerWaiting) {
    return { fact: "paid", to: status };
  }
  if (order.status === "cancelled" && isPaid) return { fact: "paid", to: "new" };
  return { fact: "onward", to: status };
}

const happened: readonly string[] = ["partly_fulfilled", "fulfilled", "delivered"];

function followStatus(work: Work): void {
  const { order, incoming, before, canRecall, followed } = work;
  const { patch, snapshot } = followed;
  const statement = statementOf(work);
  const digest = incoming.status && digestOf(order.id, "status", incoming.status);
  const lastKept = before?.["status/kept"];
  if (incoming.deleted || before?.deleted !== undefined) snapshot.deleted = incoming.deleted ? "yes" : "no";
  if (digest !== undefined) snapshot.status = digest;
  if (!statement) return followMoney(work);
  const { fact, to } = statement;
  // A hold caused by the source does not block its own updates.
  const free = { ...order, holds: order.holds.filter((hold) => !isOfSource(hold)) };
  const problem = moveProblem(free, to, { hasHappened: happened.includes(fact) });
  const isBehind = orderStatuses.indexOf(to) <= orderStatuses.indexOf(order.status);
  if (fact === "onward") {
    // The table allows users to go back: a shop that still reports an order as ready must not cause a second shipment.
    if (!isBehind && !problem) patch.status = to;
    else if (!isBehind) delete snapshot.status;
    return followMoney(work);
  }
  const verdict = sourceVerdict(order.status, fact);
  // The order is already further.
  if (happened.includes(fact) && verdict === "apply" && isBehind) return followMoney(work);
  if (verdict === "recall") {
    followed.isRecalled = canRecall;
    const asked = canRecall ? "They were asked to give it back." : "They cannot be asked from here.";
    return placeConflict(work, fact, asked);
  }
  if (verdict === "apply" && !problem) {
    if (to !== order.status) patch.status = to;
    if (fact === "reopened") {
      drop(work, isCallingOff);
      followed.agreed.push("cancelled", "deleted");
    }
    if (to === "cancelled" || to === "shipped" || to === "delivered") drop(work, isOfSource);
    return followMoney(work);
  }
  const isOpen = openStatuses.includes(order.status);
  const isCallOff = fact === "cancelled" || fact === "deleted";
  if (verdict === "conflict" || (verdict === "apply" && isCallOff && isOpen)) placeConflict(work, fact);
  followed.kept.push("status");
  // An update blocked by a hold is retried with the next import and reported once.
  if (problem?.code === "on_hold" && digest !== undefined) {
    delete snapshot.status;
    snapshot["status/kept"] = digest;
  }
  if (digest === undefined || lastKept !== digest) followed.leftOut.set("status", { to, fact });
}

/** A refunded order needs review before shipping, unless it was cancelled. */
function followMoney(work: Work): void {
  const { order, incoming, before, followed } = work;
  if (incoming.paymentStatus === undefined || incoming.status === "cancelled" || incoming.deleted) return;
  const isNews = before?.paymentStatus !== digestOf(order.id, "paymentStatus", incoming.paymentStatus);
  if (!isNews || incoming.paymentStatus === order.paymentStatus) return;
  if (incoming.paymentStatus !== "refunded") return settle(work, conflictHandle("refunded"));
  if (sourceVerdict(followed.patch.status ?? order.status, "refunded") === "conflict") placeConflict(work, "refunded");
}

function followHold(work: Work): void {
  const { order, incoming, before, env, followed } = work;
  if (incoming.hold === undefined) return;
  const digest = digestOf(order.id, "hold", incoming.hold);
  followed.snapshot.hold = digest;
  if (incoming.hold === null) return settle(work, sourceHold, conflictHandle("on_hold"));
  // A user may have released it since.
  if (before?.hold === digest) return;
  const verdict = sourceVerdict(followed.patch.status ?? order.status, "on_hold");
  const holds = followed.patch.holds ?? order.holds;
  if (verdict === "apply") followed.patch.holds = withHold({ holds }, holdOfSource(incoming.hold, env));
  else if (verdict === "conflict") placeConflict(work, "on_hold");
  else followed.kept.push("holds");
}

/** Applies shipped quantities of the source; they never decrease. */
function followShipped({ order, incoming, before, followed: { patch, snapshot } }: Work): void {
  const shipped = new Map((incoming.lines ?? []).map(({ id, shippedQuantity = 0 }) => [id, shippedQuantity]));
  const some = [...shipped].filter(([, quantity]) => quantity > 0);
  const digest = digestOf(order.id, "shipped", some);
  if (incoming.lines) snapshot.shipped = digest;
  const status = patch.status ?? order.status;
  const hasLeft = status === "partially_shipped" || status === "shipped" || status === "delivered";
  if (!hasLeft || !incoming.lines || before?.shipped === digest) return;
  const lines = patch.lines ?? order.lines;
  const more = ({ id, quantity, shippedQuantity }: OrderLine): number =>
    Math.max(shippedQuantity, Math.min(shipped.get(id) ?? 0, quantity));
  patch.lines = lines.map((line) => ({ ...line, shippedQuantity: more(line) }));
}

/** Adds tags and never removes any; a tag removed locally is not added again. */
function followTags(
  order: Order,
  tags: string[],
  before: SourceSnapshot | undefined,
  { patch, snapshot, kept }: Followed,
): void {
  const added = tags.filter((tag) => !order.tags.includes(tag));
  const unheard = added.filter((tag) => before?.[`tags/${tag}`] === undefined);
  const news = [...new Set(unheard)].slice(0, Math.max(0, orderLimits.tags - order.tags.length));
  for (const tag of tags) snapshot[`tags/${tag}`] = "";
  if (news.length > 0) patch.tags = [...order.tags, ...news];
  if (news.length < added.length) kept.push("tags");
}

/** Field by field: the hub has custom fields that the source does not know. */
function followCustomFields(
  order: Order,
  incoming: NonNullable<OrderRequest["customFields"]>,
  before: SourceSnapshot | undefined,
  { patch, snapshot, kept, overwritten }: Followed,
): void {
  const customFields = { ...order.customFields };
  const isMarked = (path: string): boolean => before?.[path] !== undefined;
  for (const [name, value] of Object.entries(incoming)) {
    const path = `customFields/${name}`;
    const digest = digestOf(order.id, path, value);
    snapshot[path] = digest;
    if (customFields[name] === value) continue;
    const isFull = !(name in customFields) && Object.keys(customFields).length >= orderLimits.customFields;
    if (before?.[path] === digest || isFull) kept.push(path);
    else {
      if (isMarked(path) && digestOf(order.id, path, customFields[name]) !== before?.[path]) overwritten.push(path);
      customFields[name] = value;
    }
  }
  for (const name of Object.keys(customFields)) {
    const path = `customFields/${name}`;
    // Removed at the source.
    if (!(name in incoming) && isMarked(path)) delete customFields[name];
  }
  if (!isDeepStrictEqual(customFields, order.customFields)) patch.customFields = customFields;
}

function keptSnapshot(before: SourceSnapshot, request: ImportedOrder): SourceSnapshot {
  const isReplaced = (path: string): boolean => request.customFields !== undefined && path.startsWith("customFields/");
  return Object.fromEntries(Object.entries(before).filter(([path]) => !isReplaced(path)));
}

/** Without fields added by the hub. */
function comparable(field: keyof Order, value: unknown): unknown {
  if (field === "archivedAt") return value !== null;
  if (field !== "lines") return value;
  return (value as OrderLine[]).map(({ id: _id, shippedQuantity: _shipped, ...line }) => line);
}

/** Includes the order ID, so that equal values of two orders have different hashes. */
function digestOf(orderId: string, path: string, value: unknown): string {
  return hash("sha256", `${orderId} ${path} ${sortedJson(value)}`, "base64url").slice(0, 11);
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(",")}}`;
}
