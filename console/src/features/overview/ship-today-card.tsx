import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { carrierName } from "../../ui/carrier-name.ts";
import { buttonClass } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import type { Clock } from "../../ui/clock.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { formatSpan, formatTime, useClock } from "../../ui/zone.tsx";
import type { ShipToday } from "./overview.queries.ts";
import { todayQuery } from "./overview.queries.ts";
import { Tile } from "./overview-tile.tsx";

const hour = 3_600_000;
const figure = "text-2xl font-semibold tracking-tight text-text tabular-nums";

/** Orders to ship until tonight, by carrier and cut-off time. */
export function ShipTodayCard() {
  const query = useQuery(todayQuery);
  const { data } = query;
  return (
    <Tile
      title="Ship today"
      query={query}
      action={
        data && (
          <RecordLink href={openHref(data)} className="text-sm" aria-label={`${data.open} open orders to ship today`}>
            {formatCount(data.open)}
            {data.isCapped && "+"} open
          </RecordLink>
        )
      }
    >
      {(today) => <Today today={today} />}
    </Tile>
  );
}

const openHref = ({ filter }: ShipToday, carrier?: string): string =>
  paths.orders({ status: filter.status, shipByTo: filter.shipByTo, ...(carrier ? { carrier } : {}) });

function Today({ today }: { today: ShipToday }) {
  const clock = useClock();
  const { open, shipped, pickups, date } = today;
  const share = open + shipped === 0 ? 0 : (shipped / (open + shipped)) * 100;
  return (
    <div className="flex flex-1 flex-col">
      <p className="text-muted">
        {shipped === 0 ? (
          <span className={figure}>0</span>
        ) : (
          <Link
            href={paths.shipments({ statusNot: "cancelled", shippedFrom: date, shippedTo: date })}
            aria-label={`${formatCount(shipped)} shipments shipped today. Open the list`}
            className={`${figure} hover:underline`}
          >
            {formatCount(shipped)}
          </Link>
        )}{" "}
        shipped, {formatCount(open)} to go
      </p>
      <div aria-hidden className="mt-2 mb-2 flex h-1.5 overflow-hidden rounded-full bg-skip-soft">
        <i className="block bg-faint" style={{ width: `${share}%` }} />
      </div>
      {today.carriers.length > 0 && (
        <Table label="To ship today by carrier">
          <thead>
            <tr>
              <Th className="ps-0">Carrier</Th>
              <Th isNumber>Open</Th>
              <Th isNumber className="pe-0">
                Cut-off
              </Th>
            </tr>
          </thead>
          <tbody>
            {today.carriers.map(({ carrier, open: count, cutoffAt }) => (
              <tr key={carrier ?? ""}>
                <Td className="max-w-0 truncate ps-0">
                  {carrier === null ? (
                    <span className="text-muted">Not chosen</span>
                  ) : (
                    <RecordLink href={openHref(today, carrier)}>{carrierName(carrier)}</RecordLink>
                  )}
                </Td>
                <Td isNumber>{formatCount(count)}</Td>
                <Td isNumber className="pe-0 whitespace-nowrap">
                  <Cutoff at={cutoffAt} clock={clock} />
                </Td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      <Pace today={today} clock={clock} />
      <div className="mt-auto flex flex-wrap items-center gap-2 border-t border-line pt-2.5">
        <Link href={openHref(today)} className={buttonClass("plain")}>
          Open orders
        </Link>
        <span className="flex-1" />
        <RecordLink href={paths.pickups()} className="text-sm">
          {plural(pickups, "pickup")} booked
        </RecordLink>
      </div>
    </div>
  );
}

/** Red within an hour of the cut-off, and after it. */
function Cutoff({ at, clock }: { at: string | null; clock: Clock }) {
  if (at === null) return <span className="text-muted">–</span>;
  const left = Date.parse(at) - clock.now();
  const time = formatTime(at, clock).replace(/^today /, "");
  return (
    <span className={cx(left < hour && "font-medium text-bad")}>
      {time}
      {left <= 0 ? ", passed" : left < hour && `, ${formatSpan(left)}`}
    </span>
  );
}

function Pace({ today: { open, shippedLastHour }, clock }: { today: ShipToday; clock: Clock }) {
  if (shippedLastHour === 0 || open === 0) return null;
  const done = formatTime(clock.now() + (open / shippedLastHour) * hour, clock).replace(/^today /, "");
  return (
    <p className="my-2.5 flex items-center gap-1.5 text-sm text-muted">
      <Icon name="users" /> {formatCount(shippedLastHour)} in the last hour, done by about {done}
    </p>
  );
}
