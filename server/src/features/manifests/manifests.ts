import type { Address } from "../../core/address.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { Streamed, Unfinished } from "../../route.ts";
import { commitRequest, sendAndAnswer } from "../carrier-accounts/carrier-requests.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import { openCarrier } from "../carrier-accounts/open-carrier.ts";
import type { ChosenLabels, ShipmentLabel } from "../labels/labels.ts";
import { assignLabels, chooseGroup, handoverParcels, listWaitingLabels } from "../labels/labels.ts";
import { getLocation } from "../locations/locations.ts";
import { today } from "../organizations/organizations.ts";
import type { StoredManifest } from "./manifest.ts";
import { newManifest, presentManifest } from "./manifest.ts";
import { creation, record } from "./manifest-requests.ts";
import type { ManifestAnswer, ManifestQuery, ManifestRequest } from "./manifests.schemas.ts";
import * as store from "./manifests.store.ts";

export { manifestWork } from "./manifest-requests.ts";
export { deleteOldManifestFilesAcrossOrgs } from "./manifests.store.ts";

type Answer = ManifestAnswer | Unfinished<ManifestAnswer>;

export async function getManifest(ctx: Ctx, id: string): Promise<ManifestAnswer> {
  return presentManifest(ctx, orNotFound("manifest", await store.findManifest(ctx.db, ctx.orgId, id)));
}

export async function listManifests(ctx: Ctx, query: ManifestQuery): Promise<Page<ManifestAnswer>> {
  return mapPage(await store.listManifests(ctx.db, ctx.orgId, query), (manifest) => presentManifest(ctx, manifest));
}

/**
 * The request is committed with its labels before the carrier is called, so that a crash neither loses nor duplicates it.
 * `onRequest` runs in that transaction.
 */
export async function createManifest(
  ctx: Ctx,
  request: ManifestRequest,
  onRequest?: (tx: Tx) => Promise<void>,
): Promise<Answer> {
  const open = await openCarrier(ctx, request.carrierAccountId);
  const { account, carrier } = open;
  if (!account.isActive) throw new HubError("carrier_account_inactive", `${account.name} is not active.`);
  if (!carrier.createManifest) throw new HubError("invalid_state", `${carrier.title} does not support manifests.`);
  const from = await findSender(ctx, request);
  const shipDate = request.shipDate ?? (await today(ctx));
  const { labels, group } = await chooseLabels(ctx, request, open, from, shipDate);
  const manifest = newManifest(ctx, {
    carrierAccountId: account.id,
    carrier: account.carrier,
    locationId: request.locationId?.toLowerCase() ?? null,
    from,
    shipDate,
    handoverGroup: group,
    labelCount: labels.length,
    packageCount: handoverParcels(labels).length,
  });
  const present = (one: StoredManifest): Answer => {
    const answer = presentManifest(ctx, one);
    return one.status === "requested" ? new Unfinished(answer) : answer;
  };
  const write = async (tx: Tx): Promise<StoredManifest> => {
    await store.insertManifests(tx, ctx.orgId, [manifest]);
    await assignLabels(tx, ctx, labels, { manifestId: manifest.id });
    record(tx, ctx, manifest, "requested");
    await onRequest?.(tx);
    return manifest;
  };
  const sent = await commitRequest(ctx, write, present);
  return await sendAndAnswer(ctx, creation, sent, open, (settled, response) => {
    if (!("rejected" in response) || settled.status !== "failed") return present(settled);
    const { code, message } = response.rejected;
    const rest = "The labels are free for another manifest.";
    return new HubError("carrier_failed", `${message} ${rest}`, {
      extra: { manifestId: settled.id, carrierCode: code },
    });
  });
}

/** Another request for the labels of a failed one, and those that were bought since. */
export async function createManifestAgain(ctx: Ctx, id: string, onRequest: (tx: Tx) => Promise<void>): Promise<Answer> {
  const failed = orNotFound("manifest", await store.findManifest(ctx.db, ctx.orgId, id));
  const { status, carrierAccountId, locationId, from, shipDate, handoverGroup } = failed;
  if (status !== "failed") throw new HubError("invalid_state", `The manifest is ${status}.`);
  if (carrierAccountId === null) throw new HubError("invalid_state", "The carrier account was deleted.");
  const request: ManifestRequest = {
    carrierAccountId,
    from,
    shipDate,
    ...(locationId !== null && { locationId }),
    ...(handoverGroup !== "" && { group: handoverGroup }),
  };
  return await createManifest(ctx, request, onRequest);
}

async function findSender(ctx: Ctx, { from, locationId }: ManifestRequest): Promise<Address> {
  const location = locationId === undefined ? undefined : await getLocation(ctx, locationId);
  const address = from ?? location?.address;
  if (address) return address;
  throw badField("/locationId", "required", "`locationId` or `from` is required.");
}

async function chooseLabels(
  ctx: Ctx,
  { labelIds, group }: ManifestRequest,
  { account, carrier }: OpenCarrier,
  from: Address,
  shipDate: string,
): Promise<ChosenLabels> {
  const query = { carrierAccountId: account.id, from, firstDay: shipDate, lastDay: shipDate };
  const waiting = (await listWaitingLabels(ctx.db, ctx, query)).filter(({ manifestId }) => manifestId === null);
  const wanted = labelIds === undefined ? waiting : pickLabels(waiting, labelIds, shipDate);
  const chosen = chooseGroup(carrier, wanted, group, "/shipDate");
  if ("error" in chosen) throw validationFailed([chosen.error]);
  return chosen;
}

function pickLabels(waiting: ShipmentLabel[], labelIds: string[], shipDate: string): ShipmentLabel[] {
  const byId = new Map(waiting.map((label) => [label.id, label]));
  const errors = labelIds.flatMap((id, index) => {
    if (byId.has(id.toLowerCase())) return [];
    const message =
      `This is not a purchased label of this account and address with the ship date ${shipDate} that is waiting and on no ` +
      "manifest yet.";
    return [{ pointer: `/labelIds/${index}`, code: "label_not_waiting", message }];
  });
  if (errors.length > 0) throw validationFailed(errors);
  return labelIds.map((id) => byId.get(id.toLowerCase())!);
}

const endings = {
  "text/plain": "txt",
  "application/pdf": "pdf",
  "image/png": "png",
  "image/gif": "gif",
  "application/zpl": "zpl",
} as const;

/** The document of the carrier. Some list the recipients, so it requires pii:read. */
export async function readManifestContent(ctx: Ctx, id: string): Promise<Streamed> {
  const manifest = orNotFound("manifest", await store.findManifest(ctx.db, ctx.orgId, id));
  if (!maySeePersonalData(ctx)) {
    const granted = [...ctx.principal.scopes];
    const message = "Manifests may list the recipients and require the scope pii:read.";
    throw new HubError("insufficient_scope", message, { extra: { required: ["pii:read"], granted } });
  }
  const { status, contentType, number } = manifest;
  if (status !== "created") throw new HubError("invalid_state", `The manifest is ${status}.`);
  const content = contentType === null ? undefined : await store.readContent(ctx.db, ctx.orgId, id);
  if (contentType === null || content === undefined) {
    const none = "The carrier did not send a file for this manifest. Download it from the carrier.";
    const gone = "The file was removed at the end of its retention period.";
    throw new HubError("invalid_state", contentType === null ? none : gone);
  }
  const name = `manifest-${(number ?? id).replaceAll(/[^\w-]/g, "_")}.${endings[contentType]}`;
  return new Streamed(contentType, name, once(content));
}

async function* once(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}
