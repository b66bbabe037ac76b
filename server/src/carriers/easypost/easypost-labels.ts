import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { orMissing } from "../seam/json-api.ts";
import { shortKey } from "../seam/keys.ts";
import { fetchLabelFile } from "../seam/label-file.ts";
import type { Charge, ChargeLine, Label } from "../seam/labels.ts";
import { centsOf } from "../seam/money.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { readableName } from "../seam/service-names.ts";
import { oneLine } from "../seam/storable.ts";
import { get, post, segment } from "./easypost-api.ts";
import { chooseRate, readRate } from "./easypost-rates.ts";
import type { Rate } from "./easypost-rates.ts";
import { insuranceOf, orderBody, shipmentBody } from "./easypost-shipment.ts";

/** A shipment for one parcel, an order for several. Both are created first and bought by their ID. */
type Kind = { path: "/v2/shipments" | "/v2/orders"; member: "shipment" | "order" };
const single: Kind = { path: "/v2/shipments", member: "shipment" };
const several: Kind = { path: "/v2/orders", member: "order" };

/**
 * EasyPost has no idempotency keys, but sells each shipment once. The ID is noted before the purchase, and a repeat buys the same
 * shipment or finds that it was bought.
 */
export async function createLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  const kind = request.parcels.length === 1 ? single : several;
  const insurance = insuranceOf(request);
  const body = (kind === single ? shipmentBody : orderBody)(request, call.settings);
  const found = await findEarlier(call, kind);
  const record = found ?? (await create(call, kind, body));
  if (isBought(record)) return await labelOf(call, record);
  refusePart(record);
  const buy = async (from: Json): Promise<Json> => {
    const rate = chooseRate(from, request.service, request.quote?.accountId);
    return await buyRecord(call, kind, String(record.id), rate, insurance);
  };
  try {
    return await labelOf(call, await buy(record));
  } catch (error) {
    // An order is bought by carrier and service: it has no rates to renew.
    if (!(error instanceof RemoteError) || error.code !== "rate_expired" || kind === several) throw error;
    // The new rates belong to the same shipment, which is sold once.
    return await labelOf(call, await buy(await post(call, `${kind.path}/${segment(record.id)}/rerate`)));
  }
}

async function create(call: CarrierCall, kind: Kind, body: object): Promise<Json> {
  const reference = referenceOf(call);
  const created = await post(call, kind.path, { [kind.member]: { ...body, reference } });
  if (asText(created.id) === undefined)
    throw new RemoteError("unexpected_response", `EasyPost created a ${kind.member} without an ID.`);
  await call.note({ [`${kind.member}Id`]: created.id });
  return created;
}

export function referenceOf({ effectKey }: CarrierCall): string {
  return shortKey(effectKey, 40);
}

/** By the noted ID, else by reference: the answer to its creation may have been lost. */
async function findEarlier(call: CarrierCall, { path, member }: Kind): Promise<Json | undefined> {
  const id = asText(call.noted?.[`${member}Id`]);
  if (id !== undefined) return await lookUp("EasyPost", "label", async () => await get(call, `${path}/${segment(id)}`));
  if (call.attempt === 1) return undefined;
  const record = await lookUp(
    "EasyPost",
    "label",
    async () => await orMissing(get(call, `${path}/${segment(referenceOf(call))}`)),
  );
  if (record && asText(record.id) !== undefined) await call.note({ [`${member}Id`]: record.id });
  return record && asText(record.id) !== undefined ? record : undefined;
}

async function buyRecord(call: CarrierCall, kind: Kind, id: string, rate: Rate, insurance?: string): Promise<Json> {
  const path = `${kind.path}/${segment(id)}`;
  const { carrier, service } = rate;
  const choice = kind === single ? { rate: { id: rate.id } } : { carrier, service };
  try {
    return await post(call, `${path}/buy`, { ...choice, ...(insurance === undefined ? {} : { insurance }) });
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (error.code === "already_bought") return await lookUp("EasyPost", "label", async () => await get(call, path));
    // The carrier may have refused one parcel after it sold another.
    if (kind === several && !error.mayHaveHappened)
      refusePart(await lookUp("EasyPost", "label", async () => await get(call, path)), error);
    throw error;
  }
}

function shipmentsOf(record: Json): Json[] {
  return "shipments" in record ? asList(record.shipments) : [record];
}

