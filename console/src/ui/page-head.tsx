import type { ReactNode } from "react";
import { createContext, use, useEffect, useRef, useState } from "react";
import { Link } from "./link.tsx";
import { usePageTitle } from "./page-title.ts";

/** What stands at the end of the first line of every page; the frame gives it. */
export const HeaderEnd = createContext<ReactNode>(null);

/** The page above this one: mostly the list that a record is from. */
export type PageAbove = { href: string; name: string };

type Props = {
  above?: PageAbove;
  title: ReactNode;
  /** What the window is called, where the title alone does not tell this record from others. */
  name?: string;
  note?: ReactNode;
  children?: ReactNode;
};

/** The first line of a page: what it is, the way back, what can be done, and what is the same everywhere. */
export function PageHead({ above, title, name, note, children }: Props) {
  const shown = useRef<HTMLSpanElement>(null);
  const [text, setText] = useState("");
  useEffect(() => setText(shown.current?.textContent ?? ""), [title]);
  usePageTitle([name ?? (typeof title === "string" ? title : text), above?.name].filter(Boolean).join(" · "));
  return (
    <div className="mb-2 flex min-h-12 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 pt-1.5">
      <h1 className="flex min-w-0 items-center gap-2 text-xl font-semibold tracking-tight">
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
      <span className="flex items-center gap-2 max-lg:hidden">{use(HeaderEnd)}</span>
    </div>
  );
}
