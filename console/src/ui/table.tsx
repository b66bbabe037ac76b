import type { ComponentProps, ReactNode } from "react";
import { cx } from "./class-names.ts";

/** Plain table. For many rows use Grid. */
export function Table({ label, children }: { label: string; children: ComponentProps<"table">["children"] }) {
  return (
    // Focusable, so that it can be scrolled by keyboard. A group and no landmark: its card is one of the same name.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="relative max-w-full overflow-x-auto" role="group" aria-label={label} tabIndex={0}>
      <table className="w-full border-collapse" aria-label={label}>
        {children}
      </table>
    </div>
  );
}

export function Th({ isNumber, className, ...rest }: ComponentProps<"th"> & { isNumber?: boolean }) {
  return (
    <th
      scope="col"
      {...rest}
      className={cx(
        "h-7 border-b border-line px-2.5 font-medium whitespace-nowrap text-faint",
        isNumber ? "text-end" : "text-start",
        className,
      )}
    />
  );
}

export function Td({ isNumber, className, ...rest }: ComponentProps<"td"> & { isNumber?: boolean }) {
  return (
    <td
      {...rest}
      className={cx(
        "h-row border-b border-line px-2.5 [tr:last-child>&]:border-b-0",
        isNumber && "text-end tabular-nums",
        className,
      )}
    />
  );
}

export type ListColumn<Row> = {
  /** Empty for a column of buttons. */
  name: string;
  isNumber?: boolean;
  className?: string;
  cell(row: Row): ReactNode;
};

/** Table of records. */
export function RowTable<Row>({
  label,
  rows,
  columns,
  idOf,
  onOpen,
}: {
  label: string;
  rows: readonly Row[];
  columns: ReadonlyArray<ListColumn<Row>>;
  idOf(row: Row): string | number;
  /** A click anywhere in the row. For the keyboard the row needs a link or button that does the same. */
  onOpen?: ((row: Row) => void) | undefined;
}) {
  return (
    <Table label={label}>
      <thead>
        <tr>
          {columns.map(({ name, isNumber = false }) => (
            <Th key={name} isNumber={isNumber}>
              {name || <span className="sr-only">Actions</span>}
            </Th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={idOf(row)}
            className={cx("hover:bg-skip-soft", onOpen && "cursor-pointer")}
            onClick={(event) => {
              const isOwn =
                event.target instanceof Element &&
                event.target.closest("a, button, input, label, [role=checkbox]") === null;
              if (isOwn) onOpen?.(row);
            }}
          >
            {columns.map(({ name, isNumber = false, className = "", cell }) => (
              <Td key={name} isNumber={isNumber} className={className}>
                {cell(row)}
              </Td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
