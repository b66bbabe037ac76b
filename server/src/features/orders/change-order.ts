import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { isUuid } from "../../core/ids.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { orderLimits } from "../../core/order-limits.ts";
import { orNotFound } from "../../core/resources.ts";
import { failAt, toError } from "../../core/row-failure.ts";
import { textProblem } from "../../core/strict-json.ts";
import { createFinder } from "../../core/validation.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { OrderAnswer } from "./order-answers.schemas.ts";
import { fieldsOf, ruleErrors } from "./order-fields.ts";
import { findMissingReferences, newReferences } from "./order-references.ts";
import type { Order } from "./order.ts";
import { followingMoney } from "./order-total.ts";
import { orderEnv } from "./order.ts";
import { allowedMoves, moveProblem } from "./order-rules.ts";
import { maskedErrors, namedUnseen, presentTo } from "./personal-data.ts";
import type { ImportedOrder, OrderPatchRequest, OrderRequest } from "./orders.schemas.ts";
import { OrderRequest as OrderRequestShape } from "./orders.schemas.ts";
import type { OrderStatus } from "./orders.states.ts";
import * as store from "./orders.store.ts";
import type { Edit } from "./save-changes.ts";
import { saveOne } from "./save-changes.ts";

const findErrors = createFinder(OrderRequestShape, "body");
/** In UTF-16 units: a character has up to two. */
const maxRefLength = 2 * orderLimits.numberLength;

/** Finds an order by ID or number. Orders of several bridges can share a number: the error then lists their IDs. */
export async function findByRef(db: Queryable, ctx: Ctx, ref: string): Promise<Order> {
  const isPossible = ref.length <= maxRefLength && textProblem(ref) === undefined;
  const found = isPossible ? await store.findNamed(db, ctx.orgId, ref) : [];
  if (found.length > 1) {
    const message = `${found.length} orders of several bridges have the number ${ref}. Use the order ID.`;
    const orders = found.map(({ id, bridgeId, externalId }) => ({ id, bridgeId, externalId }));
    throw new HubError("order_number_ambiguous", message, { extra: { orders } });
  }
  // A plausible path for the export, which is read as the number of an order.
  if (found.length === 0 && ref === "export") {
    throw new HubError(
      "order_not_found",
      "There is no order with this number. To export orders, use GET /orders/export.csv.",
    );
  }
  return orNotFound("order", found[0]);
}

/** For filters by order. An ID is not looked up: records of an order can outlive it. */
export async function findIdByRef(ctx: Ctx, ref: string | undefined): Promise<string | undefined> {
  return ref === undefined || isUuid(ref) ? ref : (await findByRef(ctx.db, ctx, ref)).id;
}

export async function updateOrder(
  ctx: Ctx,
  ref: string,
  patch: OrderPatchRequest,
  ifMatch: IfMatch,
): Promise<OrderAnswer> {
  requirePatch(patch);
  const changed = change(ctx, async (tx) => {
    const order = await lock(tx, ctx, ref);
    checkVersion(order, ifMatch);
    const request = await checkPatch(tx, ctx, order, patch);
    if (patch.status !== undefined) checkMove(order, patch.status);
    return presentTo(ctx, await saveOne(tx, ctx, "updated", editOf(ctx, order, patch, request)));
  });
  return await refuseTaken(changed);
}

export async function deleteOrder(ctx: Ctx, ref: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const order = await lock(tx, ctx, ref);
    checkVersion(order, ifMatch);
    if (order.status !== "draft") {
      throw new HubError("order_not_draft", `The order is ${order.status}. Cancel or archive it instead.`);
    }
    await store.deleteOrders(tx, ctx.orgId, [order.id]);
    const { number, version } = order;
    recordEvent(tx, ctx, { type: "order.deleted", objectId: order.id, data: { number, version } });
    return { id: order.id, deleted: true as const };
  });
}

/** Validates the patched fields by the rules for requests. */
async function checkPatch(tx: Tx, ctx: Ctx, order: Order, patch: OrderPatchRequest): Promise<OrderRequest> {
  const request = mergeRequest(order, patch);
  const shapeErrors = findErrors(request);
  const errors = shapeErrors.length > 0 ? shapeErrors : [...ruleErrors(request, order), ...maskedErrors(patch)];
  if (patch.lines === null && order.lines.some(({ shippedQuantity }) => shippedQuantity > 0)) {
    throw badField("/lines", "already_shipped", "Some of the lines have been shipped.");
  }
  if (errors.length > 0) throw validationFailed(errors);
  const [missing] = await findMissingReferences(tx, ctx.orgId, [newReferences(request, order)]);
  if (missing) throw toError(missing);
  return request;
}

/** The fields of a patch, merged with the order, in the form of a request. */
export function mergeRequest(order: Order, patch: Partial<Record<keyof ImportedOrder, unknown>>): ImportedOrder {
  const present = Object.fromEntries(Object.keys(patch).map((key) => [key, order[key as keyof Order]]));
  return mergePatch(present, patch) as ImportedOrder;
}

/** The edit of a patch whose merged `request` is valid. */
export function editOf(ctx: Ctx, order: Order, patch: object, request: ImportedOrder): Edit {
  const unseen = namedUnseen(ctx, patch);
  const known = unseen.includes("shippingAddress") ? { ...order, shippingAddress: null } : order;
  const fields = fieldsOf(request, Object.keys(patch) as (keyof OrderRequest)[], orderEnv(ctx), known);
  return { order, patch: { ...fields, ...followingMoney(order, fields) }, unseen };
}

function checkMove(order: Order, to: OrderStatus): void {
  const problem = moveProblem(order, to);
  if (!problem) return;
  const { code, message, fix } = problem;
  const errors = [{ pointer: "/status", code, message: fix, allowed: allowedMoves(order) }];
  throw new HubError("invalid_state", `${message} ${fix}`, { errors });
}

async function lock(tx: Tx, ctx: Ctx, ref: string): Promise<Order> {
  const { id } = await findByRef(tx, ctx, ref);
  const [order] = await store.lockOrders(tx, ctx.orgId, [id]);
  return orNotFound("order", order);
}

async function refuseTaken<T>(changed: Promise<T>): Promise<T> {
  const number = failAt("/number", "order_number_taken", "There is another order with this number.");
  const id = failAt("/externalId", "external_id_taken", "The bridge has another order with this external id.");
  const numbered = refuseDuplicate(changed, "orders_number_key", () => toError(number));
  return await refuseDuplicate(numbered, "orders_external_key", () => toError(id));
}
