import type { CarrierData } from "../../carriers/seam/carrier-data.ts";
import { maskPerson, maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import { backoffUntil } from "../carrier-accounts/carrier-requests.ts";
import type { ManifestAnswer } from "./manifests.schemas.ts";

/** A manifest as stored, without its file. */
export type StoredManifest = Omit<ManifestAnswer, "group"> & {
  handoverGroup: string;
  carrierData: CarrierData | null;
  attempts: number;
  dueAt: string | null;
};

export type NewManifest = Pick<
  StoredManifest,
  "carrierAccountId" | "carrier" | "locationId" | "from" | "shipDate" | "handoverGroup" | "labelCount" | "packageCount"
>;

/** A new request. The caller sends it to the carrier right away. */
export function newManifest(ctx: Pick<Ctx, "newId" | "clock">, about: NewManifest): StoredManifest {
  const now = ctx.clock.now().toISOString();
  return {
    ...about,
    id: ctx.newId(),
    status: "requested",
    number: null,
    contentType: null,
    contentBytes: null,
    carrierData: null,
    failure: null,
    attempts: 1,
    dueAt: backoffUntil(now, 1),
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

/** Only a pending request is due again. */
export function touched(manifest: StoredManifest, at: string, retryAfterMs?: number): StoredManifest {
  const dueAt = manifest.status === "requested" ? backoffUntil(at, manifest.attempts, retryAfterMs) : null;
  return { ...manifest, updatedAt: at, version: manifest.version + 1, dueAt };
}

/** The response schema drops internal fields. */
export function presentManifest(ctx: Pick<Ctx, "principal">, manifest: StoredManifest): ManifestAnswer {
  const { from, handoverGroup } = manifest;
  return {
    ...manifest,
    from: maySeePersonalData(ctx) ? from : maskPerson(from),
    group: handoverGroup === "" ? null : handoverGroup,
  };
}
