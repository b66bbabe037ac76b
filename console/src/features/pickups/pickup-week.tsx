import type { Pickup } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { addDays, formatLongDay, formatWeekday, cityOfZone } from "../../ui/calendar.ts";
import { cx } from "../../ui/class-names.ts";
import { Badge } from "../../ui/badge.tsx";
import { plural, words } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import type { PickupLocation } from "./pickups.queries.ts";
import { pickupTones, placeName, windowText } from "./pickups.text.ts";

type Row = { key: string; name: string; locationId: string | undefined; zone: string | undefined; pickups: Pickup[] };
type Props = {
  monday: string;
  today: string;
  pickups: readonly Pickup[];
  locations: readonly PickupLocation[];
  nameOf(accountId: string | null): string | undefined;
  openId: string | undefined;
};

/** With more locations than this, only those with a pickup are shown. */
const maxEmptyRows = 6;

function rowsOf(pickups: readonly Pickup[], locations: readonly PickupLocation[]): Row[] {
  const known = new Map(locations.map(({ id, name }) => [id, name]));
  const groups = Map.groupBy(pickups, (pickup) =>
    pickup.locationId && known.has(pickup.locationId) ? pickup.locationId : placeName(pickup),
  );
  const rows = [...groups].map(([key, group]): Row => ({
    key,
    name: known.get(key) ?? key,
    locationId: known.has(key) ? key : undefined,
    zone: group[0]?.timezone,
    pickups: group,
  }));
  const others = locations.filter(({ id, isDefault }, at) => !groups.has(id) && (isDefault || at < maxEmptyRows));
  return [
    ...rows,
    ...others.map(({ id, name }) => ({ key: id, name, locationId: id, zone: undefined, pickups: [] })),
  ].toSorted((a, b) => a.name.localeCompare(b.name));
}

/** Pickups of a week by location and day, in the local time of each location. */
export function PickupWeek(props: Props) {
  const { monday, today, pickups, locations } = props;
  const days = Array.from({ length: 7 }, (_, at) => addDays(monday, at));
  const rows = rowsOf(pickups, locations);
  return (
    <>
      <div className="overflow-hidden rounded-lg border border-line bg-panel max-lg:hidden">
        <table className="w-full table-fixed border-collapse" aria-label="Pickups of the week">
          <thead>
            <tr>
              <th scope="col" className="h-8 w-36 border-b border-line px-2.5 text-start font-medium text-faint">
                Location
              </th>
              {days.map((day) => (
                <th
                  key={day}
                  scope="col"
                  aria-label={formatLongDay(day)}
                  className={cx(
                    "h-8 border-s border-b border-line px-2 text-start font-medium",
                    day === today ? "bg-accent-soft text-accent-text" : "text-faint",
                  )}
                >
                  {formatWeekday(day)}
                  {day === today && <span className="font-normal"> today</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th
                  scope="row"
                  className="border-b border-line px-2.5 py-2 text-start align-top font-medium [tr:last-child>&]:border-b-0"
                >
                  {row.name}
                  {row.zone && (
                    <span className="block text-sm font-normal text-faint">{cityOfZone(row.zone)} time</span>
                  )}
                </th>
                {days.map((day) => (
                  <td
                    key={day}
                    className={cx(
                      "h-24 border-s border-b border-line p-1 align-top [tr:last-child>&]:border-b-0",
                      day === today && "bg-accent-soft/40",
                    )}
                  >
                    <Cell {...props} row={row} day={day} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <ol className="flex flex-col gap-3 lg:hidden">
        {days.map((day) => (
          <li key={day}>
            <h2 className={cx("mb-1 font-medium", day === today && "text-accent-text")}>
              {formatLongDay(day)}
              {day === today && ", today"}
            </h2>
            <div className="flex flex-col gap-1">
              {rows.map((row) => {
                const own = row.pickups.filter(({ window }) => window.date === day);
                return own.map((pickup) => <Block key={pickup.id} {...props} pickup={pickup} place={row.name} />);
              })}
              {!pickups.some(({ window }) => window.date === day) && <span className="text-muted">No pickup</span>}
              {day >= today && <Add day={day} label={`Book for ${formatLongDay(day)}`} />}
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function Cell(props: Props & { row: Row; day: string }) {
  const { row, day, today } = props;
  const own = row.pickups.filter(({ window }) => window.date === day);
  return (
    <div className="group flex h-full flex-col gap-1">
      {own.toReversed().map((pickup) => (
        <Block key={pickup.id} {...props} pickup={pickup} />
      ))}
      {day >= today && own.length === 0 && row.locationId && (
        <Add day={day} locationId={row.locationId} label={`Book for ${row.name}, ${formatLongDay(day)}`} />
      )}
    </div>
  );
}

function Add({ day, locationId, label }: { day: string; locationId?: string; label: string }) {
  return (
    <Link
      href={paths.pickups({ week: day, book: day, ...(locationId ? { at: locationId } : {}) })}
      aria-label={label}
      className="grid min-h-8 flex-1 place-items-center rounded-md border border-dashed border-transparent text-faint hover:border-line-strong hover:text-text max-lg:border-line-strong"
    >
      <Icon name="plus" size={12} />
    </Link>
  );
}

function Block({
  pickup,
  place,
  monday,
  nameOf,
  openId,
}: Pick<Props, "monday" | "nameOf" | "openId"> & { pickup: Pickup; place?: string }) {
  const isOver = ["completed", "cancelled"].includes(pickup.status);
  return (
    <Link
      href={paths.pickups({ week: monday, open: pickup.id })}
      aria-current={openId === pickup.id ? "true" : undefined}
      className={cx(
        "flex flex-col items-start gap-0.5 rounded-md border bg-raised px-1.5 py-1 hover:border-line-strong",
        openId === pickup.id ? "border-accent" : "border-line",
      )}
    >
      <span
        className={cx(
          "font-medium tabular-nums",
          isOver && "text-muted",
          pickup.status === "cancelled" && "line-through",
        )}
      >
        {windowText(pickup)}
      </span>
      <Badge tone={pickupTones[pickup.status] ?? "skip"}>{words(pickup.status)}</Badge>
      <span className="max-w-full truncate text-sm text-muted">
        {place && `${place}, `}
        {plural(pickup.packageCount, "package")}
      </span>
      <span className="max-w-full truncate text-sm text-faint">
        {nameOf(pickup.carrierAccountId) ?? pickup.carrier}
      </span>
    </Link>
  );
}
