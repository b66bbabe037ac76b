import type { Static } from "typebox";
import { OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const timePattern = "^([01]\\d|2[0-3]):[0-5]\\d$";

/** The input of `pickups.schedule`: a standing arrangement with a carrier. */
export const PickupSchedule = Strict(
  {
    carrierAccountId: Type.String({
      format: "uuid",
      title: "Carrier account",
      description: "ID of the carrier account",
    }),
    locationId: Type.String({
      format: "uuid",
      title: "Location",
      description: "ID of the location where the driver comes",
    }),
    readyTime: Type.Optional(
      Type.String({
        pattern: timePattern,
        title: "Ready time",
        description: "Local time at the location. May be left out for carriers that come at a time of their own",
      }),
    ),
    closeTime: Type.Optional(Type.String({ pattern: timePattern, title: "Close time", description: "Local time" })),
    day: Type.Optional(
      OneOf(["same_day", "next_day"], {
        title: "Pickup day",
        description:
          "The day on which the schedule runs (default), or the day after it, for carriers without same-day pickups",
      }),
    ),
    closedDays: Type.Optional(
      Type.Array(Type.String({ format: "date" }), {
        title: "Closed days",
        maxItems: 366,
        description: "No pickups on these days, besides the carrier's own days without service",
      }),
    ),
    earlierShipDays: Type.Optional(
      Type.Integer({
        title: "Earlier ship days",
        minimum: 0,
        maximum: 14,
        description:
          "Also collect labels with a ship date up to this many days earlier. Default 3, which covers a weekend",
      }),
    ),
    instructions: Type.Optional(Type.String({ title: "Instructions", maxLength: 500, description: "For the driver" })),
  },
  {
    examples: [
      {
        carrierAccountId: "01900000-0000-7000-8000-000000000001",
        locationId: "01900000-0000-7000-8000-000000000002",
        readyTime: "16:00",
        closeTime: "18:00",
        closedDays: ["2026-12-24"],
      },
    ],
  },
);
export type PickupSchedule = Static<typeof PickupSchedule>;
