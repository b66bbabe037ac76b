import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { findImportedErrors } from "../create-orders.ts";
import { recordOrders } from "../order-events.ts";
import { ruleErrors } from "../order-fields.ts";
import { findMissingReferences, newReferences } from "../order-references.ts";
import type { Order } from "../order.ts";
import { orderEnv } from "../order.ts";
import type { ImportedOrder } from "../orders.schemas.ts";
import { saveChanges } from "../save-changes.ts";
import type { Followed } from "./source-conflicts.ts";
import type { SourceSnapshot } from "./source-snapshot.ts";
import { followSource } from "./follow-source.ts";
import { noteDisputes } from "./disputes.ts";
import type { PulledOrder, PulledOutcome } from "./pulled-order.ts";
import { fail, withLineIds } from "./pulled-order.ts";
import * as pulled from "./pulled-orders.store.ts";
import type { FindSentTo, Partner } from "./recall-partners.ts";
import { findRecallPartners } from "./recall-partners.ts";

/** An imported order and its locked local order. */
type Pair = { item: PulledOrder; order: Order };
type Plan = Pair & { request: ImportedOrder; followed: Followed };

export async function updateChanged(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  pairs: Pair[],
  outcome: PulledOutcome,
  findSentTo: FindSentTo,
): Promise<void> {
  if (pairs.length === 0) return;
  const ids = pairs.map(({ order }) => order.id);
  const snapshot = await pulled.findSnapshots(tx, ctx.orgId, ids);
  const sent = pairs.map(({ order }) => order).filter(({ status }) => status === "sent");
  const partners = await findRecallPartners(tx, ctx, sent, findSentTo);
  const plans = await planUpdates(tx, ctx, bridgeId, pairs, snapshot, partners, outcome);
  for (const plan of plans) noteConflicts(outcome, plan);
  const edits = plans.map(({ order, followed: { patch, leftOut } }) => ({
    order,
    patch,
    kept: [...leftOut].map(([field, { to }]) => ({
      path: `/${field}`,
      from: order[field],
      to,
      keptLocal: true as const,
    })),
  }));
  const isNews = ({ order, followed }: Plan): boolean => !isDeepStrictEqual(snapshot.get(order.id), followed.snapshot);
  const news = plans.filter(isNews).map(({ order, followed }) => [order.id, followed.snapshot] as const);
  await pulled.saveSnapshots(tx, ctx.orgId, new Map(news));
  const saved = await saveChanges(tx, ctx, "imported", edits);
  await noteDisputes(tx, ctx, bridgeId, plans);
  const recalled = plans.filter(({ followed }) => followed.isRecalled).map(({ order }) => order.id);
  const byPartner = Map.groupBy(recalled, (id) => partners.get(id)!);
  outcome.recalls = [...byPartner].map(([partner, orderIds]) => ({ ...partner, input: { orderIds } }));
  outcome.counts.updated! += saved.orders.length;
  outcome.counts.unchanged! += plans.length - saved.orders.length;
  recordOrders(tx, ctx, { type: "orders.updated", source: "bridge", bridgeId, ...saved });
}

/** Plans the update of each order; an invalid one fails without affecting the others. */
async function planUpdates(
  tx: Tx,
  ctx: Ctx,
  bridgeId: string,
  pairs: Pair[],
  snapshot: ReadonlyMap<string, SourceSnapshot>,
  partners: ReadonlyMap<string, Partner>,
  outcome: PulledOutcome,
): Promise<Plan[]> {
  const env = orderEnv(ctx);
  const plans: Plan[] = [];
  for (const { item, order } of pairs) {
    const request = withLineIds(item.body, order);
    const errors = findImportedErrors(request);
    const canRecall = partners.has(order.id);
    const followed =
      errors.length > 0 ? undefined : followSource(order, request, snapshot.get(order.id), env, canRecall);
    // Its previous bridge was deleted: it belongs to this bridge from now on.
    if (followed && order.bridgeId !== bridgeId) followed.patch.bridgeId = bridgeId;
    // Lines that are not changed need not match the shipped quantities.
    if (followed?.takesLines) errors.push(...ruleErrors({ lines: request.lines ?? [] }, order));
    const [first] = errors;
    if (first) fail(outcome, item, { code: "validation_failed", message: first.message, errors: errors.slice(0, 5) });
    else plans.push({ item, order, request, followed: followed! });
  }
  const missing = await findMissingReferences(
    tx,
    ctx.orgId,
    plans.map(({ order, followed: { patch } }) =>
      newReferences({ locationId: patch.locationId, shipping: patch.shipping }, order),
    ),
  );
  return plans.filter(({ item }, index) => {
    if (missing[index]) fail(outcome, item, missing[index]);
    return !missing[index];
  });
}

function noteConflicts({ counts, conflicts }: PulledOutcome, { item, order, followed }: Plan): void {
  const { kept, overwritten, conflicts: held, isRecalled } = followed;
  if (kept.length > 0) counts.kept!++;
  if (overwritten.length > 0) counts.overwritten!++;
  if (held.length > 0) counts.held!++;
  if (isRecalled) counts.recalled!++;
  if (kept.length + overwritten.length + held.length === 0) return;
  const { id: orderId, number } = order;
  conflicts.push({ externalId: item.externalId, orderId, number, kept, overwritten, held, recalled: isRecalled });
}
