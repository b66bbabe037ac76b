import type { CarrierCall, Manifest, ManifestRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { fetchLabelFile } from "../seam/label-file.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { lookUp } from "../seam/repeats.ts";
import { api, fileHeaders, get, post, segment } from "./shipengine-api.ts";
import { labelIds } from "./shipengine-pickups.ts";

/** Some carriers make the manifest in the background: the next attempt asks for it by the noted ID. */
export async function createManifest(call: CarrierCall, { parcels }: ManifestRequest): Promise<Manifest> {
  const label_ids = labelIds(parcels);
  if (label_ids.length === 0)
    throw new RemoteError("labels_required", "ShipEngine makes a manifest of labels that were bought through it.");
  const answer = (await findEarlier(call, label_ids)) ?? (await post(call, "/manifests", { label_ids }));
  const requestId = asText(asList(answer.manifest_requests)[0]?.manifest_request_id);
  const manifest = manifestIn(answer);
  if (!manifest) {
    if (requestId !== undefined) await call.note({ requestId });
    const message = "ShipEngine is still making the manifest.";
    throw new RemoteError("in_progress", message, { retryable: true, mayHaveHappened: true, retryAfterMs: 60_000 });
  }
  const file = await fetchLabelFile(call, manifest.url, fileHeaders(call, manifest.url));
  return { number: manifest.number, file, carrierData: { manifestId: manifest.id } };
}

async function findEarlier(call: CarrierCall, label_ids: string[]): Promise<Json | undefined> {
  const requestId = asText(call.noted?.requestId);
  if (requestId !== undefined)
    return await lookUp(
      "ShipEngine",
      "manifest",
      async () => await get(call, `/manifests/requests/${segment(requestId)}`),
    );
  if (call.attempt === 1) return undefined;
  const found = await lookUp(
    "ShipEngine",
    "manifest",
    async () => await get(call, "/manifests", { query: { label_ids: label_ids.join() } }),
  );
  return asList(found.manifests).length > 0 ? found : undefined;
}

/** Labels that were refused are listed in `errors` beside the manifest of the others. Undefined: not made yet. */
export function manifestIn(answer: Json): { id: string; number: string | null; url: string | undefined } | undefined {
  const [first] = "manifests" in answer ? asList(answer.manifests) : asList(answer);
  const id = asText(first?.manifest_id);
  if (id !== undefined)
    return { id, number: asText(first?.submission_id) ?? null, url: asText(asObject(first?.manifest_download).href) };
  const isOpen = asList(answer.manifest_requests).some(({ status }) => status !== "completed");
  if (isOpen) return undefined;
  throw new RemoteError("rejected", `ShipEngine: ${api.reasonIn(answer) ?? "the carrier made no manifest."}`);
}
