import { HubError } from "../../../core/errors.ts";
import { orNotFound } from "../../../core/resources.ts";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import type { NewException } from "../../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../../exceptions/exceptions.ts";
import { fieldsOf, holdOfSource, ruleErrors } from "../order-fields.ts";
import { moveProblem, withHold } from "../order-rules.ts";
import type { Order, OrderPatch } from "../order.ts";
import { orderEnv } from "../order.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import { onTheWay } from "../orders.states.ts";
import * as store from "../orders.store.ts";
import { saveOne } from "../save-changes.ts";
import type { DisputedFact } from "../source-rules.ts";
import { conflictHandle, describeDispute, isOfSource } from "../source-rules.ts";
import type { Followed } from "./source-conflicts.ts";
import type { PulledOrder } from "./pulled-order.ts";
import { withLineIds } from "./pulled-order.ts";

/** The report of a source and its outcome. */
type Told = { item: PulledOrder; order: Order; followed: Followed };

/** Opens exceptions for reports that were not applied, in the transaction of the import. */
export async function noteDisputes(tx: Tx, ctx: Ctx, bridgeId: string, told: Told[]): Promise<void> {
  const agreed = told.flatMap(({ order, followed }) =>
    followed.agreed.map((fact) => exceptionKeys.conflict(order.id, conflictHandle(fact))),
  );
  await resolveExceptions(tx, ctx, agreed);
  await openExceptions(
    tx,
    ctx,
    told.flatMap((one) => disputesOf(one).map((dispute) => toTrouble(bridgeId, one.order, dispute))),
  );
}

/** The values of the source, by request field. */
type Theirs = Pick<ImportedOrder, "status" | "shippingAddress" | "lines" | "total" | "paymentStatus" | "hold">;
type Dispute = { fact: DisputedFact; theirs: Theirs; isHeld: boolean };

function disputesOf({ followed, item }: Told): Dispute[] {
  const { conflicts, leftOut, isRecalled } = followed;
  // The partner was asked; its response decides.
  const held = conflicts.filter((fact) => !(isRecalled && (fact === "cancelled" || fact === "deleted")));
  const left = [...leftOut.values()].map(({ fact }) => fact);
  const total = leftOut.has("lines") ? "total_changed" : undefined;
  const facts = new Set<DisputedFact>([...held, ...left].filter((fact) => fact !== total));
  const moved = leftOut.get("status")?.to as Theirs["status"];
  return [...facts].map((fact) => {
    const isHeld = (held as DisputedFact[]).includes(fact);
    return { fact, isHeld, theirs: theirsOf(fact, item.body, moved) };
  });
}

function theirsOf(fact: DisputedFact, request: ImportedOrder, moved: Theirs["status"]): Theirs {
  const { shippingAddress, lines, total, hold } = request;
  if (fact === "address_changed") return { shippingAddress };
  if (fact === "quantity_changed") return { lines, ...(total === undefined ? {} : { total }) };
  if (fact === "total_changed") return { total };
  if (fact === "on_hold") return { hold };
  if (fact === "refunded") return { paymentStatus: "refunded" };
  return { status: moved ?? "cancelled" };
}

function toTrouble(bridgeId: string, order: Order, { fact, theirs, isHeld }: Dispute): NewException {
  const code = conflictHandle(fact);
  return {
    key: exceptionKeys.conflict(order.id, code),
    kind: "import_conflict",
    code,
    message: `${order.number}: ${describeDispute(order, fact)}`,
    subject: { type: "order", id: order.id, name: order.number },
    orderId: order.id,
    bridgeId,
    holdHandle: isHeld ? code : null,
    details: { fact, theirs },
  };
}

/**
 * Applies the decision of a user. The source's report is stored already, so the same report later is no change.
 * `accept_source` applies the report to the order, as far as the rules for orders permit.
 */
export async function decideDispute(
  tx: Tx,
  ctx: Ctx,
  orderId: string,
  { fact, theirs = {} }: { fact?: string; theirs?: Record<string, unknown> },
  how: "accept_source" | "keep_local",
): Promise<void> {
  const [found] = await store.lockOrders(tx, ctx.orgId, [orderId]);
  const order = orNotFound("order", found);
  const handle = conflictHandle(fact as DisputedFact);
  const others = order.holds.filter((hold) => !(isOfSource(hold) && hold.handle === handle));
  const free = { ...order, holds: others };
  const patch = how === "keep_local" ? {} : acceptance(ctx, free, theirs);
  await saveOne(tx, ctx, "updated", { order, patch: { holds: others, ...patch } });
}

function acceptance(ctx: Ctx, order: Order, theirs: Theirs): OrderPatch {
  const env = orderEnv(ctx);
  if (theirs.hold) return { holds: withHold(order, holdOfSource(theirs.hold, env)) };
  const to = theirs.paymentStatus === "refunded" ? "cancelled" : theirs.status;
  if (to !== undefined) {
    const problem = moveProblem(order, to, { hasHappened: onTheWay.includes(to) });
    if (problem) throw new HubError("invalid_state", `${problem.message} ${problem.fix}`);
    return { status: to };
  }
  const request = withLineIds(theirs, order);
  const [error] = ruleErrors(request, order);
  if (error) throw new HubError("invalid_state", error.message);
  const taken = (["shippingAddress", "lines", "total"] as const).filter((field) => field in theirs);
  return fieldsOf(request, taken, env, order);
}
