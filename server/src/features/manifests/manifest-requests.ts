import type { Manifest } from "../../carriers/seam/carrier.ts";
import { labelTypes } from "../../carriers/seam/labels.ts";
import { addressKeyOf } from "../../core/address-key.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { Happening } from "../../events/event-catalogue.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { CarrierOrFailure, CarrierRequest } from "../carrier-accounts/carrier-requests.ts";
import {
  carrierWork,
  isCarrierData,
  isStorableLine,
  nowOf,
  sendAndSettle,
} from "../carrier-accounts/carrier-requests.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import { handoverParcels, listLabelsOfHandover, releaseLabels } from "../labels/labels.ts";
import type { StoredManifest } from "./manifest.ts";
import { touched } from "./manifest.ts";
import * as store from "./manifests.store.ts";

const maxContentBytes = 5 * 1024 * 1024;

async function lock(tx: Tx, ctx: Ctx, id: string): Promise<StoredManifest> {
  return orNotFound("manifest", await store.lockManifest(tx, ctx.orgId, id));
}

async function save(tx: Tx, ctx: Ctx, manifest: StoredManifest, what: Happening<"manifest">): Promise<StoredManifest> {
  await store.updateManifest(tx, ctx.orgId, manifest);
  record(tx, ctx, manifest, what);
  return manifest;
}

export function record(tx: Tx, ctx: Ctx, manifest: StoredManifest, what: Happening<"manifest">): void {
  const { status, carrier, number, shipDate, labelCount, packageCount, version } = manifest;
  const data = { status, carrier, number, shipDate, labelCount, packageCount, version };
  recordEvent(tx, ctx, { type: `manifest.${what}`, objectId: manifest.id, data });
}

/** A later manifest of the same account, place and day resolves the exception of an earlier one. */
function exceptionKeyOf({ carrierAccountId, from, shipDate, handoverGroup }: StoredManifest): string {
  return exceptionKeys.manifest([carrierAccountId ?? "", addressKeyOf(from), shipDate, handoverGroup].join(":"));
}

/** Carriers list a label on one manifest only, so that a repeat cannot list it twice. */
export const creation: CarrierRequest<StoredManifest, Manifest> = {
  operation: "createManifest",
  effects: store.manifestEffects,
  effectKey: ({ id }) => `manifest:${id}`,
  lock,
  async send(ctx, carrier, call, { id, from, shipDate }) {
    // Every attempt sends the labels of the request: carriers find an earlier attempt by them.
    const parcels = handoverParcels(await listLabelsOfHandover(ctx.db, ctx, { manifestId: id }));
    const manifest = await carrier.createManifest!(call, { from, shipDate, parcels });
    if (isUsable(manifest)) return manifest;
    ctx.log.error({ manifestId: id }, "a carrier created a manifest with an invalid response");
    const message =
      "The carrier may have created the manifest, but its response is invalid. Contact the carrier about it.";
    throw new RemoteError("unexpected_response", message);
  },
  isPending: ({ status }) => status === "requested",
  async done(tx, ctx, current, { number, file, carrierData = null }) {
    const isKept = file !== null && file.content.length > 0 && file.content.length <= maxContentBytes;
    const created: StoredManifest = {
      ...current,
      status: "created",
      number,
      carrierData,
      contentType: isKept ? file.contentType : null,
      contentBytes: isKept ? file.content.length : null,
      attempts: 0,
    };
    const saved = await save(tx, ctx, touched(created, nowOf(ctx)), "created");
    if (isKept) await store.keepContent(tx, ctx.orgId, current.id, file.content);
    await resolveExceptions(tx, ctx, [exceptionKeyOf(current)]);
    return saved;
  },
  async rejected(tx, ctx, current, failure) {
    const failed: StoredManifest = { ...current, status: "failed", failure, attempts: 0 };
    const saved = await save(tx, ctx, touched(failed, nowOf(ctx)), "failed");
    await releaseLabels(tx, ctx, { manifestId: current.id });
    const { id, carrier, shipDate } = current;
    const isUnknown = failure.code === "outcome_unknown";
    const outcome = isUnknown ? "did not confirm" : "rejected";
    await openExceptions(tx, ctx, [
      {
        key: exceptionKeyOf(current),
        kind: "manifest",
        code: failure.code,
        message: `${carrier} ${outcome} the manifest of ${shipDate}.`,
        reason: failure.message,
        subject: { type: "manifest", id, name: shipDate },
      },
    ]);
    return saved;
  },
  noResponse: (tx, ctx, current, { retryAfterMs }) =>
    save(tx, ctx, touched(current, nowOf(ctx), retryAfterMs), "response_missing"),
};

/** Carriers' responses are untrusted input. */
function isUsable({ number, file, carrierData }: Manifest): boolean {
  return (
    (number === null || isStorableLine(number)) &&
    (file === null || labelTypes.includes(file.contentType)) &&
    isCarrierData(carrierData)
  );
}

/** Retries a request without a response, and asks for manifests that a carrier makes in the background. */
async function resend(ctx: Ctx, manifest: StoredManifest, opened: CarrierOrFailure, stopping?: AbortSignal) {
  await sendAndSettle(ctx, creation, manifest, opened, stopping);
}

export const manifestWork = carrierWork(
  "manifests",
  60_000,
  { leases: store.manifestLeases, fromRow: store.toManifest },
  resend,
);
