import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { nowOf } from "../carrier-accounts/carrier-requests.ts";
import type { LabelSpec, RunStep, ShipmentLabel } from "./label.ts";
import { newLabel, voidRequested } from "./label.ts";
import { record } from "./save-label.ts";
import * as store from "./labels.store.ts";

export type WantedLabel = RunStep & { spec: LabelSpec; account: { id: string; carrier: string } };
export type UnwantedLabel = RunStep & { labelId: string };

/**
 * Commits the label requests of run steps in the transaction of the run, with the orders locked. A worker sends them, like
 * any other request, until the carrier has responded. Returned in the order of `wanted`.
 */
export async function requestLabels(tx: Tx, ctx: Ctx, wanted: WantedLabel[]): Promise<ShipmentLabel[]> {
  if (wanted.length === 0) return [];
  const labels = wanted.map(({ spec, account, runId, runStep }) => newLabel(ctx, spec, account, { runId, runStep }));
  await store.insertLabels(tx, ctx.orgId, labels);
  record(tx, ctx, labels, "requested");
  await ctx.signals.publish(tx, "label_requested", "");
  return labels;
}

/** Commits void requests of run steps, for labels that were found voidable while their orders were locked. */
export async function requestVoids(tx: Tx, ctx: Ctx, unwanted: UnwantedLabel[]): Promise<void> {
  if (unwanted.length === 0) return;
  const steps = new Map(unwanted.map(({ labelId, runId, runStep }) => [labelId, { runId, runStep }]));
  const locked = await store.lockLabels(tx, ctx.orgId, [...steps.keys()]);
  const labels = locked
    .filter(({ status, voidRequestedAt }) => status === "purchased" && voidRequestedAt === null)
    .map((label) => voidRequested(label, nowOf(ctx), steps.get(label.id), ctx.cause));
  await store.updateLabels(tx, ctx.orgId, labels);
  record(tx, ctx, labels, "void_requested");
  await ctx.signals.publish(tx, "label_requested", "");
}
