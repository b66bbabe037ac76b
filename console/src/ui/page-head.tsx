import type { ReactNode } from "react";
import { createContext, use } from "react";
import { Link } from "./link.tsx";

/** What stands at the end of the first line of every page; the frame gives it. */
export const HeaderEnd = createContext<ReactNode>(null);

/** The page above this one: mostly the list that a record is from. */
export type PageAbove = { href: string; name: string };

type Props = { above?: PageAbove; title: ReactNode; note?: ReactNode; children?: ReactNode };

/** The first line of a page: what it is, the way back, what can be done, and what is the same everywhere. */
export function PageHead({ above, title, note, children }: Props) {
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
        <span className="min-w-0 truncate">{title}</span>
      </h1>
      {note && <span className="text-muted">{note}</span>}
      <span className="flex-1" />
      {children}
      <span className="flex items-center gap-2 max-lg:hidden">{use(HeaderEnd)}</span>
    </div>
  );
}
