import type { PickupSchedule } from "../../connectors/hub/pickup-schedule.ts";
import { HubError } from "../../core/errors.ts";
import { deterministicId } from "../../core/ids.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Ctx } from "../../context.ts";
import { bookPlanned } from "./book-planned.ts";
import type { Pickup } from "./pickup.ts";
import { waitingGroups } from "./pickup-load.ts";
import { closedBecause } from "./pickup-slots.ts";
import type { PickupRequest } from "./pickups.schemas.ts";
import * as store from "./pickups.store.ts";
import { findPlace, planPickup } from "./plan-pickup.ts";

type Booked = {
  pickupId: string;
  group: string | null;
  outcome: "booked" | "already_booked" | "failed";
  status: string;
};

/** `skipped`: why there is no pickup on this day. */
export type ScheduledPickups = {
  date: string;
  pickups: Booked[];
  skipped: { code: string; message: string } | null;
};

/**
 * Books the pickups of a standing arrangement for one day. `dueAt`: when the schedule was due, so that a run that is caught up later
 * does not book for another day. Repeating it books nothing more.
 */
export async function bookScheduledPickups(ctx: Ctx, input: PickupSchedule, dueAt: Date): Promise<ScheduledPickups> {
  try {
    return await bookDay(ctx, input, dueAt);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const details = (error.details.errors ?? []).map(({ message }) => message);
    throw new RemoteError(error.code, details.length > 0 ? details.join(" ") : error.message);
  }
}

async function bookDay(ctx: Ctx, input: PickupSchedule, dueAt: Date): Promise<ScheduledPickups> {
  const { carrierAccountId, locationId, day = "same_day", closedDays = [], earlierShipDays = 3 } = input;
  const { open, rules, address, timezone, now } = await findPlace(ctx, { carrierAccountId, locationId });
  const runDay = Temporal.Instant.fromEpochMilliseconds(dueAt.getTime()).toZonedDateTimeISO(timezone).toPlainDate();
  const date = runDay.add({ days: day === "next_day" ? 1 : 0 });
  const skip = (code: string, message: string): ScheduledPickups => ({
    date: date.toString(),
    pickups: [],
    skipped: { code, message },
  });
  const today = now.toZonedDateTimeISO(timezone).toPlainDate();
  if (Temporal.PlainDate.compare(date, today) < 0) return skip("day_passed", `${date.toString()} has passed.`);
  if (closedDays.includes(date.toString())) return skip("closed", `${date.toString()} is a closed day.`);
  const closed = closedBecause(date, rules);
  if (closed) return skip("no_service", `The carrier does not come on ${date.toString()}.`);
  const groups = await waitingGroups(ctx, { earlierShipDays }, { open, address, day: date });
  if (groups.length === 0) return skip("no_labels", "No labels are waiting.");
  const pickups: Booked[] = [];
  for (const group of groups) {
    const request: PickupRequest = {
      carrierAccountId,
      locationId,
      pickupDate: date.toString(),
      fromLabels: true,
      earlierShipDays,
      ...(group !== "" && { group }),
      ...(input.readyTime !== undefined && { readyTime: input.readyTime }),
      ...(input.closeTime !== undefined && { closeTime: input.closeTime }),
      ...(input.instructions !== undefined && { instructions: input.instructions }),
    };
    pickups.push(await bookGroup(ctx, request, group));
  }
  return { date: date.toString(), pickups, skipped: null };
}

async function bookGroup(ctx: Ctx, request: PickupRequest, group: string): Promise<Booked> {
  const about = { group: group === "" ? null : group };
  const { id, earlier } = await nextId(ctx, request, group);
  if (earlier) return { ...about, pickupId: earlier.id, outcome: "already_booked", status: earlier.status };
  const planned = await planPickup(ctx, request);
  if (planned.existingId !== undefined) {
    return { ...about, pickupId: planned.existingId, outcome: "already_booked", status: "scheduled" };
  }
  try {
    const { status } = await bookPlanned(ctx, planned, id);
    return { ...about, pickupId: id, outcome: "booked", status };
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const found = await store.findPickup(ctx.db, ctx.orgId, id);
    // Not booked at all, for example because of a rule: the execution fails and opens an exception.
    if (!found) throw error;
    // Another execution has booked it meanwhile, or the carrier rejected it, which has opened an exception of the pickup.
    const outcome = found.status === "failed" ? "failed" : "already_booked";
    return { ...about, pickupId: id, outcome, status: found.status };
  }
}

/** A day on which carriers reject more requests than this has no driver. */
const maxRejections = 20;

/**
 * The ID of the pickup follows from place, day and group, so that two executions cannot book two drivers. Only after a rejection
 * there is another one: a pickup that a user cancelled is not booked again.
 */
async function nextId(ctx: Ctx, request: PickupRequest, group: string): Promise<{ id: string; earlier?: Pickup }> {
  const { carrierAccountId, locationId, pickupDate } = request;
  const key = [ctx.orgId, carrierAccountId.toLowerCase(), locationId!.toLowerCase(), pickupDate, group].join(" ");
  for (let number = 1; ; number++) {
    const id = deterministicId(`scheduled pickup ${key} ${number}`);
    const earlier = await store.findPickup(ctx.db, ctx.orgId, id);
    if (!earlier) return { id };
    const isRejected = earlier.status === "failed" && earlier.failure?.code !== "outcome_unknown";
    if (!isRejected || number >= maxRejections) return { id, earlier };
  }
}
