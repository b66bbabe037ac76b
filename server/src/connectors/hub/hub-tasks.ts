import { RemoteError } from "../../core/remote-error.ts";
import { Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import type { CallTask, Connector } from "../connector.ts";
import { connectionTest } from "../standard-tasks.ts";
import { PickupSchedule } from "./pickup-schedule.ts";

const schedulePickups: CallTask = {
  name: "pickups.schedule",
  title: "Book the day's pickup",
  description:
    "Books a pickup from the labels that wait at a location, one for each group of parcels that the carrier collects separately. " +
    "Books nothing without labels, on closed days and for a day that has passed. A second execution for the same day books nothing more.",
  mode: "call",
  input: PickupSchedule,
  output: Type.Object({}, { description: "The pickup day, its pickups, and why there are none" }),
  requiredScope: "pickups:write",
  idempotent: true,
  timeoutMs: 5 * 60_000,
  async run({ hub: verbs, input }) {
    if (!verbs) throw new RemoteError("not_available", "This task runs only as an execution.");
    // The engine has checked the input against the schema.
    return await verbs.schedulePickups(input as PickupSchedule);
  },
};

/** Gives tasks of the hub itself to schedules, which run tasks of bridges. */
export const hub: Connector = {
  name: "hub",
  title: "This hub",
  description:
    "Tasks of the hub itself, for schedules: booking pickups from labels. Needs no address and no credentials.",
  settings: Strict({}),
  credentials: Strict({}),
  tasks: () => [connectionTest(() => Promise.resolve({})), schedulePickups],
  concurrency: 4,
  // Carriers have their own rule for the preview.
  isOffline: true,
};
