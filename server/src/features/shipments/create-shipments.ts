import type { RowFailure } from "../../core/row-failure.ts";
import { answerInBulk, byShapeAndRules, failAt, sortRows, toError } from "../../core/row-failure.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { batchesOf, recordEvent, recordEvents } from "../../events/record-event.ts";
import { explainUnknown, lockOrders, readOrders, resolveRefs } from "../orders/orders.ts";
import { deliverOrders } from "./deliver-orders.ts";
import { presentTo } from "./present-shipment.ts";
import type { BulkAnswer, ShipmentAnswer } from "./shipment-answers.schemas.ts";
import type { ParcelOfLabel, ShipmentOrder } from "./shipment-fields.ts";
import { newShipment, ruleErrors } from "./shipment-fields.ts";
import { addToStats } from "./shipment-stats.store.ts";
import type { Shipment } from "./shipment.ts";
import { carrierKeyOf, trackingKeyOf } from "./shipment.ts";
import type { ShipmentRequest } from "./shipments.schemas.ts";
import { ShipmentRequest as ShipmentRequestShape } from "./shipments.schemas.ts";
import * as store from "./shipments.store.ts";

export type Outcome = { shipment: Shipment } | { failure: RowFailure };

type Draft = { index: number; shipment: Shipment };
/** Validated requests; nothing is written yet. */
export type Prepared = { drafts: Draft[]; failures: Map<number, RowFailure>; count: number };

const findErrors = byShapeAndRules(ShipmentRequestShape, ruleErrors);

export async function createShipment(ctx: Ctx, request: ShipmentRequest): Promise<ShipmentAnswer> {
  const prepared = await prepareShipments(ctx, [request], "api");
  return await change(ctx, async (tx) => {
    const [outcome] = await insertPrepared(tx, ctx, prepared);
    if (!outcome || "failure" in outcome) throw toError(outcome!.failure);
    recordCreated(tx, ctx, outcome.shipment);
    return presentTo(ctx, outcome.shipment);
  });
}

export async function createShipmentsInBulk(ctx: Ctx, requests: unknown[]): Promise<BulkAnswer> {
  const prepared = await prepareShipments(ctx, requests, "api");
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared);
    recordBatch(tx, ctx, outcomes.flatMap(createdOf), "bulk");
    return answerInBulk(
      "/shipments",
      outcomes.map((outcome) => {
        if ("failure" in outcome) return outcome;
        const { id, trackingNumber } = outcome.shipment;
        return { known: { id, trackingNumber } };
      }),
    );
  });
}

/** All checks that need no write: shape, rules, orders, and duplicates within the call. */
export async function prepareShipments(
  ctx: Ctx,
  requests: unknown[],
  source: Shipment["source"],
  label?: ParcelOfLabel,
): Promise<Prepared> {
  const now = ctx.clock.now().toISOString();
  const { sound, failures } = sortRows(requests as ShipmentRequest[], (request) => findErrors(request, now));
  const orderOf = await findOrders(
    ctx.db,
    ctx.orgId,
    sound.map(({ request }) => request),
  );
  const unknown = sound.flatMap(({ request }) => (orderOf(request) ? [] : (request.orderNumber ?? [])));
  const explain = await explainUnknown(ctx.db, ctx.orgId, unknown);
  const drafts: Draft[] = [];
  const seen = new Map<string, number>();
  for (const { index, request } of sound) {
    const order = orderOf(request);
    if (request.orderId !== undefined && !order) {
      const message = `There is no order ${request.orderId} in this organization.`;
      failures.set(index, failAt("/orderId", "order_not_found", message));
      continue;
    }
    const { code, message } = explain(request.orderNumber ?? "");
    // A shipment may arrive before its order, but an ambiguous order number must not pick one of several orders.
    if (!order && code === "order_number_ambiguous") {
      failures.set(index, failAt("/orderNumber", code, message));
      continue;
    }
    const shipment = newShipment(request, order, source, { now, newId: ctx.newId }, label);
    const key = keyOf(shipment);
    const twin = key === undefined ? undefined : seen.get(key);
    if (key !== undefined && twin === undefined) seen.set(key, index);
    if (twin === undefined) drafts.push({ index, shipment });
    else
      failures.set(index, failAt("/trackingNumber", "shipment_exists", `Duplicate of item ${twin} in this request.`));
  }
  return { drafts, failures, count: requests.length };
}

