import type { FieldError } from "../../core/errors.ts";
import { badField, HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { ShipmentLabel } from "../labels/labels.ts";
import { readLabels } from "../labels/labels.ts";
import { explainUnknown, readFilter, resolveRefs } from "../orders/orders.ts";
import type { LabelDocumentRequest } from "./label-documents.schemas.ts";
import { maxLabels } from "./label-documents.schemas.ts";
import type { OrderedLabel } from "./label-documents.store.ts";
import * as store from "./label-documents.store.ts";
import { sortLabels } from "./sort-labels.ts";

/** A label to print. `pointer`: the part of the request that asks for it. */
export type Chosen = { label: ShipmentLabel; pointer: string };

/** `missing`: labels and orders of the request that have nothing to print. */
type Choice = { chosen: Chosen[]; missing: FieldError[] };
type Wanted = { ids: string[]; pointers: string[]; missing: FieldError[] };

const sources = ["labelIds", "runId", "orderIds", "filter", "selectionId", "shipmentIds"] as const;

/** The labels of the request, sorted, without those that `isPrinted`, `offset` and `limit` leave out. */
export async function chooseLabels(ctx: Ctx, request: LabelDocumentRequest): Promise<Choice> {
  requireOneSource(request);
  const { ids, pointers, missing } = await findWanted(ctx, request);
  const found = new Map((await readLabels(ctx.db, ctx.orgId, ids)).map((label) => [label.id, label]));
  const chosen: Chosen[] = [];
  for (const [index, id] of ids.entries()) {
    const label = found.get(id);
    const pointer = pointers[index]!;
    if (label) chosen.push({ label, pointer });
    else missing.push({ pointer, code: "label_not_found", message: `There is no label ${id}.` });
  }
  const { isPrinted, offset = 0, limit } = request;
  const wanted = isPrinted === undefined ? chosen : chosen.filter(({ label }) => label.printCount > 0 === isPrinted);
  const sorted = await sort(ctx, wanted, request.sort);
  return { chosen: sorted.slice(offset, limit === undefined ? undefined : offset + limit), missing };
}

function requireOneSource(request: LabelDocumentRequest): void {
  const given = sources.filter((name) => request[name] !== undefined);
  if (given.length === 1) return;
  const message = `Exactly one of ${sources.map((name) => `\`${name}\``).join(", ")} is required.`;
  throw badField(`/${given[1] ?? sources[0]}`, given.length === 0 ? "required" : "one_of", message);
}

async function findWanted(ctx: Ctx, request: LabelDocumentRequest): Promise<Wanted> {
  const { labelIds, orderIds, shipmentIds, runId, selectionId } = request;
  if (labelIds) {
    const pointers = labelIds.map((_, index) => `/labelIds/${index}`);
    return { ids: labelIds.map((id) => id.toLowerCase()), pointers, missing: [] };
  }
  if (orderIds) return await findOfOrders(ctx, orderIds);
  if (shipmentIds) return await findOfShipments(ctx, shipmentIds);
  if (runId !== undefined) return all("/runId", await findOfRun(ctx, runId));
  if (selectionId !== undefined) return all("/selectionId", await findOfSelection(ctx, selectionId));
  const filter = readFilter(ctx, request.filter!, "/filter");
  return all("/filter", await store.listLabelsOfFilter(ctx.db, ctx.orgId, filter, maxLabels + 1));
}

async function findOfRun(ctx: Ctx, runId: string): Promise<OrderedLabel[]> {
  if (!(await store.hasRun(ctx.db, ctx.orgId, runId))) throw notFound("operation_run");
  return await store.listLabelsOfRun(ctx.db, ctx.orgId, runId, maxLabels + 1);
}

async function findOfSelection(ctx: Ctx, selectionId: string): Promise<OrderedLabel[]> {
  const bounds = { now: ctx.clock.now(), limit: maxLabels + 1 };
  const found = await store.listLabelsOfSelection(ctx.db, ctx.orgId, selectionId, bounds);
  if (!found) throw notFound("selection");
  return found;
}

/** Each order that was named must have a label: a forgotten purchase would otherwise be noticed at the packing table. */
async function findOfOrders(ctx: Ctx, refs: string[]): Promise<Wanted> {
  const resolved = await resolveRefs(ctx.db, ctx.orgId, refs);
  const explain = await explainUnknown(
    ctx.db,
    ctx.orgId,
    refs.filter((ref) => !resolved.has(ref)),
  );
  const orderIds = [...new Set(refs.flatMap((ref) => resolved.get(ref) ?? []))];
  const labels = await store.listLabelsOfOrders(ctx.db, ctx.orgId, orderIds, maxLabels + 1);
  requireBound(labels);
  const labelled = new Set(labels.map(({ orderId }) => orderId));
  const placeOf = new Map<string, string>();
  const missing: FieldError[] = [];
  for (const [index, ref] of refs.entries()) {
    const pointer = `/orderIds/${index}`;
    const orderId = resolved.get(ref);
    if (orderId === undefined) missing.push({ pointer, ...explain(ref) });
    else if (!labelled.has(orderId))
      missing.push({ pointer, code: "no_label", message: `Order ${ref} has no label to print.` });
    else if (!placeOf.has(orderId)) placeOf.set(orderId, pointer);
  }
  const pointers = labels.map(({ orderId }) => placeOf.get(orderId)!);
  return { ids: labels.map(({ labelId }) => labelId), pointers, missing };
}

async function findOfShipments(ctx: Ctx, given: string[]): Promise<Wanted> {
  const shipmentIds = [...new Set(given.map((id) => id.toLowerCase()))];
  const labels = await store.listLabelsOfShipments(ctx.db, ctx.orgId, shipmentIds);
  const pointerOf = new Map(
    shipmentIds.map((id) => [id, `/shipmentIds/${given.findIndex((one) => one.toLowerCase() === id)}`]),
  );
  const labelled = new Set(labels.map(({ shipmentId }) => shipmentId));
  const missing = shipmentIds
    .filter((id) => !labelled.has(id))
    .map((id) => ({ pointer: pointerOf.get(id)!, code: "no_label", message: `Shipment ${id} has no label to print.` }));
  const pointers = labels.map(({ shipmentId }) => pointerOf.get(shipmentId)!);
  return { ids: labels.map(({ labelId }) => labelId), pointers, missing };
}

function all(pointer: string, labels: OrderedLabel[]): Wanted {
  requireBound(labels);
  const ids = [...new Set(labels.map(({ labelId }) => labelId))];
  return { ids, pointers: ids.map(() => pointer), missing: [] };
}

function requireBound(labels: OrderedLabel[]): void {
  if (labels.length > maxLabels)
    throw new HubError("too_many_labels", `These are more than ${maxLabels} labels. Choose fewer orders.`);
}

async function sort(ctx: Ctx, chosen: Chosen[], by: LabelDocumentRequest["sort"] = "given"): Promise<Chosen[]> {
  if (by === "given") return chosen;
  const orderIds = [...new Set(chosen.flatMap(({ label }) => label.orderId ?? []))];
  const facts = by === "created" ? [] : await store.readOrderFacts(ctx.db, ctx.orgId, orderIds);
  return sortLabels(chosen, by, new Map(facts.map((order) => [order.orderId, order])));
}
