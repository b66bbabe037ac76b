import { useVirtualizer } from "@tanstack/react-virtual";
import type { KeyboardEvent, MouseEvent, ReactNode } from "react";
import { memo, useEffect, useId, useMemo, useRef, useState } from "react";
import { RowCheckbox } from "./checkbox.tsx";
import { cx } from "./class-names.ts";
import { GridHead } from "./grid-head.tsx";
import type { GridColumn } from "./grid-columns.ts";
import { layColumns } from "./grid-layout.ts";
import { useWidth } from "./use-width.ts";

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  /** Total of the list; `rows` are its first ones. */
  total: number;
  columns: readonly GridColumn<Row>[];
  idOf(row: Row): string;
  nameOf(row: Row): string;
  isSelected(id: string): boolean;
  onToggle(at: number, isRange: boolean): void;
  cursor: number;
  onCursor(at: number): void;
  onOpen(row: Row): void;
  onNearEnd(): void;
  sort?: string | undefined;
  onSort(sort: string): void;
  /** Old rows are shown while new ones load. */
  isStale: boolean;
  rowHeight: number;
  /** Widths that the user has set, by column. */
  widths: Readonly<Record<string, number>>;
  onResize(id: string, width: number): void;
  /** Columns that stay in sight while the others scroll. */
  pins: number;
  children?: ReactNode;
};

const nearEndRows = 40;

/**
 * Virtualized list: only visible rows are in the DOM. One tab stop; arrow keys move the cursor, and screen readers hear row and
 * total.
 */
export function Grid<Row>(props: Props<Row>) {
  const { label, rows, total, columns, cursor, onCursor, onNearEnd, rowHeight } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const base = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    // Height of the sticky header, which covers scrolled rows.
    scrollPaddingStart: 28,
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? -1;
  useEffect(() => {
    if (lastShown >= rows.length - nearEndRows) onNearEnd();
  }, [lastShown, rows.length, onNearEnd]);
  useEffect(() => virtual.measure(), [virtual, rowHeight]);
  useEffect(() => {
    if (cursor >= 0) virtual.scrollToIndex(cursor, { align: "auto" });
  }, [cursor, virtual]);

  const measured = useWidth(1200);
  const [drag, setDrag] = useState<{ id: string; width: number }>();
  const widthsKey = JSON.stringify(drag ? { ...props.widths, [drag.id]: drag.width } : props.widths);
  const layout = useMemo(
    () => layColumns(columns, JSON.parse(widthsKey) as Record<string, number>, measured.width, props.pins),
    [columns, widthsKey, measured.width, props.pins],
  );
  const { minWidth } = layout;

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== scroller.current) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const moves: Record<string, number> = {
      ArrowDown: cursor + 1,
      ArrowUp: cursor - 1,
      PageDown: cursor + page,
      PageUp: cursor - page,
      Home: 0,
      End: rows.length - 1,
    };
    const next = moves[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    onCursor(Math.max(0, Math.min(rows.length - 1, next)));
  };

  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus
    <div
      ref={scroller}
      role="grid"
      data-list
      aria-label={label}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable
      aria-busy={props.isStale}
      aria-activedescendant={cursor >= 0 && rows[cursor] !== undefined ? `${base}-${cursor}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className={cx("relative min-h-0 flex-1 overflow-auto outline-offset-[-2px]", props.isStale && "stale")}
    >
      <div ref={measured.ref} className="sticky start-0 h-0" />
      <GridHead
        {...props}
        layout={layout}
        onDrag={setDrag}
        onResize={(id, width) => {
          setDrag(undefined);
          props.onResize(id, width);
        }}
      />
      {/* Rows of the previous list are read-only until the new ones arrive. */}
      <div
        role="rowgroup"
        inert={props.isStale}
        style={{ height: virtual.getTotalSize(), minWidth }}
        className="relative"
      >
        {items.map((item) => (
          <Line
            key={item.key}
            columns={columns}
            nameOf={props.nameOf}
            onToggle={props.onToggle}
            onCursor={onCursor}
            onOpen={props.onOpen}
            row={rows[item.index]!}
            at={item.index}
            id={`${base}-${item.index}`}
            isOn={props.isSelected(props.idOf(rows[item.index]!))}
            isCursor={item.index === cursor}
            layout={layout}
            top={item.start}
            height={rowHeight}
          />
        ))}
      </div>
      {props.children}
    </div>
  );
}

type LineProps<Row> = Pick<Props<Row>, "columns" | "nameOf" | "onToggle" | "onCursor" | "onOpen"> & {
  row: Row;
  at: number;
  id: string;
  isOn: boolean;
  isCursor: boolean;
  layout: ReturnType<typeof layColumns>;
  top: number;
  height: number;
};

/** Memoized, so that scrolling renders only the rows that become visible. */
const Line = memo(DrawnLine) as typeof DrawnLine;

function DrawnLine<Row>(props: LineProps<Row>) {
  const { row, at, id, isOn, columns, layout, nameOf, onToggle, onCursor, onOpen } = props;
  const pick = (event: MouseEvent): void => {
    onCursor(at);
    const isControl = (event.target as HTMLElement).closest("a, button, label, [role=checkbox]");
    if (!isControl) onOpen(row);
  };
  return (
    // The grid handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      role="row"
      id={id}
      aria-rowindex={at + 2}
      aria-selected={isOn}
      style={{
        gridTemplateColumns: layout.template,
        minWidth: layout.minWidth,
        transform: `translateY(${props.top}px)`,
        height: props.height,
      }}
      onClick={pick}
      className={cx(
        "absolute inset-x-0 top-0 grid cursor-default items-center border-b border-line hover:bg-skip-soft",
        isOn ? "bg-[color-mix(in_srgb,var(--accent-soft)_55%,var(--panel))]" : "bg-panel",
      )}
    >
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions, jsx-a11y/click-events-have-key-events */}
      <span
        role="gridcell"
        className={cx(
          "sticky start-0 z-1 grid h-full place-items-center bg-inherit",
          props.isCursor && "shadow-[inset_2px_0_0_var(--accent)]",
        )}
        onClickCapture={(event) => event.shiftKey && onToggleRange(event, () => onToggle(at, true))}
      >
        <RowCheckbox label={`Select ${nameOf(row)}`} isChecked={isOn} onChange={() => onToggle(at, false)} />
      </span>
      {columns.map((column, index) => {
        const start = layout.pinnedStarts[index];
        const cell = column.cell(row, layout.widths[index]!);
        return (
          <span
            key={column.id}
            role="gridcell"
            style={{ insetInlineStart: start }}
            className={cx(
              "truncate px-2.5",
              column.isNumber && "text-end tabular-nums",
              start !== undefined && "sticky z-1 grid h-full items-center bg-inherit",
            )}
          >
            {/* Text of a grid container is cut without an ellipsis. */}
            {start === undefined ? cell : <span className="min-w-0 truncate">{cell}</span>}
          </span>
        );
      })}
    </div>
  );
}

function onToggleRange(event: MouseEvent, toggle: () => void): void {
  event.preventDefault();
  event.stopPropagation();
  toggle();
}
