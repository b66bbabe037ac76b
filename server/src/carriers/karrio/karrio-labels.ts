import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { fetchLabelFile, labelFileOfBase64 } from "../seam/label-file.ts";
import type { Charge, Label, LabelFile, SoldLabel, VoidAnswer } from "../seam/labels.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { dayOrInstant, wholeDays } from "../seam/storable.ts";
import { api, apiUrl, fileHeaders, get, keyOf, ownEntries, post, segment } from "./karrio-api.ts";
import { chooseRate, readRate } from "./karrio-rates.ts";
import { shipmentBody } from "./karrio-shipment.ts";

/** Longer than a purchase takes: after this time it has ended at the carrier, with or without a label. */
const settledMs = 120_000;

/**
 * A draft is created, noted, and bought by its ID. karrio refuses to buy a shipment that has a label, but does not know of a purchase
 * that is under way: a repeat buys a draft only when the first purchase must have ended.
 */
export async function createLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  const label_type = (request.options.label?.format ?? asText(call.settings.labelFormat) ?? "pdf").toUpperCase();
  const body = { ...shipmentBody(request, call.settings, true), label_type, services: [request.service] };
  const shipment = (await findEarlier(call)) ?? (await create(call, body));
  if (isBought(shipment)) return await labelOf(call, shipment, request);
  const rate = chooseRate(shipment, request.service, request.quote?.carrierId);
  if (call.settings.testMode === true && !rate.isTest)
    throw new RemoteError("live_connection", `karrio would buy from a live connection, and this account is for tests.`);
  if (call.noted?.carrierTimedOut === true) throw cannotFindOut(rate.carrierName ?? "the carrier", request);
  const sentAt = asText(call.noted?.sentAt);
  if (sentAt !== undefined && call.now().getTime() - Date.parse(sentAt) < settledMs) throw stillOpen();
  await call.note({ shipmentId: shipment.id, sentAt: call.now().toISOString() });
  const bought = await purchase(call, shipment, { selected_rate_id: rate.id, label_type });
  return await labelOf(call, bought, request);
}

function stillOpen(): RemoteError {
  const message = "The purchase may still be under way in karrio.";
  return new RemoteError("in_progress", message, { retryable: true, mayHaveHappened: true, retryAfterMs: 60_000 });
}

/** karrio has no label, but the carrier may have sold one without karrio knowing: buying again could pay twice. */
function cannotFindOut(carrier: string, { reference }: LabelRequest): RemoteError {
  const where = reference === undefined ? "" : ` with the reference ${reference}`;
  const message = `${carrier} did not answer karrio and may have sold the label. Look for a label${where} at ${carrier}.`;
  return new RemoteError("outcome_unknown", message, { mayHaveHappened: true });
}

async function create(call: CarrierCall, body: object): Promise<Json> {
  const created = await post(call, "/v1/shipments", { ...body, metadata: { hub_key: keyOf(call) } });
  if (asText(created.id) === undefined)
    throw new RemoteError("unexpected_response", "karrio created a shipment without an ID.");
  await call.note({ shipmentId: created.id });
  return created;
}

/** By the noted ID, else by the key in its metadata: the answer to its creation may have been lost. */
async function findEarlier(call: CarrierCall): Promise<Json | undefined> {
  const id = asText(call.noted?.shipmentId);
  if (id !== undefined)
    return await lookUp("karrio", "label", async () => await get(call, `/v1/shipments/${segment(id)}`));
  if (call.attempt === 1) return undefined;
  const query = { metadata_key: "hub_key", metadata_value: keyOf(call) };
  const found = ownEntries(
    call,
    await lookUp("karrio", "label", async () => await get(call, "/v1/shipments", { query })),
  );
  const shipment = found.find(isBought) ?? found[0];
  if (shipment && asText(shipment.id) !== undefined) await call.note({ shipmentId: shipment.id });
  return shipment;
}

async function purchase(call: CarrierCall, { id }: Json, choice: object): Promise<Json> {
  const path = `/v1/shipments/${segment(id)}`;
  try {
    return await post(call, `${path}/purchase`, choice);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    if (error.code === "conflict") return await lookUp("karrio", "label", async () => await get(call, path));
    if (error.code === "timed_out") await call.note({ shipmentId: id, carrierTimedOut: true });
    // It was refused, so it is not under way any more.
    else if (!error.mayHaveHappened) await call.note({ shipmentId: id });
    throw error;
  }
}

function isBought({ status, tracking_number }: Json): boolean {
  return status !== "draft" && asText(tracking_number) !== undefined;
}

