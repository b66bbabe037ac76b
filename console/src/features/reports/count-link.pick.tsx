import { cx } from "../../ui/class-names.ts";
import { formatCount } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";

/** A number that opens its list; zero has no list. */
export function CountLink({ count, href, isBad = false }: { count: number; href: string; isBad?: boolean }) {
  if (count === 0) return <span className="text-faint">0</span>;
  return (
    <RecordLink href={href} className={cx(isBad && "font-medium text-bad")}>
      {formatCount(count)}
    </RecordLink>
  );
}
