import type { ReactNode } from "react";
import { useEffect, useRef, useState } from "react";
import { Link } from "./link.tsx";
import { usePageTitle } from "./page-title.ts";

/** Parent page, usually the list of a record. */
export type PageAbove = { href: string; name: string };

type Props = {
  above?: PageAbove;
  title: ReactNode;
  /** Window title, where `title` does not identify the record. */
  name?: string;
  note?: ReactNode;
  children?: ReactNode;
};

/** Page header: parent link, title and actions. */
export function PageHead({ above, title, name, note, children }: Props) {
  const shown = useRef<HTMLSpanElement>(null);
  const [text, setText] = useState("");
  useEffect(() => setText(shown.current?.textContent ?? ""), [title]);
  usePageTitle([name ?? (typeof title === "string" ? title : text), above?.name].filter(Boolean).join(" · "));
  return (
    <div className="mb-2.5 flex min-h-9 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1">
      <h1 className="flex min-w-0 items-center gap-2 text-2xl font-semibold tracking-tight">
        {above && (
          <>
            <Link href={above.href} className="text-muted hover:underline">
              {above.name}
            </Link>
            <span aria-hidden className="text-faint">
              /
            </span>
          </>
        )}
        <span ref={shown} className="min-w-0 truncate">
          {title}
        </span>
      </h1>
      {note && <span className="text-muted">{note}</span>}
      <span className="flex-1" />
      {children}
    </div>
  );
}