/** The orders that the requests name by ID or number, in two queries. */
async function findOrders(
  db: Queryable,
  orgId: string,
  requests: ShipmentRequest[],
): Promise<(request: ShipmentRequest) => ShipmentOrder | undefined> {
  const refOf = ({ orderId, orderNumber }: ShipmentRequest): string | undefined => orderId ?? orderNumber;
  const refs = [...new Set(requests.map(refOf).filter((ref) => ref !== undefined))];
  if (refs.length === 0) return () => undefined;
  const ids = await resolveRefs(db, orgId, refs);
  const orders = new Map((await readOrders(db, orgId, [...new Set(ids.values())])).map((order) => [order.id, order]));
  return (request) => orders.get(ids.get(refOf(request) ?? "") ?? "");
}

/** The key of the unique index shipments_tracking_key. */
function keyOf({ trackingNumber, carrier, orderId }: Shipment): string | undefined {
  if (trackingNumber === null) return undefined;
  return `${trackingKeyOf(trackingNumber)} ${orderId ?? ""} ${carrier === null ? "" : carrierKeyOf(carrier)}`;
}

/** Drafts that exist already, by index; also for dry runs. */
export async function findStoredTwins(db: Queryable, orgId: string, drafts: Draft[]): Promise<Map<number, RowFailure>> {
  const keys = drafts.flatMap(({ shipment: { trackingNumber } }) =>
    trackingNumber === null ? [] : [trackingKeyOf(trackingNumber)],
  );
  const stored = new Map(
    (await store.findByTrackingKeys(db, orgId, keys)).map(({ id, trackingKey, orderId, carrierKey }) => [
      `${trackingKey} ${orderId ?? ""} ${carrierKey ?? ""}`,
      id,
    ]),
  );
  const twins = drafts.flatMap(({ index, shipment }): [number, RowFailure][] => {
    const existingId = stored.get(keyOf(shipment) ?? "");
    return existingId === undefined ? [] : [[index, exists(shipment, existingId)]];
  });
  return new Map(twins);
}

/** Inserts all drafts in one statement. A shipment that exists already fails on its own. */
export async function insertPrepared(tx: Tx, ctx: Ctx, prepared: Prepared): Promise<Outcome[]> {
  const { failures, count } = prepared;
  // The unique index excludes shipments of runs, so shipments that an order lists are checked here.
  const ofOrders = prepared.drafts.filter(({ shipment }) => shipment.orderId !== null);
  const listed = await findStoredTwins(tx, ctx.orgId, ofOrders);
  const drafts = prepared.drafts.filter(({ index }) => !listed.has(index));
  const outcomes: Outcome[] = [];
  for (const [index, failure] of [...failures, ...listed]) outcomes[index] = { failure };
  const arrived = drafts.flatMap(({ shipment: { orderId, status } }) =>
    orderId !== null && status === "delivered" ? [orderId] : [],
  );
  // Before the insert, whose foreign key takes a weaker lock on the order.
  if (arrived.length > 0) await lockOrders(tx, ctx.orgId, arrived);
  const shipments = drafts.map(({ shipment }) => shipment);
  const inserted = await store.insertShipments(tx, ctx.orgId, shipments);
  const refused = drafts.filter(({ shipment }) => !inserted.has(shipment.id));
  const twins = await findStoredTwins(tx, ctx.orgId, refused);
  for (const { index, shipment } of drafts) {
    outcomes[index] = inserted.has(shipment.id)
      ? { shipment }
      : { failure: twins.get(index) ?? exists(shipment, undefined) };
  }
  const created = shipments.filter(({ id }) => inserted.has(id)).map((after) => ({ after }));
  await deliverOrders(tx, ctx, arrived);
  await addToStats(tx, ctx.orgId, created);
  return Array.from({ length: count }, (_, index) => outcomes[index]!);
}

export function recordCreated(tx: Tx, ctx: Ctx, shipment: Shipment): void {
  const { id, trackingNumber, carrier, orderNumber, status, version } = shipment;
  const data = { trackingNumber, carrier, orderNumber, status, version };
  recordEvent(tx, ctx, { type: "shipment.created", objectId: id, data });
}

/** Records events that name each shipment. */
export function recordBatch(tx: Tx, ctx: Ctx, created: readonly Shipment[], source: "bulk" | "csv" | "run"): void {
  const items = created.map(({ id, trackingNumber, version }) => ({ id, trackingNumber, version }));
  const objectId = ctx.newId();
  recordEvents(
    tx,
    ctx,
    batchesOf(items).map((batch) => ({ type: "shipments.created", objectId, data: { source, ...batch } })),
  );
}

export function createdOf(outcome: Outcome): Shipment[] {
  return "shipment" in outcome ? [outcome.shipment] : [];
}

function exists({ trackingNumber }: Shipment, existingId: string | undefined): RowFailure {
  const message = `A shipment with tracking number ${trackingNumber} already exists${existingId === undefined ? "" : `: ${existingId}`}.`;
  return { ...failAt("/trackingNumber", "shipment_exists", message), ...(existingId && { existingId }) };
}
