import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { Address } from "../../core/address.ts";
import {
  Count,
  DateTime,
  Id,
  linePattern,
  NameList,
  Nullable,
  OneOf,
  pageQuery,
  Strict,
  Version,
} from "../../core/schema.ts";
import { Weight } from "../../core/weight.ts";
import { pickupStatuses } from "./pickups.states.ts";

const Moment = (description: string) => Type.String({ minLength: 5, maxLength: 40, description });
const timeNote =
  "A date-time; without an offset in local time at the pickup address, with one converted to it. " +
  "A time such as 09:30 is enough";

const fields = {
  pickupDate: Moment("The day at the pickup address: 2026-03-05, or a date-time. A midnight stands for its day"),
  pickupAddress: Type.Optional({ ...Address, description: "Default: the address of the location" }),
  locationId: Type.Optional(Id),
  readyTime: Type.Optional(Moment(timeNote)),
  closeTime: Type.Optional(Moment(timeNote)),
  packageCount: Type.Integer({ minimum: 1, maximum: 9999, description: "Required unless `fromLabels` is set" }),
  totalWeight: Type.Optional(Weight),
  timezone: Type.Optional(
    Type.String({ maxLength: 64, description: "IANA name; default: the zone of the pickup address" }),
  ),
  instructions: Type.Optional(Type.String({ maxLength: 500, description: "For the driver" })),
  allowDuplicate: Type.Optional(
    Type.Boolean({ description: "Allow a second pickup by this carrier at this address on the same day" }),
  ),
};

const example = {
  carrierAccountId: "01900000-0000-7000-8000-000000000001",
  pickupDate: "2026-03-05T00:00:00Z",
  pickupAddress: {
    company: "Byron Mugs",
    address1: "1 Port Street",
    city: "Newark",
    provinceCode: "NJ",
    zip: "07114",
    countryCode: "US",
    phone: "+1 973 555 0100",
  },
  readyTime: "2026-03-05T13:00:00-05:00",
  closeTime: "2026-03-05T17:00:00-05:00",
  packageCount: 12,
  totalWeight: { value: 80, unit: "lb" },
};

/** Ship dates before the pickup day whose labels are collected as well. */
const EarlierShipDays = Type.Integer({
  minimum: 0,
  maximum: 14,
  description:
    "Also collect labels whose ship date is up to this many days before the pickup day and whose parcels the carrier does not have, " +
    "such as those of a weekend. Default 0",
});

export const PickupRequest = Strict(
  {
    carrierAccountId: Id,
    ...fields,
    packageCount: Type.Optional(fields.packageCount),
    fromLabels: Type.Optional(
      Type.Boolean({
        description:
          "Instead of `packageCount` and `totalWeight`: collect the purchased labels of this account whose sender address is the " +
          "pickup address and whose ship date is the pickup day. Labels that another pickup collects, that are being voided, or whose " +
          "parcels the carrier already has are left out. Some carriers book pickups for labels only",
      }),
    ),
    group: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "With `fromLabels`, where a carrier collects some parcels separately: `Express` or `Ground` of FedEx, or the carrier of labels " +
          "from EasyPost, ShipEngine and karrio. Each group needs its own pickup; an error lists the groups",
      }),
    ),
    earlierShipDays: Type.Optional(EarlierShipDays),
  },
  { examples: [example] },
);
export type PickupRequest = Static<typeof PickupRequest>;

export const PickupPatch = Strict(
  {
    pickupDate: Type.Optional(fields.pickupDate),
    pickupAddress: Type.Optional(Address),
    readyTime: fields.readyTime,
    closeTime: fields.closeTime,
    packageCount: Type.Optional(fields.packageCount),
    totalWeight: Type.Optional(Nullable(Weight)),
    timezone: fields.timezone,
    instructions: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
    allowDuplicate: fields.allowDuplicate,
    confirmationNumber: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        pattern: linePattern,
        description: "Cannot be combined with other fields: the number of a pickup arranged by phone",
      }),
    ),
  },
  { examples: [{ pickupDate: "2026-03-06", readyTime: "10:00", closeTime: "16:00" }] },
);
export type PickupPatch = Static<typeof PickupPatch>;

const Text = Type.String();
const MaybeTime = Nullable(DateTime);
const Problem = Type.Object({ code: Text, message: Text });

const Slot = Type.Object({
  pickupDate: Type.String({ format: "date" }),
  readyTime: DateTime,
  closeTime: DateTime,
  timezone: Text,
});
export type Slot = Static<typeof Slot>;

