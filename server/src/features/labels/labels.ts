import { badField, HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { Streamed } from "../../route.ts";
import { findIdByRef } from "../orders/orders.ts";
import type { ShipmentLabel } from "./label.ts";
import { parcelsOf, presentLabel } from "./label.ts";
import { requirePersonalData } from "./label-printing.ts";
import type { LabelAnswer, LabelFileQuery, LabelQuery } from "./labels.schemas.ts";
import * as store from "./labels.store.ts";

export { buyLabel, buyLabelAgain, retryLabel } from "./buy-label.ts";
export { markNotPurchased, markPurchased } from "./unknown-label.ts";
export type { LabelQuote, LabelSpec, ShipmentLabel } from "./label.ts";
export { isReturnLabel, parcelsOf, parcelsToRate, priceWarning } from "./label.ts";
export { markPrinted, mayBePrinted, requirePersonalData } from "./label-printing.ts";
export { listLabelFacts } from "./label-facts.store.ts";
export { readFilesOf } from "./label-printing.store.ts";
export { labelWork } from "./label-requests.ts";
export { requestLabels, requestVoids } from "./request-labels.ts";
export type { OrderRunLabel, RunLabels } from "./labels-of-runs.store.ts";
export {
  countLabelsOfRuns,
  countOrdersWithLabels,
  listLabelsOfRun,
  sumLabelsByService,
} from "./labels-of-runs.store.ts";
export type { StepLabel } from "./labels.store.ts";
export {
  countOpenOfRuns,
  deleteOldLabelFilesAcrossOrgs,
  hasLabelsOfRunsAcrossOrgs,
  readLabels,
  takeEndedOfRunsAcrossOrgs,
} from "./labels.store.ts";
export type { ChosenLabels } from "./handover-labels.ts";
export {
  assignLabels,
  chooseGroup,
  handoverGroupOf,
  handoverParcels,
  listLabelsOfHandover,
  listWaitingLabels,
  releaseLabels,
  releaseVoidedLabels,
} from "./handover-labels.ts";
export type { OrderLabel } from "./order-labels.ts";
export { listOrderLabels, returnsOf, unlistedOf, voidProblem } from "./order-labels.ts";
export { optionErrors } from "./check-options.ts";
export { consignmentOf } from "./order-parcels.ts";
export { labelSpecFor } from "./plan-label.ts";
export { applyLabelNews } from "./label-news.ts";
export { voidLabel } from "./void-label.ts";
export { voidCancelledLabels } from "./carrier-voids.ts";

export async function getLabel(ctx: Ctx, id: string): Promise<LabelAnswer> {
  return presentLabel(ctx, orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id)));
}

export async function listLabels(ctx: Ctx, query: LabelQuery): Promise<Page<LabelAnswer>> {
  const orderId = await findIdByRef(ctx, query.orderId);
  const found = await store.listLabels(ctx.db, ctx.orgId, { ...query, ...(orderId && { orderId }) });
  return mapPage(found, (label) => presentLabel(ctx, label));
}

const endings = {
  "text/plain": "txt",
  "application/pdf": "pdf",
  "image/png": "png",
  "image/gif": "gif",
  "application/zpl": "zpl",
} as const;

export async function readLabelContent(ctx: Ctx, id: string, query: LabelFileQuery): Promise<Streamed> {
  const label = orNotFound("label", await store.findLabel(ctx.db, ctx.orgId, id));
  requirePersonalData(ctx);
  const { place, contentType, name } = fileOf(label, query);
  const content = label.status === "purchased" ? await store.readContent(ctx.db, ctx.orgId, id, place) : undefined;
  if (content === undefined || contentType === null) {
    const message = label.status === "purchased" ? label.failure?.message : `The label is ${label.status}.`;
    const gone = "The file was removed at the end of its retention period.";
    const none = isInLead(label, query)
      ? "The file of parcel 1 has the labels of all parcels."
      : "The carrier did not send this file to the hub. Download it from the carrier.";
    throw new HubError("invalid_state", message ?? (contentType === null ? none : gone));
  }
  const fileName = `${name.replaceAll(/[^\w-]/g, "_")}.${endings[contentType]}`;
  return new Streamed(contentType, fileName, chunksOf(content));
}

function isInLead(label: ShipmentLabel, { parcel = 1, document }: LabelFileQuery): boolean {
  return document === undefined && parcel > 1 && parcelsOf(label)[0]!.contentType !== null;
}

type LabelPart = { place: store.FilePlace; contentType: keyof typeof endings | null; name: string };

function fileOf(label: ShipmentLabel, { parcel = 1, document }: LabelFileQuery): LabelPart {
  if (document !== undefined) {
    const found = label.documents[document - 1];
    if (!found) throw unknownFile("/document", `The label has ${label.documents.length} documents.`);
    const name = `${found.kind}-${label.trackingNumber}`;
    return { place: { kind: "document", position: document - 1 }, contentType: found.contentType, name };
  }
  const parcels = parcelsOf(label);
  const found = parcels[parcel - 1];
  if (!found) throw unknownFile("/parcel", `The label has ${parcels.length} parcels.`);
  const name = `label-${found.trackingNumber}`;
  return { place: { kind: "parcel", position: parcel - 1 }, contentType: found.contentType, name };
}

function unknownFile(pointer: string, message: string): HubError {
  return badField(pointer, "not_found", message);
}

const chunkBytes = 64 * 1024;

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < content.length; from += chunkBytes) yield content.subarray(from, from + chunkBytes);
}
