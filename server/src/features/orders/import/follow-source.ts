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

/** What a source last said, as a short hash for each thing it says something about. */
export type Marks = Record<string, string>;

type RequestField = keyof OrderRequest;

/** The order takes these over when it comes, and not again: number, notes, priority and assignee belong to the hub. */
const takenOnce: ReadonlySet<string> = new Set(["number", "notes", "priority", "assigneeId"]);
/** Each with rules of its own. */
const apart: ReadonlySet<string> = new Set(["status", "tags", "customFields", "hold", "deleted"]);
/** Who the order is at its source; that is how it was found. */
const identity: ReadonlySet<string> = new Set(["bridgeId", "externalId"]);
/** Changed here they were split, merged or exchanged: to follow the source would ship things twice. */
const keptInConflict: ReadonlySet<string> = new Set(["lines", "total"]);

export type Followed = {
  patch: OrderPatch;
  marks: Marks;
  /** Fields that say something else here than there, and stay. */
  kept: string[];
  /** Those of them that have just changed there, and what the source says now. */
  leftOut: Map<keyof Order, { to: unknown; fact: DisputedFact }>;
  /** What is the same on both sides again, or was taken back there. */
  agreed: SourceFact[];
  /** Fields that were changed here and, later, there. */
  overwritten: string[];
  /** What was not done, so that the order is on hold until somebody has decided. */
  conflicts: SourceFact[];
  /** The partner is to be asked to give it back. */
  isRecalled: boolean;
  takesLines: boolean;
};

type Work = {
  order: Order;
  said: ImportedOrder;
  before: Marks | undefined;
  env: OrderEnv;
  /** Whether the order's fulfilment partner can be asked to give it back. */
  canRecall: boolean;
  followed: Followed;
};

/**
 * What a source changed since it was last heard is taken over, as far as the rules for sources have it; what it only
 * repeats is no news, and whatever was done here stays. `before`: what it said then, undefined when that is not known.
 */
export function followSource(
  order: Order,
  said: ImportedOrder,
  before: Marks | undefined,
  env: OrderEnv,
  canRecall = false,
): Followed {
  const followed: Followed = {
    patch: {},
    marks: {},
    kept: [],
    leftOut: new Map(),
    agreed: [],
    overwritten: [],
    conflicts: [],
    isRecalled: false,
    takesLines: false,
  };
  const work = { order, said, before, env, canRecall, followed };
  followStatus(work);
  followFields(work);
  followHold(work);
  followShipped(work);
  if (said.tags) followTags(order, said.tags, before, followed);
  if (said.customFields) followCustomFields(order, said.customFields, before, followed);
  // What it says nothing about this time it has not taken back.
  followed.marks = { ...(before && keptMarks(before, said)), ...followed.marks };
  return followed;
}

/** What a source said when it delivered an order for the first time. */
export function firstMarks(order: Order, said: ImportedOrder, env: OrderEnv): Marks {
  return followSource(order, said, undefined, env).marks;
}

