import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { missingScope, useMe } from "../../live/me.ts";
import { cx } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icons.tsx";
import { usePageTitle } from "../../ui/page-title.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { useClock } from "../../ui/zone.tsx";
import { locationQuery } from "../locations/locations.queries.ts";
import { presetsQuery } from "../operations/operations.queries.ts";
import { filterOf, searchOf } from "../orders/order-filters.pick.ts";
import { orderQuery } from "../orders/orders.queries.ts";
import { viewsQuery } from "../views/views.queries.ts";
import { AlarmBar } from "./alarm-bar.tsx";
import { PackItems } from "./pack-items.tsx";
import { marksOf, PackQueue } from "./pack-queue.tsx";
import { PackageSide } from "./package-side.tsx";
import { PackedView, useLabel } from "./packed-view.tsx";
import { boxesOf, queueQuery } from "./packing.queries.ts";
import { text } from "./packing.text.ts";
import { currentItem } from "./scan-alarm.ts";
import { ScanField } from "./scan-field.tsx";
import { StationBar } from "./station-bar.tsx";
import type { StationSettings } from "./station-settings.ts";
import { useStationSettings } from "./station-settings.ts";
import type { Station } from "./use-station.ts";
import { useStation } from "./use-station.ts";

/** Packing station: driven by a scanner and single keys, read from a metre away. */
export function PackPage() {
  const [settings, changeSettings] = useStationSettings();
  const station = useStation(settings);
  const { session, alarm } = station;
  usePageTitle(session ? `${text.title} ${session.orderNumber}` : text.title);
  const me = useMe();
  const isOpen = session?.status === "open";
  const { data: order } = useQuery({ ...orderQuery(session?.orderId ?? ""), enabled: session !== undefined });
  const { data: location } = useQuery({
    ...locationQuery(order?.locationId ?? ""),
    enabled: Boolean(order?.locationId),
  });
  const { data: pipelines = [] } = useQuery(presetsQuery);
  const boxes = boxesOf(pipelines);
  const queue = useQueue(settings, session?.orderId);
  const label = useLabel(session, settings, session !== undefined && session.id === station.finishedId);
  const weightField = useRef<HTMLInputElement>(null);
  const current = isOpen ? currentItem(session, station.last?.lineId) : undefined;
  const openNext = (next: Order | undefined): void => {
    if (next) void station.scan(next.number);
  };
  const buy = (): void => void station.finish();
  const onLoneKey = (key: string): boolean => {
    const act = isOpen
      ? openKeys(station, boxes, weightField, key)
      : packedKeys(session?.status === "packed", label, buy, key);
    act?.();
    return act !== undefined;
  };
  const onEnter = (): void => {
    if (!isOpen) openNext(queue.orders[0]);
    else if (session.isComplete) void station.finish();
  };
  const byHand = (): void => void (current && station.countByHand(current));
  useFunctionKeys({
    F2: byHand,
    F4: () => void (current && station.hold(current)),
    F8: () => void station.hold(undefined),
    F6: () => void (alarm?.takeOver && station.scan(alarm.takeOver, true)),
    Escape: station.dismiss,
    "Control+z": () => void station.undo(),
  });
  return (
    <div className="flex min-h-0 flex-1 flex-col [font-feature-settings:'cv11'] max-lg:overflow-y-auto">
      <StationBar settings={settings} location={location?.name} onChange={changeSettings} />
      <div className="flex flex-col gap-3 px-3 py-3 lg:px-4 lg:py-3">
        {alarm && (
          <AlarmBar
            alarm={alarm}
            onDismiss={station.dismiss}
            onTakeOver={() => void (alarm.takeOver && station.scan(alarm.takeOver, true))}
          />
        )}
        {/* The alarm replaces the field on the screen; the field keeps the focus and takes the next scan. */}
        <div className={cx(alarm && "sr-only")}>
          <ScanField
            placeholder={isOpen ? text.scanItem : session ? text.scanNext : text.scanOrder}
            last={session?.status === "packed" ? label.printed && text.printed[label.printed] : station.last?.text}
            disabledReason={missingScope(me, "orders:write") && text.noScope}
            onCode={(code) => void station.scan(code)}
            onEnter={onEnter}
            onLoneKey={onLoneKey}
          />
        </div>
        {station.sessionError && <ProblemBox error={station.sessionError} />}
      </div>
      <div className="grid gap-3 px-3 pb-3.5 lg:min-h-0 lg:flex-1 lg:grid-cols-[minmax(0,1fr)_344px] lg:px-4 xl:grid-cols-[minmax(0,1fr)_392px]">
        {isOpen ? (
          <>
            <PackItems
              session={session}
              current={current}
              alarm={alarm}
              marks={order ? marksOf(order) : []}
              onUndo={() => void station.undo()}
            />
            <PackageSide
              session={session}
              order={order}
              boxes={boxes}
              settings={settings}
              weightField={weightField}
              onBox={(box) => void station.setPackage({ box })}
              onWeight={(weight) => void station.setPackage({ weight: weight ?? null })}
              onCode={(code) => void station.scan(code)}
              onFinish={() => void station.finish()}
              onByHand={byHand}
              onMissing={() => void (current && station.hold(current))}
              onHold={() => void station.hold(undefined)}
            />
          </>
        ) : (
          <>
            {session?.status === "packed" ? <PackedView session={session} state={label} onBuy={buy} /> : <Start />}
            <PackQueue orders={queue.orders} total={queue.total} onOpen={openNext} />
          </>
        )}
      </div>
    </div>
  );
}

