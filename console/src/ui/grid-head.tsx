import type { KeyboardEvent, PointerEvent } from "react";
import { cx } from "./class-names.ts";
import type { GridColumn } from "./grid-columns.ts";
import type { layColumns } from "./grid-layout.ts";
import { clampWidth } from "./grid-layout.ts";
import { Icon } from "./icons.tsx";

type Props<Row> = {
  columns: readonly GridColumn<Row>[];
  sort?: string | undefined;
  onSort(sort: string): void;
  layout: ReturnType<typeof layColumns>;
  /** While the width changes. */
  onDrag(drag: { id: string; width: number }): void;
  onResize(id: string, width: number): void;
};

const step = 16;

/** Titles of the columns: a click sorts; the right edge, or Shift with an arrow key, changes the width. */
export function GridHead<Row>({ columns, sort, onSort, layout, onDrag, onResize }: Props<Row>) {
  return (
    <div role="rowgroup" className="sticky top-0 z-10 bg-panel" style={{ minWidth: layout.minWidth }}>
      <div
        role="row"
        aria-rowindex={1}
        style={{ gridTemplateColumns: layout.template, minWidth: layout.minWidth }}
        className="grid h-7 items-center border-b border-line bg-panel font-medium text-faint"
      >
        <span role="columnheader" className="sticky start-0 z-1 h-full bg-panel">
          <span className="sr-only">Selected</span>
        </span>
        {columns.map((column, index) => {
          const isUp = column.sort !== undefined && sort === column.sort;
          const isDown = column.sort !== undefined && sort === `-${column.sort}`;
          const width = layout.widths[index]!;
          const next = isUp ? `-${column.sort}` : isDown || !column.isDownFirst ? column.sort! : `-${column.sort}`;
          const onKeyDown = (event: KeyboardEvent): void => {
            const by = { ArrowLeft: -step, ArrowRight: step }[event.key];
            if (by === undefined || !event.shiftKey) return;
            event.preventDefault();
            event.stopPropagation();
            onResize(column.id, clampWidth(width + by));
          };
          return (
            <span
              key={column.id}
              role="columnheader"
              aria-sort={isUp ? "ascending" : isDown ? "descending" : column.sort ? "none" : undefined}
              style={{ insetInlineStart: layout.pinnedStarts[index] }}
              className={cx(
                "h-full min-w-0",
                layout.pinnedStarts[index] === undefined ? "relative" : "sticky z-1 bg-panel",
              )}
            >
              {column.sort === undefined ? (
                <span className={cx("block truncate px-2.5 leading-7", column.isNumber && "text-end")}>
                  {column.title}
                </span>
              ) : (
                <button
                  type="button"
                  className={cx(
                    "group flex h-full w-full items-center gap-1 px-2.5 hover:text-text",
                    column.isNumber && "justify-end",
                    (isUp || isDown) && "text-text",
                  )}
                  onClick={() => onSort(next)}
                  onKeyDown={onKeyDown}
                >
                  <span className="truncate">{column.title}</span>
                  <span className={isUp || isDown ? "" : "opacity-0 group-hover:opacity-60"}>
                    <Icon name={isDown || (!isUp && column.isDownFirst) ? "arrow-down" : "arrow-up"} size={11} />
                  </span>
                </button>
              )}
              <Edge
                width={width}
                onDrag={(to) => onDrag({ id: column.id, width: to })}
                onEnd={(to) => onResize(column.id, to)}
              />
            </span>
          );
        })}
      </div>
    </div>
  );
}

/** The right edge of a title, to drag. */
function Edge({ width, onDrag, onEnd }: { width: number; onDrag(width: number): void; onEnd(width: number): void }) {
  const begin = (event: PointerEvent<HTMLSpanElement>): void => {
    event.preventDefault();
    const edge: HTMLSpanElement = event.currentTarget;
    const from = event.clientX;
    const at = (moved: { clientX: number }): number => clampWidth(width + moved.clientX - from);
    edge.setPointerCapture(event.pointerId);
    const ended = new AbortController();
    edge.addEventListener("pointermove", (moved) => onDrag(at(moved)), { signal: ended.signal });
    // Also fires when the drag is cancelled.
    edge.addEventListener("lostpointercapture", (last) => onEnd(at(last)), { once: true });
    edge.addEventListener("lostpointercapture", () => ended.abort(), { once: true });
  };
  return (
    <span
      aria-hidden
      data-resize
      onPointerDown={begin}
      className="absolute end-0 top-1 bottom-1 w-2 cursor-col-resize touch-none border-e border-transparent hover:border-edge"
    />
  );
}
