import type { PackingSession } from "@order-operations-hub/sdk/api-types";
import { useEffect, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import type { PackItem } from "./packing.queries.ts";
import { nameOf } from "./packing.text.ts";
import { StationButton } from "./station-button.tsx";
import type { Alarm } from "./scan-alarm.ts";

type Props = {
  session: PackingSession;
  current: PackItem | undefined;
  alarm: Alarm | undefined;
  /** Shown beside the number: an urgent order, or its tags. */
  marks: readonly string[];
  onUndo(): void;
};

/** What to pack. The list follows the scan. */
export function PackItems({ session, current, alarm, marks, onUndo }: Props) {
  const { orderNumber, items, packedCount, neededCount } = session;
  return (
    <section
      aria-label="Items to pack"
      className="flex min-w-0 flex-col rounded-lg border border-line bg-panel lg:min-h-0"
    >
      <header className="flex min-h-15 flex-wrap items-center gap-3 border-b border-line px-4.5 py-1">
        <h1 className="text-[22px] font-semibold tracking-tight">{orderNumber}</h1>
        {marks.map((mark) => (
          <Badge key={mark} tone="warn">
            {mark}
          </Badge>
        ))}
        <span className="ms-auto text-[15px] text-muted">
          <strong className="font-semibold text-text">
            {formatCount(packedCount)} of {formatCount(neededCount)}
          </strong>{" "}
          items scanned
        </span>
        {packedCount > 0 && (
          <StationButton label="Undo last scan" keys="Control+Z" look="quiet" onPress={onUndo}>
            <Icon name="undo" size={18} />
          </StationButton>
        )}
      </header>
      {/* Without a focusable element inside, keys could not scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul tabIndex={0} aria-label="Items" className="rounded-b-lg lg:min-h-0 lg:flex-1 lg:overflow-y-auto">
        {items.map((item) => (
          <Item
            key={item.lineId}
            item={item}
            isCurrent={item.lineId === current?.lineId}
            compared={alarm?.lineId === item.lineId ? alarm.compared : undefined}
          />
        ))}
      </ul>
    </section>
  );
}

function Item({ item, isCurrent, compared }: { item: PackItem; isCurrent: boolean; compared: string | undefined }) {
  const row = useRef<HTMLLIElement>(null);
  const { sku, packed, needed, options = [], properties = [] } = item;
  const isFull = packed >= needed;
  useEffect(() => {
    if (isCurrent) row.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent, packed]);
  return (
    <li
      ref={row}
      aria-current={isCurrent ? "step" : undefined}
      className={cx(
        "relative grid grid-cols-[64px_minmax(0,1fr)_auto] items-center gap-4 border-b border-line px-4.5 py-3 last:border-b-0",
        isCurrent && !compared && "bg-accent-soft/50 shadow-[inset_4px_0_0_var(--accent)]",
        compared && "shadow-[inset_0_0_0_3px_var(--bad)]",
      )}
    >
      <Picture item={item} />
      <div className="min-w-0">
        <h2 className={cx("text-[17px] leading-snug font-semibold break-words", isFull && "text-muted")}>
          {nameOf(item)}
        </h2>
        <p className="mt-0.5 flex flex-wrap gap-x-3.5 text-[14px] text-muted">
          <span className="font-mono text-[13px] break-all">{sku}</span>
          {options.map(({ name, value }) => (
            <span key={`${name} ${value}`}>{value}</span>
          ))}
        </p>
        {properties.map(({ name, value }) => (
          <p
            key={`${name} ${value}`}
            className="mt-1.5 me-2 inline-flex max-w-full items-center gap-1.5 rounded-md bg-warn-soft px-2 py-0.5 text-[14px] font-medium break-words text-warn"
          >
            <Icon name="pencil" size={14} />
            {name} “{value}”
          </p>
        ))}
        {compared && <p className="mt-1.5 text-[14px] font-semibold text-bad">{compared}</p>}
      </div>
      <p
        className={cx(
          "flex items-center gap-2 text-[34px] leading-none font-semibold tracking-tight whitespace-nowrap tabular-nums",
          isFull && "text-ok",
        )}
      >
        {isFull && <Icon name="check" size={24} weight={2.2} />}
        <span>
          {packed}
          <span className={isFull ? undefined : "font-normal text-faint"}>/{needed}</span>
        </span>
        <span className="sr-only">{isFull ? "complete" : "scanned"}</span>
      </p>
    </li>
  );
}

/** The picture of the shop, or a box if there is none or it does not load. */
function Picture({ item: { imageUrl } }: { item: PackItem }) {
  const [failed, setFailed] = useState<string>();
  const isShown = imageUrl?.startsWith("https://") && failed !== imageUrl;
  return (
    <span className="grid size-16 place-items-center overflow-hidden rounded-[10px] bg-skip-soft text-faint">
      {isShown ? (
        <img
          src={imageUrl}
          alt=""
          width={64}
          height={64}
          referrerPolicy="no-referrer"
          className="size-16 object-cover"
          onError={() => setFailed(imageUrl)}
        />
      ) : (
        <Icon name="box" size={34} weight={1.2} />
      )}
    </span>
  );
}
