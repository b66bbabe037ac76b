import type { Pickup } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { clockOf, formatDay, cityOfZone } from "../../ui/calendar.ts";
import { Empty } from "../../ui/card.tsx";
import { errorAt, isAllOnFields } from "../../ui/field-errors.ts";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextArea, TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import type { Booking } from "./booking-draft.ts";
import { useBooking } from "./booking-draft.ts";
import { pickupCan } from "./pickups.can.ts";
import { text, windowText } from "./pickups.text.ts";
import { SlotPick } from "./slot.pick.tsx";

const units = ["lb", "kg", "oz", "g"].map((unit) => ({ value: unit, label: unit }));
/** Fields that show the errors of the check. */
const shownAt = [
  "/pickupDate",
  "/readyTime",
  "/closeTime",
  "/packageCount",
  "/totalWeight",
  "/locationId",
  "/pickupAddress",
  "/timezone",
  "/carrierAccountId",
];

type Props = {
  date?: string | undefined;
  locationId?: string | undefined;
  /** The pickup to reschedule; its carrier and location are fixed. */
  moving?: Pickup;
  onDone(pickup: Pickup): void;
};

/** Location and day, checked while typing, with the next available window as a suggestion. */
export function PickupBookingForm(props: Props) {
  const { moving } = props;
  const me = useMe();
  const booking = useBooking(props);
  const { draft, accounts, locations, check, days, save, wrong, set } = booking;
  if (accounts.data?.length === 0)
    return <SetUp text={text.noAccount} href={paths.carriers()} label="Add a carrier account" />;
  if (locations.data?.length === 0 && !moving)
    return <SetUp text={text.noPlace} href={paths.locations()} label="Add a location" />;
  const failed = [save.error, check.error, days.error].find((error) => error && !isAllOnFields(error, shownAt));
  const reason = pickupCan.book(me) ?? whyNotYet(booking);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) save.mutate(draft);
      }}
    >
      {!moving && <WhereFields booking={booking} />}
      <WindowFields booking={booking} />
      <div className="grid grid-cols-3 gap-3">
        <TextField
          type="number"
          min={1}
          max={9999}
          label="Packages"
          value={draft.packages}
          error={wrong.get("/packageCount")}
          onChange={(packages) => set({ packages })}
        />
        <TextField
          type="number"
          min={0}
          step="any"
          label="Weight (optional)"
          value={draft.weight}
          error={errorAt(wrong, "/totalWeight")}
          onChange={(weight) => set({ weight })}
        />
        <Select label="Unit" value={draft.unit} options={units} onChange={(unit) => set({ unit })} />
      </div>
      <TextArea
        label="Instructions for the driver (optional)"
        rows={2}
        maxLength={500}
        value={draft.instructions}
        onChange={(instructions) => set({ instructions })}
      />
      {booking.checked?.warnings.map(({ code, message }) => (
        <p key={code} className="text-sm text-warn">
          {message}
        </p>
      ))}
      {failed && <ProblemBox error={failed} />}
      <div className="flex justify-end gap-2">
        <Button kind="primary" type="submit" isBusy={save.isPending} disabledReason={reason}>
          {moving
            ? "Reschedule pickup"
            : draft.packages
              ? `Book for ${plural(Number(draft.packages), "package")}`
              : "Book pickup"}
        </Button>
      </div>
    </form>
  );
}

function whyNotYet({ draft, isChecked, checked }: Booking): string | undefined {
  if (!draft.date) return "Choose a day first.";
  if (!draft.packages) return "Enter the number of packages.";
  if (!isChecked) return "The carrier is checking the pickup.";
  return checked?.ok ? undefined : "The carrier does not accept this pickup. See the messages above.";
}

function WhereFields({ booking: { draft, set, locations, accounts, wrong } }: { booking: Booking }) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Select
        label="Location"
        error={locationError(wrong)}
        value={draft.locationId}
        options={(locations.data ?? []).map(({ id, name, city }) => ({
          value: id,
          label: name,
          ...(city ? { note: city } : {}),
        }))}
        onChange={(locationId) => set({ locationId })}
      />
      <Select
        label="Carrier account"
        error={wrong.get("/carrierAccountId")}
        value={draft.accountId}
        options={(accounts.data ?? []).map(({ id, name, carrier }) => ({ value: id, label: name, note: carrier }))}
        onChange={(accountId) => set({ accountId })}
      />
    </div>
  );
}

function WindowFields({ booking: { draft, set, days, check, checked, wrong } }: { booking: Booking }) {
  const next = draft.date ? (checked && !checked.ok ? checked.nextAvailable : null) : days.data?.nextAvailable;
  const zone = check.data?.timezone ?? days.data?.timezone;
  const take = (slot: { pickupDate: string; readyTime: string; closeTime: string }): void =>
    set({ date: slot.pickupDate, ready: clockOf(slot.readyTime), close: clockOf(slot.closeTime) });
  return (
    <>
      {next && (
        <Button className="self-start" onClick={() => take(next)}>
          <Icon name="calendar" /> Next available {formatDay(next.pickupDate)}, {windowText(next)}
        </Button>
      )}
      {!next && checked?.ok && (
        <p className="flex min-h-7 items-center gap-1.5 text-ok" role="status">
          <Icon name="check" />
          <span>
            The carrier accepts this pickup. Cancel until <Time at={checked.cancelBy} />.
          </span>
        </p>
      )}
      {days.data && <SlotPick days={days.data.data} chosen={draft.date} onPick={take} />}
      <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-2">
        <div className="max-sm:col-span-2">
          <TextField
            type="date"
            label="Day"
            value={draft.date}
            error={wrong.get("/pickupDate")}
            onChange={(date) => set({ date })}
          />
        </div>
        <TextField
          type="time"
          label="Ready from"
          value={draft.ready}
          error={wrong.get("/readyTime")}
          onChange={(ready) => set({ ready })}
        />
        <TextField
          type="time"
          label="Closes at"
          value={draft.close}
          error={wrong.get("/closeTime")}
          onChange={(close) => set({ close })}
        />
      </div>
      {zone && <p className="-mt-1.5 text-sm text-faint">In {cityOfZone(zone)} time.</p>}
    </>
  );
}

/** Names the invalid part of the address, since the address is not shown here. */
function locationError(wrong: ReadonlyMap<string, string>): string | undefined {
  const found = [...wrong].find(([pointer]) => /^\/(locationId|pickupAddress|timezone)/.test(pointer));
  if (!found) return undefined;
  const part = found[0].split("/")[2];
  return part ? `Its ${part === "address1" ? "street" : part}: ${found[1]}` : found[1];
}

function SetUp({ text: why, href, label }: { text: string; href: string; label: string }) {
  return (
    <Empty text={why}>
      <Link href={href} className={buttonClass("primary")}>
        {label}
      </Link>
    </Empty>
  );
}
