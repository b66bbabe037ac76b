import { isDeepStrictEqual } from "node:util";
import { orderLimits } from "../../../core/order-limits.ts";
import { fieldsOf, holdOfSource } from "../order-fields.ts";
import type { Order, OrderEnv, OrderLine, OrderPatch } from "../order.ts";
import { isShippable } from "../order.ts";
import { withHold } from "../order-rules.ts";
import { followingTotal } from "../order-total.ts";
import type { ImportedOrder, OrderRequest } from "../orders.schemas.ts";
import { beforeSending } from "../orders.states.ts";
import type { SourceFact } from "../source-rules.ts";
import { conflictHandle, sourceHold, sourceVerdict } from "../source-rules.ts";
import { followStatus } from "./follow-status.ts";
import type { Followed, Work } from "./source-conflicts.ts";
import { placeConflict, settle } from "./source-conflicts.ts";
import type { SourceSnapshot } from "./source-snapshot.ts";
import { digestOf, keptSnapshot } from "./source-snapshot.ts";

type RequestField = keyof OrderRequest;

/** Imported once: afterwards number, notes, priority and assignee belong to the hub. */
const importedOnce: ReadonlySet<string> = new Set(["number", "notes", "priority", "assigneeId"]);
/** Fields with special rules. */
const specialFields: ReadonlySet<string> = new Set(["status", "tags", "customFields", "hold", "deleted"]);
/** Identifies the order at its source. */
const identity: ReadonlySet<string> = new Set(["bridgeId", "externalId"]);
/** If changed locally, the order was split, merged or edited: applying the source would ship items twice. */
const keptInConflict: ReadonlySet<string> = new Set(["lines", "total"]);

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
  const isOlder = isOfOlderVersion(work);
  for (const field of fields) {
    const name = field === "archived" ? "archivedAt" : (field as keyof OrderPatch);
    const [here, there] = [comparable(name, order[name]), comparable(name, fresh[name])];
    const last = before?.[field];
    const digest = digestOf(order.id, field, there);
    snapshot[field] = digest;
    const about = factsOfFields[field];
    const isSame = isDeepStrictEqual(here, there);
    // A changed name or price does not affect shipping.
    const isShippedAlike = isSame || (field === "lines" && isSameContent(work, fresh.lines ?? []));
    if (about && isShippedAlike) {
      settle(work, conflictHandle(about));
      agreed.push(about);
    }
    if (isSame) continue;
    if (field === "locationId" && isRoutedHere(order, last)) {
      kept.push(field);
      continue;
    }
    const fact = isShippedAlike ? undefined : about;
    const isChangedHere = last !== undefined && digestOf(order.id, field, here) !== last;
    const wasSaid = (value: unknown): boolean => last === digestOf(order.id, field, value);
    const isRepeated = last === digest || (isChangedHere && isOlder && earlierForms(field, there).some(wasSaid));
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
  if (incoming.total === undefined) Object.assign(patch, followingTotal(order, patch));
}

/** A location that a user or an automation has chosen is kept, as is that of an order which was sent there already. */
function isRoutedHere({ id, status, locationId }: Order, last: string | undefined): boolean {
  const isChosen = locationId !== null && last !== digestOf(id, "locationId", locationId);
  return isChosen || !beforeSending.includes(status);
}

const factsOfFields: Partial<Record<RequestField, SourceFact>> = {
  shippingAddress: "address_changed",
  lines: "quantity_changed",
};

/** Whether the source has changed what has to be shipped. */
function isSameContent(work: Work, fresh: OrderLine[]): boolean {
  // Earlier versions did not say which lines need no shipping: that is no change of the source.
  const known = new Set(isOfOlderVersion(work) ? fresh.filter((line) => !isShippable(line)).map(({ id }) => id) : []);
  const contentOf = (lines: OrderLine[]): string[] =>
    lines
      .filter((line) => isShippable(line) && !known.has(line.id))
      .map(({ sku, quantity }) => `${quantity} ${sku}`)
      .toSorted();
  return isDeepStrictEqual(contentOf(work.order.lines), contentOf(fresh));
}

/** The last import was by a version that knew no amounts and fewer fields of lines and customers. */
function isOfOlderVersion({ incoming, before }: Work): boolean {
  return before !== undefined && before.amounts === undefined && incoming.amounts !== undefined;
}

/**
 * The values that an earlier version may have imported. If one of them is the last state of the source, only the version has changed: a
 * local edit is neither overwritten nor reported as a conflict.
 */
function earlierForms(field: RequestField, there: unknown): unknown[] {
  if (field === "customer") {
    const { id: _id, ...customer } = there as Order["customer"];
    return [customer];
  }
  if (field !== "lines") return [];
  const plain = (lines: OrderLine[]): unknown[] =>
    lines.map(({ sku, name, quantity, price, weight }) => ({ sku, name, quantity, price, weight }));
  const lines = there as OrderLine[];
  // Of Shopify, lines that need no shipping were left out.
  return [plain(lines), plain(lines.filter(isShippable))];
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

/** Without fields added by the hub. */
function comparable(field: keyof Order, value: unknown): unknown {
  if (field === "archivedAt") return value !== null;
  if (field !== "lines") return value;
  return (value as OrderLine[]).map(({ id: _id, shippedQuantity: _shipped, ...line }) => line);
}
