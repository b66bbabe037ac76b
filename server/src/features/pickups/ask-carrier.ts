import type { PickupConfirmation, PickupState } from "../../carriers/carrier.ts";
import type { Said } from "../../carriers/said.ts";
import { hear } from "../../carriers/said.ts";
import type { Ctx } from "../../context.ts";
import type { OpenCarrier } from "../carrier-accounts/open-carrier.ts";
import type { Pickup } from "./pickup.ts";
import { effectKeyOf } from "./pickup.ts";
import { toOffsetText } from "./pickup-window.ts";

export function askToSchedule(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  pickup: Pickup,
): Promise<Said<PickupConfirmation>> {
  const local = (at: string): string => toOffsetText(Temporal.Instant.from(at).toZonedDateTimeISO(pickup.timezone));
  const request = {
    address: pickup.address,
    readyTime: local(pickup.readyAt),
    closeTime: local(pickup.closeAt),
    packageCount: pickup.packageCount,
    ...(pickup.totalWeight === null ? {} : { totalWeight: pickup.totalWeight }),
    ...(pickup.instructions === null ? {} : { instructions: pickup.instructions }),
  };
  return hear(ctx.log, (signal) => carrier.schedulePickup!({ ...call(effectKeyOf(pickup)), signal }, request));
}

export async function askToCancel(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  key: string,
  confirmationNumber: string,
  reason: string | null,
): Promise<Said<void>> {
  // A carrier that cannot be told is told by nobody coming to the door.
  if (!carrier.cancelPickup) return { done: undefined };
  const pickup = { confirmationNumber, ...(reason === null ? {} : { reason }) };
  return await hear(ctx.log, (signal) => carrier.cancelPickup!({ ...call(`${key}:cancel`), signal }, pickup));
}

export async function askWhatBecame(
  ctx: Ctx,
  { carrier, call }: OpenCarrier,
  pickup: Pickup,
): Promise<Said<PickupState | undefined>> {
  const { confirmationNumber, readyAt, closeAt } = pickup;
  if (!carrier.findPickup || confirmationNumber === null) return { done: undefined };
  const known = { confirmationNumber, readyTime: readyAt, closeTime: closeAt };
  return await hear(ctx.log, (signal) => carrier.findPickup!({ ...call(effectKeyOf(pickup)), signal }, known));
}
