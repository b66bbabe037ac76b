import type { ErrorCode } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { notFound } from "../../core/resources.ts";
import { canMove } from "../../core/states.ts";
import { textProblem } from "../../core/strict-json.ts";
import { createFinder } from "../../core/validation.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { violatedConstraint } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { OrderAnswer } from "./order-answers.schemas.ts";
import { fieldsOf, ruleErrors } from "./order-fields.ts";
import { insertChanges } from "./order-history.store.ts";
import { findMissingReferences } from "./order-references.ts";
import type { Order, OrderFields } from "./order.ts";
import { changesOf, isOnHold, obstacleTo } from "./order.ts";
import { maskedErrors, presentTo } from "./personal-data.ts";
import type { OrderPatchRequest, OrderRequest } from "./orders.schemas.ts";
import { OrderRequest as OrderRequestShape } from "./orders.schemas.ts";
import type { OrderStatus } from "./orders.states.ts";
import { orderMoves } from "./orders.states.ts";
import * as store from "./orders.store.ts";

const findErrors = createFinder(OrderRequestShape, "body");
const maxRefLength = 100;

/** By id or number. */
export async function findByRef(db: Queryable, ctx: Ctx, ref: string): Promise<Order> {
  const isPossible = ref.length <= maxRefLength && textProblem(ref) === undefined;
  const order = isPossible ? await store.findOrder(db, ctx.orgId, ref) : undefined;
  if (!order) throw notFound("order");
  return order;
}

export async function updateOrder(
  ctx: Ctx,
  ref: string,
  patch: OrderPatchRequest,
  ifMatch: number | undefined,
): Promise<OrderAnswer> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    const order = await lock(tx, ctx, ref);
    checkVersion(order, ifMatch);
    const request = await checkPatch(tx, ctx, order, patch);
    if (patch.status !== undefined) checkMove(order, patch.status);
    const at = ctx.clock.now();
    const env = { now: at.toISOString(), actor: ctx.actor, newId: ctx.newId };
    const fields = fieldsOf(request, Object.keys(patch) as (keyof OrderRequest)[], env, order);
    const changes = changesOf(order, fields);
    if (changes.length === 0) return presentTo(ctx, order);
    const updated = { ...order, ...fields, updatedAt: env.now, version: order.version + 1 };
    const touched = changes.map(({ path }) => path.slice(1)) as (keyof OrderFields)[];
    await refuseTaken(store.updateOrders(tx, ctx.orgId, [updated], touched, env.now));
    if (updated.number !== order.number) await store.renameInShipments(tx, ctx.orgId, updated, env.now);
    const entry = { orderId: order.id, changes, version: updated.version };
    await insertChanges(tx, ctx.orgId, [entry], { ...ctx, kind: "patched", at });
    const { number, status, version } = updated;
    const data = { number, fields: touched, status, version };
    await recordEvent(tx, ctx, { type: "order.updated", objectId: order.id, data });
    return presentTo(ctx, updated);
  });
}

export async function deleteOrder(ctx: Ctx, ref: string, ifMatch: number | undefined) {
  return await change(ctx, async (tx) => {
    const order = await lock(tx, ctx, ref);
    checkVersion(order, ifMatch);
    if (order.status !== "draft") {
      throw new HubError("order_not_draft", `The order is ${order.status}. Cancel or archive it instead.`);
    }
    await store.deleteOrders(tx, ctx.orgId, [order.id]);
    const { number, version } = order;
    await recordEvent(tx, ctx, { type: "order.deleted", objectId: order.id, data: { number, version } });
    return { id: order.id, deleted: true as const };
  });
}

/** The patched fields as they would stand in a request, checked by the rules for requests. */
async function checkPatch(tx: Tx, ctx: Ctx, order: Order, patch: OrderPatchRequest): Promise<OrderRequest> {
  const present = Object.fromEntries(Object.keys(patch).map((key) => [key, order[key as keyof Order]]));
  const request = mergePatch(present, patch) as OrderRequest;
  const shapeErrors = findErrors(request);
  const errors = shapeErrors.length > 0 ? shapeErrors : [...ruleErrors(request, order), ...maskedErrors(patch)];
  if (patch.lines === null && order.lines.some(({ shippedQuantity }) => shippedQuantity > 0)) {
    throw badField("/lines", "already_shipped", "Some of the lines have been shipped.");
  }
  if (errors.length > 0) throw validationFailed(errors);
  const [missing = []] = await findMissingReferences(tx, ctx.orgId, [newReferences(request, order)]);
  const [first] = missing;
  if (first) throw new HubError(first.code as ErrorCode, first.message, { errors: missing });
  return request;
}

/** What the order points at already is not asked for again: it may have been closed since. */
function newReferences(request: OrderRequest, order: Order): OrderRequest {
  const { locationId, assigneeId, bridgeId, shipping } = request;
  return {
    ...(locationId === undefined || locationId === order.locationId ? {} : { locationId }),
    ...(assigneeId === undefined || assigneeId === order.assigneeId ? {} : { assigneeId }),
    ...(bridgeId === undefined || bridgeId === order.bridgeId ? {} : { bridgeId }),
    ...(shipping === undefined || shipping.carrierAccountId === order.shipping.carrierAccountId ? {} : { shipping }),
  };
}

const onTheWay: readonly OrderStatus[] = ["sent", "partially_shipped", "shipped", "delivered"];

function checkMove(order: Order, to: OrderStatus): void {
  if (to === order.status) return;
  const isHeldBack = (one: OrderStatus): boolean => isOnHold(order) && onTheWay.includes(one);
  const allowed = orderMoves[order.status].filter((one) => !obstacleTo(one, order) && !isHeldBack(one));
  const refuse = (code: string, message: string, hint: string): HubError =>
    new HubError("invalid_state", `${message} ${hint}`, {
      errors: [{ pointer: "/status", code, message: hint, allowed }],
    });
  if (!canMove(orderMoves, order.status, to)) {
    const hint = allowed.length === 0 ? "This status is final." : `It may become ${allowed.join(", ")}.`;
    throw refuse("invalid_state", `An order that is ${order.status} cannot become ${to}.`, hint);
  }
  const obstacle = obstacleTo(to, order);
  if (obstacle) throw refuse(obstacle.code, obstacle.message, obstacle.fix);
  if (isHeldBack(to)) throw refuse("on_hold", "The order is on hold.", "Release the hold first.");
}

async function lock(tx: Tx, ctx: Ctx, ref: string): Promise<Order> {
  const { id } = await findByRef(tx, ctx, ref);
  const [order] = await store.lockOrders(tx, ctx.orgId, [id]);
  if (!order) throw notFound("order");
  return order;
}

async function refuseTaken(saved: Promise<void>): Promise<void> {
  try {
    await saved;
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === "orders_number_key") {
      const message = "There is another order with this number.";
      const errors = [{ pointer: "/number", code: "order_number_taken", message }];
      throw new HubError("order_number_taken", message, { errors });
    }
    if (constraint === "orders_external_key") {
      const message = "The bridge has another order with this external id.";
      const errors = [{ pointer: "/externalId", code: "external_id_taken", message }];
      throw new HubError("external_id_taken", message, { errors });
    }
    throw error;
  }
}
