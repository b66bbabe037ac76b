import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { addDays, dayIn, formatDay, isDate, mondayOf } from "../../ui/calendar.ts";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { useClock } from "../../ui/zone.tsx";
import { PickupBookingForm } from "./pickup-booking.form.tsx";
import { PickupPanel } from "./pickup.panel.tsx";
import { PickupWeek } from "./pickup-week.tsx";
import { pickupCan } from "./pickups.can.ts";
import { pickupAccountsQuery, pickupLocationsQuery, pickupsQuery } from "./pickups.queries.ts";
import { text } from "./pickups.text.ts";

/** Weekly calendar of pickups. */
export function PickupsPage() {
  const { search, set } = useSearchParams();
  const clock = useClock();
  const today = dayIn(clock.timeZone, clock.now());
  const asked = oneOf(search["week"]);
  const monday = mondayOf(isDate(asked) ? asked : today);
  const week = useQuery(pickupsQuery(monday, addDays(monday, 6)));
  const accounts = useQuery(pickupAccountsQuery);
  const locations = useQuery(pickupLocationsQuery);
  const me = useMe();
  const router = useRouter();
  const openId = oneOf(search["open"]);
  const book = oneOf(search["book"]);
  const refused = pickupCan.book(me) ?? (accounts.data?.length === 0 && text.noAccount) ?? undefined;
  const close = (): void => set({ open: undefined, book: undefined, at: undefined, move: undefined }, "replace");
  const startBooking = (): void => set({ book: "next", open: undefined, move: undefined });
  const go = (weeks: number) => (): void => router.history.push(paths.pickups({ week: addDays(monday, weeks * 7) }));
  useHotkeys([
    { keys: "b", name: "Book a pickup", run: () => !refused && startBooking() },
    { keys: "[", name: "Previous week", run: go(-1) },
    { keys: "]", name: "Next week", run: go(1) },
  ]);
  const shown = week.data?.data ?? [];
  const isEmpty = accounts.data?.length === 0 && week.data?.data.length === 0;
  return (
    <>
      <PageHead title="Pickups" note={`${formatDay(monday)} to ${formatDay(addDays(monday, 6))}`}>
        <Button onClick={go(-1)} aria-label="Previous week">
          ‹
        </Button>
        <Link href={paths.pickups()} className={buttonClass("plain")}>
          This week
        </Link>
        <Button onClick={go(1)} aria-label="Next week">
          ›
        </Button>
        <Button kind="primary" keys="b" onClick={startBooking} disabledReason={refused}>
          Book a pickup
        </Button>
      </PageHead>
      {week.error && <ProblemBox error={week.error} onRetry={() => void week.refetch()} />}
      {week.isPending && <Skeleton rows={8} />}
      {isEmpty && (
        <Card label="Pickups">
          <Empty text={text.noAccount}>
            <Link href={paths.carriers()} className={buttonClass("primary")}>
              Add a carrier account
            </Link>
          </Empty>
        </Card>
      )}
      {week.data && !isEmpty && (
        <>
          <PickupWeek
            monday={monday}
            today={today}
            pickups={shown}
            locations={locations.data ?? []}
            nameOf={(id) => accounts.data?.find((account) => account.id === id)?.name}
            openId={openId}
          />
          <p className="mt-2 px-1 text-muted">
            {shown.length === 0
              ? text.nothing
              : `${plural(week.data.pagination.total, "pickup")} this week, in the time zone of each location.`}
            {week.data.pagination.hasMore && ` Only the ${formatCount(shown.length)} latest are shown.`}
          </p>
        </>
      )}
      <SidePanel title="Book a pickup" isOpen={book !== undefined && openId === undefined} onClose={close}>
        {book !== undefined && (
          <PickupBookingForm
            key={`${book} ${oneOf(search["at"]) ?? ""}`}
            date={isDate(book) ? book : undefined}
            locationId={oneOf(search["at"])}
            onDone={(pickup) =>
              router.history.push(paths.pickups({ week: mondayOf(pickup.window.date), open: pickup.id }))
            }
          />
        )}
      </SidePanel>
      <PickupPanel id={openId} isMoving={oneOf(search["move"]) !== undefined} onClose={close} />
    </>
  );
}