async function labelOf(call: CarrierCall, shipment: Json, { parcels: wanted }: LabelRequest): Promise<Label> {
  const sold = soldIn(shipment);
  const file = labelFileOfBase64(sold.base64) ?? (await fileAt(call, sold.url));
  const invoice = labelFileOfBase64(sold.invoice);
  // Numbers beyond those of the parcels are of return labels.
  const numbers = sold.numbers.slice(0, wanted.length);
  const parcels = numbers.map((trackingNumber, index) => ({ trackingNumber, file: index === 0 ? file : null }));
  return {
    ...sold.label,
    parcels,
    ...(parcels.length > 1 ? { leadHasAllLabels: true } : {}),
    ...(invoice ? { documents: [{ kind: "customs", file: invoice }] } : {}),
  };
}

/** Addresses of files are relative, or on the host of karrio, which wants the token, or elsewhere. */
async function fileAt(call: CarrierCall, url: string | undefined): Promise<LabelFile | null> {
  const base = apiUrl(call.settings);
  if (url === undefined || !URL.canParse(url, base)) return null;
  const whole = new URL(url, base);
  return await fetchLabelFile(call, whole.href, whole.origin === new URL(base).origin ? fileHeaders(call) : undefined);
}

type Sold = {
  label: Omit<Label, "parcels">;
  /** Lead first. */
  numbers: string[];
  base64: string | undefined;
  url: string | undefined;
  invoice: string | undefined;
};

export function soldIn(shipment: Json): Sold {
  const lead = asText(shipment.tracking_number);
  if (lead === undefined || !isBought(shipment)) {
    const message = `karrio sold ${asText(shipment.id) ?? "a label"} without a tracking number.`;
    throw new RemoteError("unexpected_response", message, { mayHaveHappened: true });
  }
  const { label, invoice } = asObject(shipment.docs);
  const document = asList(shipment.shipping_documents).find(({ category }) => category === "label");
  const selected = asObject(shipment.selected_rate);
  const { tracking_numbers } = asObject(shipment.meta);
  const others = (Array.isArray(tracking_numbers) ? tracking_numbers : []).flatMap((number) => asText(number) ?? []);
  const [transitDays, deliverBy] = [wholeDays(selected.transit_days), dayOrInstant(selected.estimated_delivery)];
  return {
    label: {
      service: asText(shipment.service) ?? asText(selected.service) ?? "unknown",
      charge: chargeOf(selected),
      ...(transitDays === undefined ? {} : { transitDays }),
      ...(deliverBy === undefined ? {} : { deliverBy }),
      carrierData: {
        shipmentId: asText(shipment.id) ?? null,
        carrierName: asText(shipment.carrier_name) ?? asText(selected.carrier_name) ?? null,
      },
    },
    numbers: [...new Set([lead, ...others])],
    base64: asText(label) ?? asText(document?.base64),
    url: asText(document?.url) ?? asText(shipment.label_url),
    invoice: asText(invoice),
  };
}

/** The label is sold, so a price that cannot be read is no price instead of a failure. */
function chargeOf(selected: Json): Charge | null {
  try {
    if (asText(selected.total_charge) === undefined) return null;
    const { cents, currency, lines } = readRate(selected);
    return { cents, currency, ...(lines.length > 0 ? { lines } : {}) };
  } catch (error) {
    if (error instanceof RemoteError) return null;
    throw error;
  }
}

export async function voidLabel(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer> {
  const id = asText(label.carrierData?.shipmentId) ?? (await findId(call, label));
  try {
    return voidIn(await post(call, `/v1/shipments/${segment(id)}/cancel`, {}, { retry: "safe" }));
  } catch (error) {
    if (!(error instanceof RemoteError) || (error.code !== "conflict" && error.code !== "rejected")) throw error;
    return { state: "rejected", message: error.message };
  }
}

async function findId(call: CarrierCall, { trackingNumber }: SoldLabel): Promise<string> {
  const { results } = await get(call, "/v1/shipments", { query: { tracking_number: trackingNumber } });
  const id = asText(asList(results).find(({ tracking_number }) => tracking_number === trackingNumber)?.id);
  if (id !== undefined) return id;
  throw new RemoteError("label_not_known", `karrio has no label with the tracking number ${trackingNumber}.`);
}

export function voidIn(shipment: Json): VoidAnswer {
  if (shipment.status === "cancelled") return { state: "voided" };
  return { state: "rejected", message: `karrio: ${api.reasonIn(shipment) ?? "the shipment was not cancelled."}` };
}

export async function findVoid(call: CarrierCall, { carrierData }: SoldLabel): Promise<VoidAnswer | undefined> {
  const id = asText(carrierData?.shipmentId);
  if (id === undefined) return undefined;
  const { status } = await get(call, `/v1/shipments/${segment(id)}`);
  return status === "cancelled" ? { state: "voided" } : undefined;
}
