import type { ReactNode } from "react";
import { Icon } from "./icons.tsx";

/** An active filter with a button to remove it. */
export function Chip({
  name,
  value,
  onDrop,
  editor,
}: {
  name: string;
  value: string;
  onDrop(): void;
  editor?: ReactNode;
}) {
  return (
    <span className="inline-flex h-[26px] max-w-full items-center rounded-md bg-skip-soft">
      {editor ?? (
        <span className="px-2">
          <span className="text-muted">{name}</span> {value}
        </span>
      )}
      <button
        type="button"
        aria-label={`Drop the filter ${name} ${value}`}
        onClick={onDrop}
        className="grid size-6 place-items-center rounded-md text-muted hover:text-text"
      >
        <Icon name="x" size={12} />
      </button>
    </span>
  );
}
