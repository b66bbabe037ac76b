import type { ReactNode } from "react";
import { cx } from "./class-names.ts";

export function Card({ children, className, label }: { children: ReactNode; className?: string; label?: string }) {
  return (
    <section
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

/** Empty state: one sentence and one action. */
export function Empty({ text, children }: { text: ReactNode; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-10 text-center text-muted">
      <p className="max-w-md">{text}</p>
      {children}
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
