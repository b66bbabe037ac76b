import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import type { IconName } from "./icons.tsx";
import { Icon } from "./icons.tsx";

type CardProps = {
  children: ReactNode;
  className?: string;
  label?: string;
  /** The page uses the whole width of the window. */
  isList?: boolean;
};

export function Card({ children, className, label, isList }: CardProps) {
  return (
    <section
      data-list={isList || undefined}
      {...(label ? { "aria-label": label } : {})}
      className={cx("overflow-hidden rounded-lg border border-line bg-panel", className)}
    >
      {children}
    </section>
  );
}

/** Section title with its actions. */
export function Heading({
  title,
  note,
  children,
  level = 2,
}: {
  title: ReactNode;
  note?: ReactNode;
  children?: ReactNode;
  level?: 1 | 2;
}) {
  const Tag = level === 1 ? "h1" : "h2";
  return (
    <div className="mb-2 flex min-h-7 flex-wrap items-center gap-x-2.5 gap-y-1">
      <Tag className={cx("font-semibold tracking-tight", level === 1 ? "text-xl" : "text-lg")}>{title}</Tag>
      {note && <span className="text-muted">{note}</span>}
      <span className="flex-1" />
      {children}
    </div>
  );
}

type EmptyProps = {
  text: ReactNode;
  /** With a title and an icon: a whole list that has no records yet. */
  title?: string;
  icon?: IconName;
  children?: ReactNode;
  /** Other ways, as text with links. */
  more?: ReactNode;
};

/** Empty state: one sentence and one action. */
export function Empty({ text, title, icon, children, more }: EmptyProps) {
  return (
    <div
      className={cx(
        "flex flex-col items-center gap-3 px-4 text-center text-muted",
        title ? "min-h-80 justify-center py-14" : "py-10",
      )}
    >
      {icon && (
        <span className="mb-1 grid size-14 place-items-center rounded-2xl border border-line bg-skip-soft text-faint">
          <Icon name={icon} size={26} weight={1.3} />
        </span>
      )}
      {title && <h2 className="-mb-1.5 text-lg font-semibold text-text">{title}</h2>}
      <p className="max-w-md">{text}</p>
      {children}
      {more && <p className="text-sm">{more}</p>}
    </div>
  );
}

export function Skeleton({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="appear-late flex flex-col gap-2 p-3">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="h-3.5 rounded-sm bg-skip-soft" style={{ width: `${90 - ((row * 17) % 40)}%` }} />
      ))}
    </div>
  );
}
