import type { RowFailure } from "../../core/row-failure.ts";
import { answerInBulk, byShapeAndRules, failAt, sortRows, toError } from "../../core/row-failure.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { BulkAnswer, OrderAnswer } from "./order-answers.schemas.ts";
import { recordOrders } from "./order-events.ts";
import { newOrder, ruleErrors } from "./order-fields.ts";
import type { ChangeKind } from "./order-history.store.ts";
import { insertChanges } from "./order-history.store.ts";
import { findMissingReferences } from "./order-references.ts";
import type { Order } from "./order.ts";
import { normalizeNumber } from "./order.ts";
import { presentTo } from "./personal-data.ts";
import type { OrderRequest } from "./orders.schemas.ts";
import { ImportedOrder, OrderRequest as OrderRequestShape } from "./orders.schemas.ts";
import * as store from "./orders.store.ts";

type Outcome = { order: Order } | { failure: RowFailure };

/** A valid request without a number yet. */
type Draft = { index: number; request: OrderRequest };

/** Validated requests; nothing is written yet. */
type Prepared = { drafts: Draft[]; failures: Map<number, RowFailure>; count: number };

/** Errors of a single request. */
const findRequestErrors = byShapeAndRules(OrderRequestShape, ruleErrors);
/** Errors of a single imported order. */
export const findImportedErrors = byShapeAndRules(ImportedOrder, ruleErrors);

export async function createOrder(ctx: Ctx, request: OrderRequest): Promise<OrderAnswer> {
  const prepared = await prepareOrders(ctx.db, ctx.orgId, [request]);
  const numbers = await reserveNumbers(ctx, prepared);
  return await change(ctx, async (tx) => {
    const [outcome] = await insertPrepared(tx, ctx, prepared, numbers, "created");
    if (!outcome || "failure" in outcome) throw toError(outcome!.failure);
    const { id, number, status, version } = outcome.order;
    recordEvent(tx, ctx, { type: "order.created", objectId: id, data: { number, status, version } });
    return presentTo(ctx, outcome.order);
  });
}

export async function createOrdersInBulk(ctx: Ctx, requests: unknown[]): Promise<BulkAnswer> {
  const prepared = await prepareOrders(ctx.db, ctx.orgId, requests);
  const numbers = await reserveNumbers(ctx, prepared);
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared, numbers, "created");
    recordCreation(tx, ctx, outcomes, "bulk");
    return answerInBulk(
      "/orders",
      outcomes.map((outcome) =>
        "order" in outcome ? { known: { id: outcome.order.id, number: outcome.order.number } } : outcome,
      ),
    );
  });
}

/** All checks without writing: schemas, rules, references, and duplicates within the call. */
export async function prepareOrders(
  db: Queryable,
  orgId: string,
  requests: unknown[],
  findErrors = findRequestErrors,
): Promise<Prepared> {
  const { sound, failures } = sortRows(requests as OrderRequest[], (request) => findErrors(request));
  const missing = await findMissingReferences(
    db,
    orgId,
    sound.map(({ request }) => request),
  );
  for (const [i, { index }] of sound.entries()) if (missing[i]) failures.set(index, missing[i]);
  const taken = new Set<string>();
  const drafts = sound.filter((draft) => {
    if (failures.has(draft.index)) return false;
    const failure = findTwin(draft.request, taken);
    if (failure) failures.set(draft.index, failure);
    return !failure;
  });
  return { drafts, failures, count: requests.length };
}

function findTwin({ number, bridgeId, externalId }: OrderRequest, taken: Set<string>): RowFailure | undefined {
  const keys: [string, RowFailure][] = [];
  if (number !== undefined)
    keys.push([`number ${store.numberKey({ bridgeId: bridgeId ?? null, number })}`, numberTaken(number)]);
  if (bridgeId !== undefined && externalId !== undefined) {
    keys.push([`external ${bridgeId.toLowerCase()} ${externalId}`, externalIdTaken(externalId)]);
  }
  const twin = keys.find(([key]) => taken.has(key));
  if (!twin) for (const [key] of keys) taken.add(key);
  return twin?.[1];
}

/**
 * In a separate transaction without synchronous commit: creating an order must not block the others of the organization until
 * the counter is on disk. If the counter is lost in a crash, numbers in use are skipped.
 */
async function reserveNumbers(ctx: Ctx, prepared: Prepared): Promise<string[]> {
  const { orgId } = ctx;
  const count = countUnnumbered(prepared);
  if (count === 0) return [];
  const given = givenNumbers(prepared.drafts);
  const { numbers, taken } = await store.takeOrderNumbers(ctx.db, orgId, count, { isRelaxed: true });
  const free = numbers.filter((number) => !taken.has(number) && !given.has(number));
  const lacking = count - free.length;
  return lacking === 0
    ? free
    : [...free, ...(await ctx.db.transaction((tx) => takeFreeNumbers(tx, orgId, lacking, given), relaxed))];
}

const relaxed = "set local synchronous_commit = off";

