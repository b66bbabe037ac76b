import type { ReactNode } from "react";
import { cx } from "./class-names.ts";
import { formatCount } from "./format.ts";
import { Link } from "./link.tsx";

export type TabLink = {
  href: string;
  label: string;
  count?: number | undefined;
  /** `count` is a lower bound. */
  isCapped?: boolean | undefined;
  isOn: boolean;
  /** The count is a problem, such as late orders. */
  isBad?: boolean | undefined;
};

/** Tabs with an address each. */
export function TabLinks({ label, tabs, children }: { label: string; tabs: readonly TabLink[]; children?: ReactNode }) {
  return (
    <nav aria-label={label} className="mb-2.5 flex shrink-0 gap-0.5 overflow-x-auto border-b border-line">
      {tabs.map((tab) => (
        <Link
          key={tab.href}
          href={tab.href}
          aria-current={tab.isOn ? "page" : undefined}
          className={cx(
            "-mb-px flex min-h-7 items-center gap-1.5 border-b-2 px-2.5 py-1 whitespace-nowrap",
            tab.isOn ? "border-accent font-medium text-text" : "border-transparent text-muted hover:text-text",
          )}
        >
          {tab.label}
          {tab.count !== undefined && (
            <span className={cx("font-normal tabular-nums", tab.isBad ? "text-bad" : "text-faint")}>
              {formatCount(tab.count)}
              {tab.isCapped && "+"}
            </span>
          )}
        </Link>
      ))}
      {children}
    </nav>
  );
}