function isBought(record: Json): boolean {
  const shipments = shipmentsOf(record);
  return shipments.length > 0 && shipments.every(({ tracking_code }) => asText(tracking_code) !== undefined);
}

/** Some parcels of the order are sold and paid for. Buying it again would not bring the others, and a rejection would hide them. */
function refusePart(record: Json, cause?: RemoteError): void {
  const numbers = shipmentsOf(record).flatMap(({ tracking_code }) => asText(tracking_code) ?? []);
  if (numbers.length === 0 || isBought(record)) return;
  const reason = cause === undefined ? "" : ` ${cause.message}`;
  const message = `EasyPost sold only the labels ${numbers.join(", ")} of several parcels.${reason} Refund them at EasyPost, or buy the others there.`;
  throw new RemoteError("outcome_unknown", message);
}

async function labelOf(call: CarrierCall, record: Json): Promise<Label> {
  const sold = soldIn(record);
  const files = await Promise.all(sold.parcels.map(async ({ url }) => await fetchLabelFile(call, url)));
  const forms = await Promise.all(sold.formUrls.map(async (url) => await fetchLabelFile(call, url)));
  const documents = forms.flatMap((file) => (file ? [{ kind: "customs" as const, file }] : []));
  const parcels = sold.parcels.map(({ trackingNumber }, index) => ({ trackingNumber, file: files[index] ?? null }));
  return { ...sold.label, parcels, ...(documents.length > 0 ? { documents } : {}) };
}

type Sold = {
  label: Omit<Label, "parcels">;
  parcels: { trackingNumber: string; url: string | undefined }[];
  formUrls: string[];
};

/** What a bought shipment or order says about its labels. */
export function soldIn(record: Json): Sold {
  const shipments = shipmentsOf(record);
  if (!isBought(record)) {
    const message = `EasyPost sold ${asText(record.id) ?? "a label"} without a tracking number.`;
    throw new RemoteError("unexpected_response", message, { mayHaveHappened: true });
  }
  const rates = shipments.map(({ selected_rate }) => readSelected(asObject(selected_rate)));
  const [lead] = rates;
  const carrier = lead?.carrier ?? asText(asObject(shipments[0]!.tracker).carrier);
  return {
    label: {
      service: lead ? `${lead.carrier}/${lead.service}` : "unknown",
      charge: chargeOf(shipments, rates),
      ...(lead?.transitDays === undefined ? {} : { transitDays: lead.transitDays }),
      ...(lead?.deliverBy === undefined ? {} : { deliverBy: lead.deliverBy }),
      carrierData: { shipmentIds: shipments.map(({ id }) => asText(id) ?? ""), carrier: carrier ?? null },
    },
    parcels: shipments.map(({ tracking_code, postage_label }) => ({
      trackingNumber: String(tracking_code),
      url: asText(asObject(postage_label).label_url),
    })),
    formUrls: shipments.flatMap(({ forms }) => asList(forms).flatMap(({ form_url }) => asText(form_url) ?? [])),
  };
}

/** The label is sold, so a price that cannot be read is no price instead of a failure. */
function readSelected(selected: Json): Rate | undefined {
  try {
    return asText(selected.rate) === undefined ? undefined : readRate(selected);
  } catch (error) {
    if (error instanceof RemoteError) return undefined;
    throw error;
  }
}

/**
 * The postage of all parcels and the fees of EasyPost, such as insurance. Postage is taken from the rates: carriers that bill
 * the account themselves have no postage fee.
 */
function chargeOf(shipments: Json[], rates: (Rate | undefined)[]): Charge | null {
  const currency = rates[0]?.currency;
  if (currency === undefined || rates.some((one) => one?.currency !== currency)) return null;
  const postage = rates.reduce((sum, one) => sum + (one?.cents ?? 0), 0);
  const fees = shipments.flatMap(({ fees: list }) => asList(list)).flatMap((fee) => feeLine(fee, currency));
  const lines = [{ code: "PostageFee", label: "Postage", cents: postage }, ...fees];
  return { cents: lines.reduce((sum, { cents }) => sum + cents, 0), currency, lines };
}

function feeLine({ type, amount, refunded }: Json, currency: string): ChargeLine[] {
  const code = oneLine(asText(type) ?? "Fee");
  if (code === "PostageFee" || refunded === true || asText(amount) === undefined) return [];
  const cents = centsOf(amount, currency);
  return cents === 0 ? [] : [{ code, label: oneLine(readableName(code)), cents }];
}
