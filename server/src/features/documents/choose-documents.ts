import type { FieldError } from "../../core/errors.ts";
import { badField, HubError } from "../../core/errors.ts";
import { notFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { explainUnknown, readFilter, resolveRefs } from "../orders/orders.ts";
import type { DocumentRequest } from "./documents.schemas.ts";
import { maxNamed, maxRows } from "./documents.schemas.ts";
import type { PrintedShipment } from "./documents.store.ts";
import * as store from "./documents.store.ts";

const sources = ["orderIds", "runId", "selectionId", "filter", "shipmentIds", "labelIds"] as const;

/** An order to print. `shipmentId`: only what this shipment contains. */
export type ChosenOrder = { orderId: string; shipmentId?: string };
/** `missing`: what the request names and cannot be printed. */
type Choice<Item> = { chosen: Item[]; missing: FieldError[] };

export function requireOneSource(request: DocumentRequest): void {
  const given = sources.filter((name) => request[name] !== undefined);
  if (given.length === 1) return;
  const message = `Exactly one of ${sources.map((name) => `\`${name}\``).join(", ")} is required.`;
  throw badField(`/${given[1] ?? sources[0]}`, given.length === 0 ? "required" : "one_of", message);
}

export async function chooseOrders(ctx: Ctx, request: DocumentRequest): Promise<Choice<ChosenOrder>> {
  const limit = request.kind === "packing_slips" ? maxNamed : maxRows;
  if (request.shipmentIds || request.labelIds) {
    const { chosen, missing } = await findNamedShipments(ctx, request);
    for (const { shipment, pointer } of chosen) {
      if (shipment.orderId !== null) continue;
      const name = shipment.trackingNumber ?? shipment.id;
      missing.push({ pointer, code: "no_order", message: `Shipment ${name} belongs to no order.` });
    }
    const orders = chosen.flatMap(({ shipment: { id, orderId } }) =>
      orderId === null ? [] : [{ orderId, shipmentId: id }],
    );
    return { chosen: orders, missing };
  }
  const { ids, missing } = await findOrders(ctx, request, limit + 1);
  if (ids.length > limit) {
    const message = `These are more than ${limit} orders. Print fewer orders at once.`;
    throw new HubError("too_many_documents", message);
  }
  return { chosen: ids.map((orderId) => ({ orderId })), missing };
}

export async function chooseShipments(ctx: Ctx, request: DocumentRequest): Promise<Choice<PrintedShipment>> {
  if (request.shipmentIds || request.labelIds) {
    const { chosen, missing } = await findNamedShipments(ctx, request);
    return { chosen: chosen.map(({ shipment }) => shipment), missing };
  }
  const { ids, missing } = await findOrders(ctx, request, maxRows + 1);
  const shipments = await store.listShipmentsOfOrders(ctx.db, ctx.orgId, ids.slice(0, maxRows), maxRows + 1);
  if (ids.length > maxRows || shipments.length > maxRows) {
    const message = `These are more than ${maxRows} shipments. Print fewer shipments at once.`;
    throw new HubError("too_many_documents", message);
  }
  return { chosen: shipments, missing };
}

async function findOrders(
  ctx: Ctx,
  { orderIds, runId, selectionId, filter }: DocumentRequest,
  limit: number,
): Promise<{ ids: string[]; missing: FieldError[] }> {
  if (orderIds) return await findNamedOrders(ctx, orderIds);
  if (runId !== undefined) {
    const ids = await store.listOrdersOfRun(ctx.db, ctx.orgId, runId, limit);
    if (!ids) throw notFound("operation_run");
    return { ids, missing: [] };
  }
  if (selectionId !== undefined) {
    const ids = await store.listOrdersOfSelection(ctx.db, ctx.orgId, selectionId, { now: ctx.clock.now(), limit });
    if (!ids) throw notFound("selection");
    return { ids, missing: [] };
  }
  const found = readFilter(ctx, filter!, "/filter");
  return { ids: await store.listOrdersOfFilter(ctx.db, ctx.orgId, found, limit), missing: [] };
}

async function findNamedOrders(ctx: Ctx, refs: string[]): Promise<{ ids: string[]; missing: FieldError[] }> {
  const resolved = await resolveRefs(ctx.db, ctx.orgId, refs);
  const unknown = refs.filter((ref) => !resolved.has(ref));
  const explain = await explainUnknown(ctx.db, ctx.orgId, unknown);
  const missing = refs.flatMap((ref, index) =>
    resolved.has(ref) ? [] : [{ pointer: `/orderIds/${index}`, ...explain(ref) }],
  );
  return { ids: [...new Set(refs.flatMap((ref) => resolved.get(ref) ?? []))], missing };
}

/** A voided shipment is not handed over, so it is named and left out. */
async function findNamedShipments(
  ctx: Ctx,
  { shipmentIds, labelIds }: DocumentRequest,
): Promise<Choice<{ shipment: PrintedShipment; pointer: string }>> {
  const missing: FieldError[] = [];
  const wanted = new Map<string, string>();
  if (shipmentIds) for (const [at, id] of shipmentIds.entries()) wanted.set(id.toLowerCase(), `/shipmentIds/${at}`);
  else {
    const ids = labelIds!.map((id) => id.toLowerCase());
    const links = await store.findShipmentsOfLabels(ctx.db, ctx.orgId, ids);
    const shipmentOf = new Map(links.map(({ labelId, shipmentId }) => [labelId, shipmentId]));
    for (const [at, id] of ids.entries()) {
      const found = shipmentOf.get(id);
      const pointer = `/labelIds/${at}`;
      if (found) wanted.set(found, pointer);
      else missing.push({ pointer, code: "label_not_found", message: `There is no label ${id} with a shipment.` });
    }
  }
  const found = await store.readShipments(ctx.db, ctx.orgId, [...wanted.keys()]);
  const known = new Set(found.map(({ id }) => id));
  for (const [id, pointer] of wanted)
    if (!known.has(id)) missing.push({ pointer, code: "shipment_not_found", message: `There is no shipment ${id}.` });
  const chosen = found.flatMap((shipment) => {
    const pointer = wanted.get(shipment.id)!;
    if (shipment.voidedAt === null) return [{ shipment, pointer }];
    missing.push({ pointer, code: "voided", message: `Shipment ${shipment.trackingNumber ?? shipment.id} is voided.` });
    return [];
  });
  return { chosen, missing };
}
