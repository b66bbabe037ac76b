import type { CarrierCall, LabelRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { orMissing } from "../seam/json-api.ts";
import { shortKey } from "../seam/keys.ts";
import { fetchLabelFile, labelFileOfBase64 } from "../seam/label-file.ts";
import type { Charge, Label, LabelFile } from "../seam/labels.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { dayOrInstant } from "../seam/storable.ts";
import { notSupported } from "../seam/option-checks.ts";
import { api, carriersIn, chosenCarriers, fileHeaders, get, post, segment } from "./shipengine-api.ts";
import { amountIn, currencyOf, linesIn } from "./shipengine-rates.ts";
import { shipmentBody } from "./shipengine-shipment.ts";

const layouts = { "4x6": "4x6", letter: "letter", a4: "A4", a6: "A6" };

/** Longer than a purchase takes: after this time it has ended at the carrier, with or without a label. */
const settledMs = 120_000;

/**
 * The effect key is the `external_shipment_id`, which ShipEngine accepts once: it finds what an earlier attempt bought, and keeps a
 * repeat from buying again.
 */
export async function createLabel(call: CarrierCall, request: LabelRequest): Promise<Label> {
  const format = formatOf(call, request);
  const shipment = shipmentBody(request, call.settings);
  if (call.attempt > 1 || call.noted) {
    const earlier = await lookUp("ShipEngine", "label", async () => await findLabel(call));
    if (earlier) return await labelOf(call, earlier, request);
  }
  const carrier_id = await carrierFor(call, request);
  const whole = { ...shipment, carrier_id, service_code: request.service, external_shipment_id: keyOf(call) };
  const isReturn = request.options.isReturn === true ? { is_return_label: true } : {};
  try {
    const bought = await buy(call, "/labels", { ...format, ...isReturn, shipment: whole });
    return await labelOf(call, bought, request);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.code !== "already_exists") throw error;
    return await labelOf(call, await goOn(call, { ...format, ...isReturn }), request);
  }
}

/** Notes when the purchase was sent, and takes that back when it was refused: it is not under way any more. */
async function buy(call: CarrierCall, path: string, json: object): Promise<Json> {
  await call.note({ sentAt: call.now().toISOString() });
  try {
    return await post(call, path, json);
  } catch (error) {
    if (error instanceof RemoteError && !error.mayHaveHappened && error.code !== "already_exists") await call.note({});
    throw error;
  }
}

/**
 * The shipment of an earlier attempt exists. Its label is taken if there is one. Without one the purchase may still be under way:
 * only after it must have ended is the same shipment bought again.
 */
async function goOn(call: CarrierCall, format: object): Promise<Json> {
  const earlier = await lookUp("ShipEngine", "label", async () => await findLabel(call));
  if (earlier) return earlier;
  const path = `/shipments/external_shipment_id/${segment(keyOf(call))}`;
  const { shipment_id, shipment_status } = await lookUp("ShipEngine", "label", async () => await get(call, path));
  if (shipment_status === "pending" && hasEnded(call) && asText(shipment_id) !== undefined)
    return await buy(call, `/labels/shipment/${segment(shipment_id)}`, format);
  await call.note(call.noted ?? { sentAt: call.now().toISOString() });
  throw stillOpen("ShipEngine has the shipment, but no label yet.");
}

function hasEnded({ noted, now }: CarrierCall): boolean {
  if (!noted) return false;
  const sentAt = asText(noted.sentAt);
  return sentAt === undefined || now().getTime() - Date.parse(sentAt) >= settledMs;
}

function stillOpen(message: string): RemoteError {
  return new RemoteError("in_progress", message, { retryable: true, mayHaveHappened: true, retryAfterMs: 60_000 });
}

function keyOf({ effectKey }: CarrierCall): string {
  return shortKey(effectKey, 50);
}

async function findLabel(call: CarrierCall): Promise<Json | undefined> {
  const found = await orMissing(get(call, `/labels/external_shipment_id/${segment(keyOf(call))}`));
  const labels = "labels" in (found ?? {}) ? asList(found?.labels) : asList(found);
  return labels.find((label) => asText(label.label_id) !== undefined && label.status !== "error");
}

function formatOf({ settings }: CarrierCall, { options }: LabelRequest): object {
  const { format = asText(settings.labelFormat) ?? "pdf", size = "4x6" } = options.label ?? {};
  if (size !== "4x6" && format !== "pdf") throw notSupported("ShipEngine", "label.size", `${size} exists as pdf only.`);
  return { label_format: format, label_layout: layouts[size], label_download_type: "inline" };
}

async function carrierFor(call: CarrierCall, { service, quote }: LabelRequest): Promise<string> {
  const quoted = asText(quote?.carrierId);
  if (quoted !== undefined) return quoted;
  const chosen = chosenCarriers(call.settings);
  if (chosen.length === 1) return chosen[0]!;
  const known = carriersIn(await get(call, "/carriers")).filter(({ id }) => chosen.length === 0 || chosen.includes(id));
  const match = known.find(({ services }) => services.includes(service)) ?? (known.length === 1 ? known[0] : undefined);
  if (match) return match.id;
  throw new RemoteError("service_not_offered", `No carrier of the ShipEngine account has the service ${service}.`);
}