function Start() {
  return (
    <section
      aria-label="Start"
      className="flex min-h-0 flex-col items-center justify-center gap-2 rounded-lg border border-line bg-panel px-6 py-10 text-center"
    >
      <span className="mb-2 grid size-22 place-items-center rounded-full bg-accent-soft text-accent-text">
        <Icon name="box" size={40} weight={1.5} />
      </span>
      <h1 className="text-[28px] font-semibold tracking-tight">{text.start}</h1>
      <p className="max-w-130 text-[16px] text-muted">{text.startHelp}</p>
    </section>
  );
}

/** The orders of the chosen view that are ready, without the one at the station. */
function useQueue({ viewId }: StationSettings, here: string | undefined): { orders: Order[]; total: number } {
  const clock = useClock();
  const { data: views = [] } = useQuery(viewsQuery("orders"));
  const chosen = views.find(({ id }) => id === viewId)?.settings["filter"];
  const filter = typeof chosen === "object" && chosen !== null ? filterOf(searchOf(chosen), clock) : {};
  const { data } = useQuery(queueQuery(filter));
  const orders = (data?.orders ?? []).filter(({ id }) => id !== here);
  return { orders, total: Math.max(orders.length, (data?.total ?? 0) - ((data?.orders.length ?? 0) - orders.length)) };
}

type Boxes = ReturnType<typeof boxesOf>;

function openKeys(
  station: Station,
  boxes: Boxes,
  weightField: React.RefObject<HTMLInputElement | null>,
  key: string,
): (() => void) | undefined {
  if (key === "w") return () => weightField.current?.select();
  const box = boxes.slice(0, 4)[Number(key) - 1];
  return box && (() => void station.setPackage({ box }));
}

function packedKeys(
  isPacked: boolean,
  label: ReturnType<typeof useLabel>,
  onBuy: () => void,
  key: string,
): (() => void) | undefined {
  if (!isPacked) return undefined;
  if (key === "r") return label.printAgain ?? (label.isWaiting ? undefined : onBuy);
  if (key === "p") return label.printSlip;
  return key === "v" ? label.voidLabel : undefined;
}

/** Keys that no scanner sends, wherever the focus is, except in open dialogs. */
function useFunctionKeys(keys: Record<string, () => void>): void {
  const latest = useLatest(keys);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const name = `${event.ctrlKey || event.metaKey ? "Control+" : ""}${event.key}`;
      const act = latest.current[name];
      if (!act || (event.target as HTMLElement).closest("[role=dialog], [role=listbox]")) return;
      // An edit in a field is undone there.
      const isTyped = event.target instanceof HTMLInputElement && event.target.value !== "";
      if (name === "Control+z" && isTyped) return;
      event.preventDefault();
      act();
    };
    globalThis.addEventListener("keydown", onKeyDown);
    return () => globalThis.removeEventListener("keydown", onKeyDown);
  }, [latest]);
}
