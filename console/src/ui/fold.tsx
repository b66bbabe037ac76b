import type { ReactNode } from "react";
import { useState } from "react";
import { Icon } from "./icons.tsx";

/** Collapsible section. */
export function Fold({
  title,
  isOpenAtFirst = false,
  children,
}: {
  title: ReactNode;
  isOpenAtFirst?: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex min-h-6 items-center gap-1 text-muted hover:text-text"
      >
        <Icon name={isOpen ? "chevron-down" : "chevron-right"} size={12} />
        {title}
      </button>
      {isOpen && <div className="mt-1.5 border-s border-line ps-3">{children}</div>}
    </div>
  );
}