async function labelOf(call: CarrierCall, answer: Json, { parcels: wanted }: LabelRequest): Promise<Label> {
  const sold = soldIn(await withFile(call, answer), wanted.length);
  const files: (LabelFile | null)[] = [];
  for (const { source } of sold.parcels) files.push(await fileOf(call, source));
  const form = await fileOf(call, sold.form);
  const parcels = sold.parcels.map(({ trackingNumber }, index) => ({ trackingNumber, file: files[index] ?? null }));
  // Without a file of its own, the label of a parcel is a page of the lead's.
  return {
    ...sold.label,
    parcels,
    ...(parcels.length > 1 ? { leadHasAllLabels: true } : {}),
    ...(form ? { documents: [{ kind: "customs", file: form }] } : {}),
  };
}

/** After this many attempts a label is taken without its file. */
const attemptsForFile = 6;

/** Some carriers make the file later. The label is sold; it is asked for again until the file is there. */
async function withFile(call: CarrierCall, answer: Json): Promise<Json> {
  const isReady = (label: Json): boolean =>
    label.status !== "processing" || asText(asObject(label.label_download).href) !== undefined;
  const id = asText(answer.label_id);
  if (isReady(answer) || id === undefined) return answer;
  const newest = await lookUp("ShipEngine", "label", async () => await get(call, `/labels/${segment(id)}`));
  if (isReady(newest) || call.attempt >= attemptsForFile) return newest;
  throw stillOpen("The carrier is still making the label.");
}

/** Inline files are data URLs. Others are on the API's own host, which wants the key, or elsewhere. */
async function fileOf(call: CarrierCall, source: string | undefined): Promise<LabelFile | null> {
  if (source === undefined || source.startsWith("data:")) return labelFileOfBase64(source);
  return await fetchLabelFile(call, source, fileHeaders(call, source));
}

type Sold = {
  label: Omit<Label, "parcels">;
  parcels: { trackingNumber: string; source: string | undefined }[];
  form: string | undefined;
};

export function soldIn(answer: Json, parcelCount = asList(answer.packages).length): Sold {
  const id = asText(answer.label_id);
  if (answer.status === "error")
    throw new RemoteError("rejected", `ShipEngine: ${api.reasonIn(answer) ?? "the carrier made no label."}`);
  const lead = asText(answer.tracking_number);
  if (answer.status === "processing" && lead === undefined) throw stillOpen("The carrier is still making the label.");
  if (id === undefined || lead === undefined)
    throw new RemoteError("unexpected_response", `ShipEngine sold ${id ?? "a label"} without a tracking number.`, {
      mayHaveHappened: true,
    });
  const deliverBy = dayOrInstant(answer.estimated_delivery_date);
  return {
    label: {
      service: asText(answer.service_code) ?? "unknown",
      charge: chargeOf(answer),
      ...(deliverBy === undefined ? {} : { deliverBy }),
      carrierData: {
        labelId: id,
        carrierId: asText(answer.carrier_id) ?? null,
        carrierCode: asText(answer.carrier_code) ?? null,
      },
    },
    parcels: parcelsIn(answer, lead, parcelCount),
    form: asText(asObject(answer.form_download).href),
  };
}

/** The file of the label has the pages of all parcels, unless each has its own. */
function parcelsIn(answer: Json, lead: string, parcelCount: number): Sold["parcels"] {
  const whole = sourceIn(answer.label_download, asText(answer.label_format));
  const packages = asList(answer.packages);
  const numbers = packages.map((one) => asText(one.tracking_number) ?? lead);
  if (parcelCount <= 1) return [{ trackingNumber: lead, source: whole }];
  return packages.map((one, index) => {
    const own = sourceIn(one.label_download, asText(answer.label_format));
    return { trackingNumber: numbers[index] ?? lead, source: own ?? (index === 0 ? whole : undefined) };
  });
}

function sourceIn(download: unknown, format = "pdf"): string | undefined {
  const sources = asObject(download);
  return asText(sources[format]) ?? asText(sources.href) ?? asText(sources.pdf);
}

function chargeOf(answer: Json): Charge | null {
  try {
    const currency = currencyOf(answer.shipment_cost);
    if (asText(asObject(answer.shipment_cost).amount) === undefined) return null;
    const [shipping, insurance] = [
      amountIn(answer.shipment_cost, currency),
      answer.insurance_cost ? amountIn(answer.insurance_cost, currency) : 0,
    ];
    const details = linesIn(answer.rate_details, currency);
    const plain = [
      { code: "shipping", label: "Shipping", cents: shipping },
      ...(insurance === 0 ? [] : [{ code: "insurance", label: "Insurance", cents: insurance }]),
    ];
    const sum = details.reduce((total, { cents }) => total + cents, 0);
    return { cents: shipping + insurance, currency, lines: sum === shipping + insurance && sum > 0 ? details : plain };
  } catch (error) {
    // The label is sold, so a price that cannot be read is no price instead of a failure.
    if (error instanceof RemoteError) return null;
    throw error;
  }
}
