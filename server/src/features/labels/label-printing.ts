import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { ShipmentLabel } from "./label.ts";
import { countPrint } from "./label-printing.store.ts";
import * as store from "./labels.store.ts";
import { record } from "./save-label.ts";

/** A label file shows the recipient and cannot be masked. */
export function requirePersonalData(ctx: Ctx): void {
  if (maySeePersonalData(ctx)) return;
  const granted = [...ctx.principal.scopes];
  const message = "Label files show the recipient and require the scope pii:read.";
  throw new HubError("insufficient_scope", message, { extra: { required: ["pii:read"], granted } });
}

/** A label that is voided, or will be, must not go on a parcel. */
export function mayBePrinted({ status, voidRequestedAt }: Pick<ShipmentLabel, "status" | "voidRequestedAt">): boolean {
  return status === "purchased" && voidRequestedAt === null;
}

/** Counts one print of each label. A label that was voided since it was read makes the whole document outdated. */
export async function markPrinted(tx: Tx, ctx: Ctx, ids: string[]): Promise<void> {
  const labels = await store.lockLabels(tx, ctx.orgId, ids);
  if (labels.length < ids.length || !labels.every(mayBePrinted))
    throw new HubError("conflict", "A label was voided while the document was made. Send the request again.");
  await countPrint(tx, ctx.orgId, ids, ctx.clock.now());
  const printed = labels.map((label) => ({ ...label, version: label.version + 1 }));
  record(tx, ctx, printed, "printed");
}
