import type { Label } from "../../carriers/seam/labels.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
import { amountOf } from "../../carriers/seam/money.ts";
import type { Ctx } from "../../context.ts";
import { isCarrierData, isCharge, isStorableLine } from "../carrier-accounts/carrier-requests.ts";
import type { Failure } from "../carrier-accounts/open-carrier.ts";
import { readOrders } from "../orders/orders.ts";
import type { ParcelOfLabel, PreparedParcel } from "../shipments/shipments.ts";
import { prepareParcel } from "../shipments/shipments.ts";
import type { ShipmentLabel } from "./label.ts";
import { isReturnLabel, parcelsOf } from "./label.ts";
import type * as store from "./labels.store.ts";
import type { PromiseTerms } from "./promise-terms.ts";
import { promiseOf } from "./promise-terms.ts";

const maxContentBytes = 1024 * 1024;
const maxDocuments = 10;

/** A purchased label with the shipments of its parcels and its files. */
export type Sold = {
  label: Label;
  shipDate: string;
  shipments: PreparedParcel[];
  files: store.LabelContent[];
  /** Why a parcel has no file. */
  lack: Failure | null;
};

/** Carriers' responses are untrusted input: `problem` names the first part that cannot be stored. */
export async function readSold(
  ctx: Ctx,
  requested: ShipmentLabel,
  terms: PromiseTerms,
  label: Label,
): Promise<Sold | Unstorable> {
  const { shipDate } = terms.handover;
  const problem = problemOf(label, parcelsOf(requested).length);
  if (problem !== undefined) return unstorable(label, problem);
  const sold = { ...label, ...promiseInQuote(requested, label, shipDate) };
  const shipments = await prepareShipments(ctx, requested, sold, terms);
  if (shipments.some(({ failures }) => failures.size > 0)) return unstorable(label, "shipment");
  return { label: sold, shipDate, shipments, ...readFiles(label) };
}

/** `message`: which label was sold, as far as its tracking numbers can be read, and what is wrong with it. */
type Unstorable = { problem: string; message: string };

function unstorable({ parcels }: Label, problem: string): Unstorable {
  const numbers = parcels.flatMap(({ trackingNumber }) => (isStorableLine(trackingNumber) ? [trackingNumber] : []));
  const which = numbers.length === 0 ? "" : ` ${numbers.join(", ")}`;
  return {
    problem,
    message: `The carrier sold the label${which}, but ${problems[problem] ?? `its ${problem} is invalid`}.`,
  };
}

const problems: Record<string, string> = {
  parcels: "the number of labels is not that of the parcels",
  trackingNumber: "the parcels do not have a tracking number each",
  charge: "its price cannot be read",
};

/** The first field that cannot be stored. */
function problemOf(label: Label, parcelCount: number): string | undefined {
  const { service, charge, parcels, documents = [], transitDays, deliverBy, carrierData } = label;
  const numbers = new Set(parcels.map(({ trackingNumber }) => trackingNumber));
  const files = [...parcels.flatMap(({ file }) => file ?? []), ...documents.map(({ file }) => file)];
  if (!isStorableLine(service)) return "service";
  if (charge !== null && !isCharge(charge)) return "charge";
  if (parcels.length !== parcelCount) return "parcels";
  if (numbers.size !== parcelCount || ![...numbers].every(isStorableLine)) return "trackingNumber";
  if (documents.length > maxDocuments) return "documents";
  if (!files.every(({ contentType }) => labelTypes.includes(contentType))) return "contentType";
  if (transitDays !== undefined && !(Number.isInteger(transitDays) && transitDays >= 0)) return "transitDays";
  if (deliverBy !== undefined && Number.isNaN(Date.parse(deliverBy))) return "deliverBy";
  return isCarrierData(carrierData) ? undefined : "carrierData";
}

function readFiles({ parcels, leadHasAllLabels = false, documents = [] }: Label): Pick<Sold, "files" | "lack"> {
  const files: store.LabelContent[] = [];
  let lack: Failure | null = null;
  const keep = (place: store.FilePlace, content: Buffer | undefined, trackingNumber: string): void => {
    const bytes = content?.length ?? 0;
    if (content && bytes > 0 && bytes <= maxContentBytes) files.push({ ...place, content });
    else lack ??= lackOf(bytes, trackingNumber);
  };
  for (const [position, { trackingNumber, file }] of parcels.entries()) {
    if (leadHasAllLabels && position > 0 && !file) continue;
    keep({ kind: "parcel", position }, file?.content, trackingNumber);
  }
  for (const [position, { file }] of documents.entries())
    keep({ kind: "document", position }, file.content, parcels[0]!.trackingNumber);
  return { files, lack };
}

function lackOf(bytes: number, trackingNumber: string): Failure {
  const [code, problem] =
    bytes > 0
      ? ["content_too_large", `The label file is larger than ${maxContentBytes} bytes.`]
      : ["content_missing", "The carrier sent no label file."];
  return { code, message: `${problem} Download label ${trackingNumber} from the carrier.` };
}

/** The shipment of each parcel. The lead has the cost. */
async function prepareShipments(
  ctx: Ctx,
  label: ShipmentLabel,
  sold: Label,
  terms: PromiseTerms,
): Promise<PreparedParcel[]> {
  const { service, charge } = sold;
  // Undoing a run may have deleted the order meanwhile; the label is paid for all the same.
  const isOut = label.orderId !== null && !isReturnLabel(label);
  const [order] = isOut ? await readOrders(ctx.db, ctx.orgId, [label.orderId!]) : [];
  const parcel: ParcelOfLabel = {
    carrierAccountId: label.carrierAccountId,
    zone: zoneOf(label, sold, terms),
    promise: order?.deliverBy == null ? promiseOf(label, sold, terms) : null,
  };
  const requests = parcelsOf(label).map(({ weight }, index) => ({
    ...(order ? { orderId: order.id } : {}),
    carrier: label.carrier,
    service,
    trackingNumber: sold.parcels[index]!.trackingNumber,
    origin: label.from,
    destination: label.to,
    weight,
    ...(charge === null || index > 0
      ? {}
      : { cost: amountOf(charge.cents, charge.currency), currency: charge.currency }),
    metadata: { labelId: label.id },
  }));
  return await Promise.all(requests.map((request) => prepareParcel(ctx, request, parcel)));
}

/** By the contract, else as the carrier says; one that cannot be stored is dropped. */
function zoneOf({ quote }: ShipmentLabel, sold: Label, { contract }: PromiseTerms): string | null {
  const zone = contract?.zone ?? sold.zone ?? quote?.zone ?? null;
  return zone !== null && isStorableLine(zone) ? zone : null;
}

/** Some carriers promise a delivery with the quote only. Its day counts for the ship date of the quote. */
function promiseInQuote(
  { quote, shipDate: quotedFor }: ShipmentLabel,
  { deliverBy, transitDays }: Label,
  shipDate: string,
): Pick<Label, "deliverBy" | "transitDays"> {
  if (quote === null || deliverBy !== undefined || transitDays !== undefined) return {};
  return {
    ...(quote.deliverBy !== null && quotedFor === shipDate && { deliverBy: quote.deliverBy }),
    ...(quote.transitDays !== null && { transitDays: quote.transitDays }),
  };
}