export const Pickup = Type.Object({
  id: Id,
  status: OneOf(pickupStatuses),
  carrierAccountId: Nullable(Id),
  carrier: Text,
  locationId: Nullable(Id),
  confirmationNumber: Nullable(Text),
  isCarrierConfirmed: Type.Boolean({
    description:
      "False while the carrier has not responded, and for carriers the hub does not contact: call the carrier and enter its " +
      "confirmation number. Without one the pickup ends as `missed`",
  }),
  pickupDate: Type.String({ format: "date-time", description: "Midnight of the day, with the offset of the address" }),
  readyTime: Type.String({ format: "date-time", description: "With the offset of the address" }),
  closeTime: Type.String({ format: "date-time", description: "With the offset of the address" }),
  timezone: Text,
  window: Type.Object(
    { date: Type.String({ format: "date" }), start: DateTime, end: DateTime },
    { description: "The day at the address, and the window in UTC" },
  ),
  pickupAddress: Address,
  packageCount: Count,
  totalWeight: Nullable(Weight),
  labelCount: {
    ...Count,
    description:
      "Labels that the pickup was booked for; 0: booked by count. `GET /shipments/labels?pickupId=` lists them until the pickup is " +
      "cancelled, rejected or missed",
  },
  group: Nullable({ ...Text, description: "Which parcels are collected, where a carrier collects some separately" }),
  instructions: Nullable(Text),
  cancelBy: DateTime,
  isCancellable: Type.Boolean(),
  fee: Nullable(Type.Object({ amount: Type.Number(), currency: Text })),
  messages: Type.Array(Text),
  failure: Nullable(Problem),
  isCompletionAssumed: Type.Boolean({
    description: "Completion was not reported, and the carrier does not report outcomes",
  }),
  hasPendingChange: Type.Boolean({ description: "A reschedule or cancellation is pending at the carrier" }),
  cancelReason: Nullable(Text),
  cancelledAt: MaybeTime,
  history: Type.Array(Type.Object({ at: DateTime, status: OneOf(pickupStatuses), note: Nullable(Text) }), {
    description: "Status changes, oldest first",
  }),
  createdAt: DateTime,
  updatedAt: DateTime,
  version: Version,
});
export type PickupAnswer = Static<typeof Pickup>;

export const CheckAnswer = Type.Object({
  ok: Type.Boolean(),
  timezone: Text,
  errors: Type.Array(Type.Object({ pointer: Text, code: Text, message: Text, suggestion: Type.Optional(Text) }), {
    description: "The errors POST /pickups would return",
  }),
  warnings: Type.Array(Problem),
  existingId: Nullable(Id),
  nextAvailable: Nullable(Slot),
  cancelBy: MaybeTime,
  labels: Nullable(
    Type.Object(
      {
        labelIds: Type.Array(Id),
        packageCount: Count,
        totalWeight: Nullable(Weight),
        services: Type.Array(Type.Object({ service: Text, packageCount: Count })),
        group: Nullable(Text),
      },
      { description: "With `fromLabels`: what the driver would collect" },
    ),
  ),
});
export type CheckAnswer = Static<typeof CheckAnswer>;

const DateOnly = (description: string) => Type.Optional(Type.String({ format: "date", description }));

const MovedPickup = Type.Optional({
  ...Id,
  description: "A pickup to be rescheduled: it does not count as a duplicate",
});

export const CheckQuery = Strict({ excludePickupId: MovedPickup });

const TimeOfDay = (description: string) =>
  Type.Optional(Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", description }));

export const SlotQuery = Strict({
  carrierAccountId: Id,
  locationId: Id,
  from: DateOnly("Default: today at the location"),
  days: Type.Integer({ minimum: 1, maximum: 31, default: 14, description: "Number of days" }),
  readyTime: TimeOfDay("Preferred window, in local time. Default: the carrier's earliest ready time"),
  closeTime: TimeOfDay("Default: the carrier's latest close time"),
  excludePickupId: MovedPickup,
});
export type SlotQuery = Static<typeof SlotQuery>;

export const SlotsAnswer = Type.Object({
  timezone: Text,
  data: Type.Array(
    Type.Object({
      date: Type.String({ format: "date" }),
      window: Type.Unsafe<Slot | null>({
        ...Nullable(Slot),
        description: "The available window nearest to the preferred one; null: none, see `reason`",
      }),
      reason: Nullable(Problem),
      existingId: Nullable(Id),
    }),
    { description: "One entry per day" },
  ),
  nextAvailable: Type.Unsafe<Slot | null>({ ...Nullable(Slot), description: "The first of these windows" }),
});
export type SlotsAnswer = Static<typeof SlotsAnswer>;

export const PickupQuery = pageQuery({
  status: Type.Optional(NameList(pickupStatuses)),
  carrierAccountId: Type.Optional(Id),
  from: DateOnly("On this day or later"),
  to: DateOnly("On this day or earlier"),
});
export type PickupQuery = Static<typeof PickupQuery>;

export const CancelQuery = Strict({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });
