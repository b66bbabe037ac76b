import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { ParcelCharge } from "../invoices/invoices.ts";
import { chooseInvoices, fromMicros, listParcelCharges } from "../invoices/invoices.ts";
import type { ComparisonRequest } from "./rate-comparisons.schemas.ts";
import { maxItems } from "./rate-comparisons.schemas.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";

const pageSize = 5_000;
/** Of up to `maxItems` parcels. Each is an item of the comparison, of which some numbers are kept in memory. */
const maxCharges = 1_000_000;

/** Where the items of a new comparison come from: the request, or the lines of invoices. */
export async function itemSource(ctx: Ctx, request: ComparisonRequest): Promise<() => AsyncGenerator<ItemRequest[]>> {
  const { items, invoiceIds: ids, invoiceDates: dates } = request;
  if (ids === undefined && dates === undefined) return () => listed(items ?? []);
  const others = Object.entries({ items, invoiceIds: ids, invoiceDates: dates }).filter(
    ([, given]) => given !== undefined,
  );
  if (others.length > 1) {
    const message = `Send one of ${others.map(([name]) => name).join(" and ")}.`;
    throw badField(`/${others[1]![0]}`, "conflict", message);
  }
  const chosen = await chooseInvoices(ctx, { ids, dates });
  return () => ofInvoices(ctx, chosen);
}

async function* listed(items: ItemRequest[]): AsyncGenerator<ItemRequest[]> {
  for (let from = 0; from < items.length; from += pageSize) yield items.slice(from, from + pageSize);
}

async function* ofInvoices(ctx: Ctx, invoiceIds: string[]): AsyncGenerator<ItemRequest[]> {
  let [parcels, lines] = [0, 0];
  let charges = await listParcelCharges(ctx.db, ctx.orgId, invoiceIds, "", pageSize);
  while (charges.length > 0) {
    // A batch has all charges of its parcels.
    parcels += new Set(charges.map(({ parcel }) => parcel)).size;
    lines += charges.length;
    if (parcels > maxItems || lines > maxCharges) {
      const limit = parcels > maxItems ? `${maxItems} parcels` : `${maxCharges} charges`;
      throw badField("/invoiceIds", "too_many_items", `The invoices have more than ${limit}; choose fewer.`);
    }
    yield charges.map(toItem);
    charges = await listParcelCharges(ctx.db, ctx.orgId, invoiceIds, charges.at(-1)!.parcel, pageSize);
  }
}

function toItem(charge: ParcelCharge): ItemRequest {
  const { service, senderZip, senderCountry, receiverZip, receiverCountry, shipDate, weight, weightUnit } = charge;
  const { length, width, height, sideUnit, lead } = charge;
  const isTransport = charge.charge === "";
  const unit = sideUnit === "cm" ? "cm" : "in";
  return {
    trackingNumber: charge.parcel,
    netCost: fromMicros(charge.netMicros),
    currency: charge.currency,
    ...(!isTransport && { chargeType: charge.charge.slice(0, 100) }),
    ...(isTransport && service !== null && { serviceType: service.slice(0, 100) }),
    ...(isTransport && lead !== null && { leadTrackingNumber: lead }),
    ...(senderZip !== null && { originZip: senderZip }),
    ...(senderCountry !== null && { originCountry: senderCountry }),
    ...(receiverZip !== null && { destinationZip: receiverZip }),
    ...(receiverCountry !== null && { destinationCountry: receiverCountry }),
    ...(shipDate !== null && { shipDate }),
    ...(weight !== null && { weight: { value: weight, unit: weightUnit as "lb" | "oz" | "kg" | "g" } }),
    ...(length !== null && width !== null && height !== null && { dimensions: { length, width, height, unit } }),
  };
}
