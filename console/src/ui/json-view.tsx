import { useState } from "react";
import { cx } from "./class-names.ts";
import { Icon } from "./icons.tsx";

type Json = unknown;

/** JSON as a collapsible tree. */
export function JsonView({ value, label, className }: { value: Json; label: string; className?: string }) {
  return (
    <div
      role="region"
      aria-label={label}
      // Focusable, so that it can be scrolled by keyboard.
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={cx("overflow-auto rounded-md border border-line bg-bg p-2 font-mono text-sm leading-5", className)}
    >
      <Node value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name?: string; value: Json; depth: number }) {
  const [isOpen, setOpen] = useState(depth < 2);
  const key = name === undefined ? null : <span className="text-muted">{name}: </span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div className="whitespace-pre-wrap">
        {key}
        <Leaf value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div>
        {key}
        {open}
        {close}
      </div>
    );
  }
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex min-h-6 items-center gap-1"
      >
        <Icon name={isOpen ? "chevron-down" : "chevron-right"} size={10} />
        {key}
        {isOpen ? open : `${open} ${entries.length} ${close}`}
      </button>
      {isOpen && (
        <div className="ms-1 border-s border-line ps-3">
          {entries.map(([field, inner]) => (
            <Node key={field} name={field} value={inner} depth={depth + 1} />
          ))}
        </div>
      )}
    </div>
  );
}

function Leaf({ value }: { value: Json }) {
  if (typeof value === "string") return <span className="text-ok">{JSON.stringify(value)}</span>;
  if (typeof value === "number") return <span className="text-accent-text">{value}</span>;
  return <span className="text-warn">{String(value)}</span>;
}
