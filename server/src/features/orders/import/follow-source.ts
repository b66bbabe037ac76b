import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { canMove } from "../../../core/states.ts";
import { fieldsOf } from "../order-fields.ts";
import type { Order, OrderEnv, OrderLine, OrderPatch } from "../order.ts";
import { isOnHold } from "../order.ts";
import type { OrderRequest } from "../orders.schemas.ts";
import { orderMoves, orderStatuses } from "../orders.states.ts";

/** What a source last said, as a short hash for each thing it says something about. */
export type Marks = Record<string, string>;

type RequestField = keyof OrderRequest;

/** The order takes these over when it comes, and not again: number, notes, priority and assignee belong to the hub. */
const takenOnce: ReadonlySet<string> = new Set(["number", "notes", "priority", "assigneeId"]);
/** Each with rules of its own. */
const apart: ReadonlySet<string> = new Set(["status", "tags", "customFields"]);
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
  leftOut: Map<keyof Order, unknown>;
  /** Fields that were changed here and, later, there. */
  overwritten: string[];
};

/**
 * What a source changed since it was last heard is taken over; what it only repeats is no news, and whatever was done
 * here stays. `before`: what it said then, undefined when that is not known.
 */
export function followSource(order: Order, request: OrderRequest, before: Marks | undefined, env: OrderEnv): Followed {
  const followed: Followed = { patch: {}, marks: {}, kept: [], leftOut: new Map(), overwritten: [] };
  followFields(order, request, before, env, followed);
  followStatus(order, request, before, followed);
  if (request.tags) followTags(order, request.tags, before, followed);
  if (request.customFields) followCustomFields(order, request.customFields, before, followed);
  // What it says nothing about this time it has not taken back.
  followed.marks = { ...(before && keptMarks(before, request)), ...followed.marks };
  return followed;
}

/** What a source said when it delivered an order for the first time. */
export function firstMarks(order: Order, request: OrderRequest, env: OrderEnv): Marks {
  return followSource(order, request, undefined, env).marks;
}

function followFields(
  order: Order,
  request: OrderRequest,
  before: Marks | undefined,
  env: OrderEnv,
  { patch, marks, kept, leftOut, overwritten }: Followed,
): void {
  const isFollowed = (field: string): boolean => !takenOnce.has(field) && !apart.has(field) && !identity.has(field);
  const fields = (Object.keys(request) as RequestField[]).filter(isFollowed);
  // As if the order were new: what a field becomes must not depend on what it is.
  const said = fieldsOf(request, fields, env);
  const taken: RequestField[] = [];
  for (const field of fields) {
    const name = field === "archived" ? "archivedAt" : (field as keyof OrderPatch);
    const [here, there] = [comparable(name, order[name]), comparable(name, said[name])];
    const last = before?.[field];
    const mark = markOf(order.id, field, there);
    marks[field] = mark;
    if (isDeepStrictEqual(here, there)) continue;
    const isRepeated = last === mark;
    const isChangedHere = last !== undefined && markOf(order.id, field, here) !== last;
    if (isRepeated || (isChangedHere && keptInConflict.has(field))) {
      kept.push(field);
      if (!isRepeated) leftOut.set(name, said[name]);
      continue;
    }
    taken.push(field);
    if (isChangedHere) overwritten.push(field);
  }
  Object.assign(patch, fieldsOf(request, taken, env, order));
}

/** What happened there moves the order on, never back, and never past a hold. */
function followStatus(
  order: Order,
  { status }: OrderRequest,
  before: Marks | undefined,
  { patch, marks }: Followed,
): void {
  if (status === undefined) return;
  const mark = markOf(order.id, "status", status);
  // Somebody has moved the order since: that the source says the same as before takes nothing back.
  if (before?.status === mark) return;
  // The table has ways back, for people: a shop that still calls an order ready must not have it sent a second time.
  const isOnward = orderStatuses.indexOf(status) > orderStatuses.indexOf(order.status);
  const mayFollow = canMove(orderMoves, order.status, status) && (status === "cancelled" || !isOnHold(order));
  if (isOnward && mayFollow) patch.status = status;
  // What cannot be followed yet is not settled: it is tried again with the next import.
  if (!isOnward || mayFollow) marks.status = mark;
}

/** Tags are added, never taken away; one that was removed here does not come back. */
function followTags(order: Order, tags: string[], before: Marks | undefined, { patch, marks, kept }: Followed): void {
  const added = tags.filter((tag) => !order.tags.includes(tag));
  const news = added.filter((tag) => before?.[`tags/${tag}`] === undefined);
  for (const tag of tags) marks[`tags/${tag}`] = "";
  if (news.length > 0) patch.tags = [...order.tags, ...new Set(news)];
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
    if (before?.[path] === mark) kept.push(path);
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

function keptMarks(before: Marks, request: OrderRequest): Marks {
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
