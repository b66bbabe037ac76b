import { fromCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { OrderRunLabel, RunLabels } from "../labels/labels.ts";
import {
  countLabelsOfRuns,
  countOpenOfRuns,
  countOrdersWithLabels,
  listLabelsOfRun,
  sumLabelsByService,
} from "../labels/labels.ts";
import type { LabelService, RunResult } from "./run.schemas.ts";
import { listUnsuccessful } from "./run/run-results.store.ts";
import type { RunRow } from "./run/runs.store.ts";

/** `open`: label and void requests of the run that are pending at carriers. */
export type LabelCounts = RunLabels & { open: number };

export const noLabels: LabelCounts = {
  requested: 0,
  bought: 0,
  failed: 0,
  voided: 0,
  printed: 0,
  refundsPending: 0,
  costs: [],
  open: 0,
};

export async function countRunLabels(ctx: Ctx, db: Queryable, run: RunRow): Promise<LabelCounts> {
  return (await countLabels(ctx, db, [run])).get(run.id) ?? noLabels;
}

const labelActions = new Set(["buy_label", "void_label", "create_return"]);

/** Nothing is read for runs without such actions: most have none. */
const mayHaveLabels = ({ actions }: Pick<RunRow, "actions">): boolean =>
  actions.some(({ type }) => labelActions.has(type));

export async function countLabels(ctx: Ctx, db: Queryable, runs: RunRow[]): Promise<Map<string, LabelCounts>> {
  const ids = runs.filter(mayHaveLabels).map(({ id }) => id);
  const counted = await countLabelsOfRuns(db, ctx.orgId, ids);
  const open = await countOpenOfRuns(db, ctx.orgId, ids);
  return new Map(ids.map((id) => [id, { ...(counted.get(id) ?? noLabels), open: open.get(id) ?? 0 }]));
}

/** What the run bought, by service. */
export async function listLabelServices(ctx: Ctx, db: Queryable, run: RunRow): Promise<LabelService[]> {
  if (!mayHaveLabels(run)) return [];
  return (await sumLabelsByService(db, ctx.orgId, run.id)).map(({ carrierAccountId, cents, ...rest }) => ({
    ...rest,
    carrier_account_id: carrierAccountId,
    cost: cents === null ? null : fromCents(cents),
  }));
}

/** Adds the labels that the run requested for each order. */
export async function withLabels(ctx: Ctx, db: Queryable, run: RunRow, results: RunResult[]): Promise<RunResult[]> {
  if (!mayHaveLabels(run)) return results;
  const orderIds = results.flatMap(({ order_id }) => order_id ?? []);
  const found = await listLabelsOfRun(db, ctx.orgId, run.id, orderIds);
  const byOrder = Map.groupBy(found, ({ orderId }) => orderId);
  return results.map((result) => ({
    ...result,
    labels: (byOrder.get(result.order_id ?? "") ?? []).map(presentRunLabel),
  }));
}

function presentRunLabel(label: OrderRunLabel): NonNullable<RunResult["labels"]>[number] {
  const { id, carrier, service, status, weight, currency, cents } = label;
  return {
    id,
    shipment_id: label.shipmentId,
    status,
    carrier,
    carrier_account_id: label.carrierAccountId,
    service,
    weight,
    tracking_number: label.trackingNumber,
    cost: cents === null ? null : fromCents(cents),
    currency,
    print_count: label.printCount,
    is_void_pending: label.isVoidPending,
  };
}

/** Orders of the run that did not succeed, by what its labels cost. */
export async function countLabelsOfFailed(
  ctx: Ctx,
  db: Queryable,
  run: RunRow,
): Promise<{ bought: number; unknown: number }> {
  if (!mayHaveLabels(run)) return { bought: 0, unknown: 0 };
  const failed = await listUnsuccessful(db, run.id);
  return await countOrdersWithLabels(db, ctx.orgId, run.id, failed);
}
