import type { CarrierCall, Manifest, ManifestRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { fetchLabelFile } from "../seam/label-file.ts";
import { asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { get, post, segment } from "./easypost-api.ts";
import { shipmentIds } from "./easypost-voids.ts";

/** The SCAN form of USPS. A label can be on one form only, so a repeat finds the form at the label. */
export async function createManifest(call: CarrierCall, { parcels }: ManifestRequest): Promise<Manifest> {
  const ids = [...new Set(parcels.flatMap((parcel) => shipmentIds(parcel)))];
  if (ids.length === 0)
    throw new RemoteError("labels_required", "EasyPost makes a SCAN form for labels that were bought through it.");
  const earlier =
    call.attempt > 1 ? await lookUp("EasyPost", "manifest", async () => await formOf(call, ids[0]!)) : undefined;
  const shipments = ids.map((id) => ({ id }));
  const form = earlier ?? (await post(call, "/v2/scan_forms", { scan_form: { shipments } }));
  const { id, number, url } = formIn(form);
  return { number, file: await fetchLabelFile(call, url), carrierData: { scanFormId: id } };
}

async function formOf(call: CarrierCall, shipmentId: string): Promise<Json | undefined> {
  const { scan_form } = await get(call, `/v2/shipments/${segment(shipmentId)}`);
  return asText(asObject(scan_form).id) === undefined ? undefined : asObject(scan_form);
}

export function formIn(form: Json): { id: string; number: string | null; url: string | undefined } {
  const id = asText(form.id);
  if (id === undefined)
    throw new RemoteError("unexpected_response", "EasyPost made a SCAN form without an ID.", { mayHaveHappened: true });
  if (form.status === "failed")
    throw new RemoteError("rejected", `EasyPost: ${asText(form.message) ?? "the SCAN form failed."}`);
  return { id, number: asText(form.confirmation) ?? null, url: asText(form.form_url) };
}
