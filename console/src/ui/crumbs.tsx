import type { ReactNode } from "react";
import { Link } from "./link.tsx";

/** The title of a page below another one, with the way back. */
export function Crumbs({ href, name, children }: { href: string; name: string; children: ReactNode }) {
  return (
    <>
      <Link href={href} className="text-muted hover:underline">
        {name}
      </Link>
      <span aria-hidden className="text-faint">
        /
      </span>
      <span className="min-w-0 truncate">{children}</span>
    </>
  );
}