/** Creates orders of a file or bridge, in the transaction of the import. */
export async function createImported(tx: Tx, ctx: Ctx, requests: unknown[]): Promise<Outcome[]> {
  const prepared = await prepareOrders(tx, ctx.orgId, requests, findImportedErrors);
  const numbers = await takeNumbers(tx, ctx.orgId, prepared);
  return await insertPrepared(tx, ctx, prepared, numbers, "imported");
}

/** Numbers for the orders without one. */
async function takeNumbers(tx: Tx, orgId: string, prepared: Prepared): Promise<string[]> {
  const count = countUnnumbered(prepared);
  return count === 0 ? [] : await takeFreeNumbers(tx, orgId, count, givenNumbers(prepared.drafts));
}

function countUnnumbered({ drafts }: Prepared): number {
  return drafts.filter(({ request }) => request.number === undefined).length;
}

function givenNumbers(drafts: Draft[]): Set<string> {
  return new Set(
    drafts.flatMap(({ request }) => (request.number === undefined ? [] : normalizeNumber(request.number))),
  );
}

async function takeFreeNumbers(tx: Tx, orgId: string, count: number, given: ReadonlySet<string>): Promise<string[]> {
  const free: string[] = [];
  for (let factor = 1; free.length < count; factor *= 2) {
    const { numbers, taken } = await store.takeOrderNumbers(tx, orgId, (count - free.length) * factor);
    for (const [i, number] of numbers.entries()) {
      if (free.length === count) {
        await store.returnOrderNumbers(tx, orgId, numbers.length - i);
        break;
      }
      if (!taken.has(number) && !given.has(number)) free.push(number);
    }
  }
  return free;
}

/** The conflicts that an insert would meet, for dry runs. */
export async function findStoredTwins(
  db: Queryable,
  orgId: string,
  { drafts }: Prepared,
): Promise<Map<number, RowFailure>> {
  const given = drafts.flatMap(({ index, request: { number, bridgeId = null } }) =>
    number === undefined ? [] : [{ index, number, bridgeId }],
  );
  const taken = await store.findTakenAtBridges(db, orgId, given);
  const twins = given.filter((one) => taken.has(store.numberKey(one)));
  return new Map(twins.map(({ index, number }) => [index, numberTaken(number)]));
}

/** One insert for all. A duplicate number or external ID fails only its own order. */
async function insertPrepared(
  tx: Tx,
  ctx: Ctx,
  { drafts, failures, count }: Prepared,
  numbers: string[],
  kind: ChangeKind,
): Promise<Outcome[]> {
  const at = ctx.clock.now();
  const env = { now: at.toISOString(), actor: ctx.actor, newId: ctx.newId };
  const given = givenNumbers(drafts);
  const outcomes: Outcome[] = [];
  for (const [index, failure] of failures) outcomes[index] = { failure };
  let next = 0;
  let waiting = drafts.map(({ index, request }) => ({
    index,
    request,
    order: newOrder(request, request.number ?? numbers[next++]!, env),
  }));
  while (waiting.length > 0) {
    const orders = waiting.map(({ order }) => order);
    const inserted = await store.insertOrders(tx, ctx.orgId, orders);
    const refused = waiting.filter(({ order }) => !inserted.has(order.id));
    for (const { index, order } of waiting) if (inserted.has(order.id)) outcomes[index] = { order };
    if (refused.length === 0) break;
    const numbersOf = refused.map(({ order: { bridgeId, number } }) => ({ bridgeId, number }));
    const taken = await store.findTakenAtBridges(tx, ctx.orgId, numbersOf);
    // A concurrent request used a generated number: the order gets another one.
    waiting = refused.filter(({ request, order }) => request.number === undefined && taken.has(store.numberKey(order)));
    for (const { index, request, order } of refused) {
      if (!taken.has(store.numberKey(order))) outcomes[index] = { failure: externalIdTaken(order.externalId ?? "") };
      else if (request.number !== undefined) outcomes[index] = { failure: numberTaken(request.number) };
    }
    const others = waiting.length === 0 ? [] : await takeFreeNumbers(tx, ctx.orgId, waiting.length, given);
    for (const [i, { order }] of waiting.entries()) order.number = others[i]!;
  }
  const entries = createdIn(outcomes).map(({ id }) => ({ orderId: id, changes: [], version: 1 }));
  insertChanges(tx, ctx.orgId, entries, { ...ctx, kind, at });
  return Array.from({ length: count }, (_, index) => outcomes[index]!);
}

export function recordCreation(tx: Tx, ctx: Ctx, outcomes: Outcome[], source: "bulk" | "csv"): void {
  recordOrders(tx, ctx, { type: "orders.created", source, orders: createdIn(outcomes) });
}

function createdIn(outcomes: Outcome[]): Order[] {
  return outcomes.flatMap((outcome) => ("order" in outcome ? [outcome.order] : []));
}

function numberTaken(number: string): RowFailure {
  return failAt("/number", "order_number_taken", `Another order has the number ${number}.`);
}

function externalIdTaken(externalId: string): RowFailure {
  return failAt(
    "/externalId",
    "external_id_taken",
    `The bridge already has an order with the external ID ${externalId}.`,
  );
}