function followFields(work: Work): void {
  const { order, said, before, env, followed } = work;
  const { patch, marks, kept, leftOut, agreed, overwritten } = followed;
  const isFollowed = (field: string): boolean => !takenOnce.has(field) && !apart.has(field) && !identity.has(field);
  const named = (Object.keys(said) as RequestField[]).filter(isFollowed);
  // The total goes with the lines.
  const fields = named.toSorted((a, b) => Number(a === "total") - Number(b === "total"));
  // As if the order were new: what a field becomes must not depend on what it is.
  const fresh = fieldsOf(said, fields, env);
  const taken: RequestField[] = [];
  for (const field of fields) {
    const name = field === "archived" ? "archivedAt" : (field as keyof OrderPatch);
    const [here, there] = [comparable(name, order[name]), comparable(name, fresh[name])];
    const last = before?.[field];
    const mark = markOf(order.id, field, there);
    marks[field] = mark;
    const about = factsOfFields[field];
    const isSame = isDeepStrictEqual(here, there);
    // Another name or price changes nothing about what is to be shipped.
    const isShippedAlike = isSame || (field === "lines" && isDeepStrictEqual(contentOf(here), contentOf(there)));
    if (about && isShippedAlike) {
      settle(work, conflictHandle(about));
      agreed.push(about);
    }
    if (isSame) continue;
    const fact = isShippedAlike ? undefined : about;
    const isRepeated = last === mark;
    const isChangedHere = last !== undefined && markOf(order.id, field, here) !== last;
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
  Object.assign(patch, fieldsOf(said, taken, env, order));
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
  // It has left by now, or was called off: there is nothing to hold back.
  if (!openStatuses.includes(patch.status ?? order.status)) return;
  conflicts.push(fact);
  patch.holds = withHold({ holds: patch.holds ?? order.holds }, conflictHold(env, order, fact, more));
}

/** The source has taken back what the order was held for. */
function settle(work: Work, ...handles: string[]): void {
  drop(work, (hold) => isOfSource(hold) && handles.includes(hold.handle));
}

function drop({ order, followed: { patch } }: Work, isOver: (hold: Hold) => boolean): void {
  const holds = patch.holds ?? order.holds;
  if (holds.some(isOver)) patch.holds = holds.filter((hold) => !isOver(hold));
}

type Statement = { fact: SourceFact | "onward"; to: OrderStatus };

/** What the source says about the whole order, if that is news. */
function statementOf({ order, said, before }: Work): Statement | undefined {
  const { status } = said;
  const wasDeleted = before?.deleted === "yes";
  if (said.deleted) return wasDeleted ? undefined : { fact: "deleted", to: "cancelled" };
  const lastWas = (one: OrderStatus): boolean => before?.status === markOf(order.id, "status", one);
  const isPaid = said.paymentStatus === "paid" && before?.paymentStatus !== markOf(order.id, "paymentStatus", "paid");
  // Somebody has moved the order since: that the source says the same as before takes nothing back.
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
  const { order, said, before, canRecall, followed } = work;
  const { patch, marks } = followed;
  const statement = statementOf(work);
  const mark = said.status && markOf(order.id, "status", said.status);
  const lastKept = before?.["status/kept"];
  if (said.deleted || before?.deleted !== undefined) marks.deleted = said.deleted ? "yes" : "no";
  if (mark !== undefined) marks.status = mark;
  if (!statement) return followMoney(work);
  const { fact, to } = statement;
  // A hold that the source is the reason for does not keep it from saying what has happened.
  const free = { ...order, holds: order.holds.filter((hold) => !isOfSource(hold)) };
  const problem = moveProblem(free, to, { hasHappened: happened.includes(fact) });
  const isBehind = orderStatuses.indexOf(to) <= orderStatuses.indexOf(order.status);
  if (fact === "onward") {
    // The table has ways back, for people: a shop that still calls an order ready must not have it sent a second time.
    if (!isBehind && !problem) patch.status = to;
    else if (!isBehind) delete marks.status;
    return followMoney(work);
  }
  const verdict = sourceVerdict(order.status, fact);
  // What it says has happened, and more.
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
  // What a hold keeps from being followed is tried again with the next import, and said once.
  if (problem?.code === "on_hold" && mark !== undefined) {
    delete marks.status;
    marks["status/kept"] = mark;
  }
  if (mark === undefined || lastKept !== mark) followed.leftOut.set("status", { to, fact });
}

/** What was paid back is not shipped without somebody having looked; unless the whole order was called off. */
function followMoney(work: Work): void {
  const { order, said, before, followed } = work;
  if (said.paymentStatus === undefined || said.status === "cancelled" || said.deleted) return;
  const isNews = before?.paymentStatus !== markOf(order.id, "paymentStatus", said.paymentStatus);
  if (!isNews || said.paymentStatus === order.paymentStatus) return;
  if (said.paymentStatus !== "refunded") return settle(work, conflictHandle("refunded"));
  if (sourceVerdict(followed.patch.status ?? order.status, "refunded") === "conflict") placeConflict(work, "refunded");
}

function followHold(work: Work): void {
  const { order, said, before, env, followed } = work;
  if (said.hold === undefined) return;
  const mark = markOf(order.id, "hold", said.hold);
  followed.marks.hold = mark;
  if (said.hold === null) return settle(work, sourceHold, conflictHandle("on_hold"));
  // Somebody may have released it here since.
  if (before?.hold === mark) return;
  const verdict = sourceVerdict(followed.patch.status ?? order.status, "on_hold");
  const holds = followed.patch.holds ?? order.holds;
  if (verdict === "apply") followed.patch.holds = withHold({ holds }, holdOfSource(said.hold, env));
  else if (verdict === "conflict") placeConflict(work, "on_hold");
  else followed.kept.push("holds");
}

/** What the source has shipped of each line, which may be more than was shipped from here, never less. */
function followShipped({ order, said, before, followed: { patch, marks } }: Work): void {
  const shipped = new Map((said.lines ?? []).map(({ id, shippedQuantity = 0 }) => [id, shippedQuantity]));
  const some = [...shipped].filter(([, quantity]) => quantity > 0);
  const mark = markOf(order.id, "shipped", some);
  if (said.lines) marks.shipped = mark;
  const status = patch.status ?? order.status;
  const hasLeft = status === "partially_shipped" || status === "shipped" || status === "delivered";
  if (!hasLeft || !said.lines || before?.shipped === mark) return;
  const lines = patch.lines ?? order.lines;
  const more = ({ id, quantity, shippedQuantity }: OrderLine): number =>
    Math.max(shippedQuantity, Math.min(shipped.get(id) ?? 0, quantity));
  patch.lines = lines.map((line) => ({ ...line, shippedQuantity: more(line) }));
}

/** Tags are added, never taken away; one that was removed here does not come back. */
function followTags(order: Order, tags: string[], before: Marks | undefined, { patch, marks, kept }: Followed): void {
  const added = tags.filter((tag) => !order.tags.includes(tag));
  const unheard = added.filter((tag) => before?.[`tags/${tag}`] === undefined);
  const news = [...new Set(unheard)].slice(0, Math.max(0, orderLimits.tags - order.tags.length));
  for (const tag of tags) marks[`tags/${tag}`] = "";
  if (news.length > 0) patch.tags = [...order.tags, ...news];
  if (news.length < added.length) kept.push("tags");
}

/** One by one: the hub has custom fields that the source knows nothing of. */
function followCustomFields(
  order: Order,
  said: NonNullable<OrderRequest["customFields"]>,
  before: Marks | undefined,
  { patch, marks, kept, overwritten }: Followed,
): void {
  const customFields = { ...order.customFields };
  const isMarked = (path: string): boolean => before?.[path] !== undefined;
  for (const [name, value] of Object.entries(said)) {
    const path = `customFields/${name}`;
    const mark = markOf(order.id, path, value);
    marks[path] = mark;
    if (customFields[name] === value) continue;
    const isFull = !(name in customFields) && Object.keys(customFields).length >= orderLimits.customFields;
    if (before?.[path] === mark || isFull) kept.push(path);
    else {
      if (isMarked(path) && markOf(order.id, path, customFields[name]) !== before?.[path]) overwritten.push(path);
      customFields[name] = value;
    }
  }
  for (const name of Object.keys(customFields)) {
    const path = `customFields/${name}`;
    // The source had it, and has it no more.
    if (!(name in said) && isMarked(path)) delete customFields[name];
  }
  if (!isDeepStrictEqual(customFields, order.customFields)) patch.customFields = customFields;
}

function keptMarks(before: Marks, request: ImportedOrder): Marks {
  const isReplaced = (path: string): boolean => request.customFields !== undefined && path.startsWith("customFields/");
  return Object.fromEntries(Object.entries(before).filter(([path]) => !isReplaced(path)));
}

/** Without what the hub adds by itself. */
function comparable(field: keyof Order, value: unknown): unknown {
  if (field === "archivedAt") return value !== null;
  if (field !== "lines") return value;
  return (value as OrderLine[]).map(({ id: _id, shippedQuantity: _shipped, ...line }) => line);
}

/** The id of the order is in it: equal values of two orders cannot be told from their marks. */
function markOf(orderId: string, path: string, value: unknown): string {
  return hash("sha256", `${orderId} ${path} ${sortedJson(value)}`, "base64url").slice(0, 11);
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(",")}}`;
}
