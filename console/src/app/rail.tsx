import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useState } from "react";
import { failingBridgesQuery } from "../features/bridges/failing-bridges.queries.ts";
import { openExceptionsQuery } from "../features/exceptions/exception-count.queries.ts";
import { runningRunsQuery } from "../features/operations/operations.queries.ts";
import { useMe } from "../live/me.ts";
import { cx } from "../ui/class-names.ts";
import { formatCount } from "../ui/format.ts";
import { Icon } from "../ui/icons.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Link } from "../ui/link.tsx";
import { Brand } from "../ui/brand.tsx";
import { paths } from "./paths.ts";
import type { RailEntry } from "./rail-entries.ts";
import { isAllowed, railGroups } from "./rail-entries.ts";

/** What waits behind an entry: a red number where a person is needed, grey text where work goes on. */
type Waiting = { text: string; isUrgent: boolean };

function useWaiting(): ReadonlyMap<string, Waiting> {
  const { scopes } = useMe();
  const { data: running } = useQuery({ ...runningRunsQuery, enabled: scopes.includes("operations:read") });
  const { data: open } = useQuery({ ...openExceptionsQuery(), enabled: scopes.includes("exceptions:read") });
  const { data: failing } = useQuery({ ...failingBridgesQuery, enabled: scopes.includes("bridges:read") });
  const waiting = new Map<string, Waiting>();
  if (running) waiting.set(paths.operations(), { text: `${formatCount(running)} running`, isUrgent: false });
  if (open) waiting.set(paths.exceptions(), { text: formatCount(open), isUrgent: true });
  if (failing) waiting.set(paths.bridges(), { text: formatCount(failing), isUrgent: true });
  return waiting;
}

/** Addresses nest, so the longest one that matches is the current page. */
function currentOf(pathname: string): string | undefined {
  const fits = ({ href }: RailEntry): boolean => pathname === href || (href !== "/" && pathname.startsWith(`${href}/`));
  return railGroups
    .flatMap(({ entries }) => entries.filter(fits))
    .map(({ href }) => href)
    .toSorted((a, b) => b.length - a.length)[0];
}

type Props = {
  /** In the drawer of small screens, where the names are always shown. */
  isDrawer?: boolean;
  onPick?(): void;
  onHelp(): void;
};

/** The menu. Between 760 and 1,100 px only its icons are shown, with a dot for a badge. */
export function Rail({ isDrawer = false, onPick, onHelp }: Props) {
  const me = useMe();
  const here = currentOf(useRouterState({ select: (state) => state.location.pathname }));
  const waiting = useWaiting();
  const [unfolded, setUnfolded] = useState(false);
  const nameClass = isDrawer ? "flex-1 truncate" : "flex-1 truncate max-wide:sr-only";
  const rowClass = cx("flex min-h-7 items-center gap-2.5 rounded-md px-2", !isDrawer && "max-wide:justify-center");
  return (
    <nav aria-label="Main" className="flex h-full flex-col overflow-x-hidden overflow-y-auto px-2 py-2.5">
      <div className={cx("px-2 pb-1.5", !isDrawer && "max-wide:self-center max-wide:px-0")}>
        <Brand organization={me.organization.name} isShort={!isDrawer} />
      </div>
      {railGroups.map(({ name: group, entries, isFolded }) => {
        const shown = entries.filter((entry) => isAllowed(entry, me));
        if (shown.length === 0) return null;
        const isOpen = !isFolded || unfolded || shown.some(({ href }) => href === here);
        return (
          <div key={group} role="group" aria-label={group} className="mt-3 flex flex-col gap-px first-of-type:mt-1">
            {isFolded ? (
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => setUnfolded(!isOpen)}
                className={cx(
                  "flex min-h-6 items-center gap-1 px-2 text-xs font-medium text-faint hover:text-text",
                  !isDrawer && "max-wide:justify-center max-wide:px-0",
                )}
              >
                {group}
                <Icon name={isOpen ? "chevron-down" : "chevron-right"} size={11} />
              </button>
            ) : (
              <p
                aria-hidden
                className={cx(
                  "px-2 pb-1 text-xs font-medium text-faint",
                  !isDrawer && "max-wide:mx-2 max-wide:h-px max-wide:overflow-hidden max-wide:bg-line max-wide:p-0",
                )}
              >
                {group}
              </p>
            )}
            {isOpen &&
              shown.map(({ href, name, icon }) => {
                const badge = waiting.get(href);
                return (
                  <Link
                    key={href}
                    href={href}
                    title={name}
                    onClick={() => onPick?.()}
                    aria-current={href === here ? "page" : undefined}
                    className={cx(
                      rowClass,
                      "relative",
                      href === here ? "bg-accent-soft font-semibold text-accent-text" : "text-muted hover:bg-skip-soft",
                    )}
                  >
                    <Icon name={icon} size={16} weight={2.1} />
                    <span className={nameClass}>{name}</span>
                    {badge && <Badge {...badge} isDrawer={isDrawer} />}
                  </Link>
                );
              })}
          </div>
        );
      })}
      <span className="min-h-3 flex-1" />
      <button type="button" onClick={onHelp} className={cx(rowClass, "shrink-0 text-muted hover:bg-skip-soft")}>
        <Icon name="help" size={16} weight={2.1} />
        <span className={cx(nameClass, "text-start")}>Help and shortcuts</span>
        <span className={isDrawer ? "hidden" : "max-wide:hidden"}>
          <Kbd keys="?" />
        </span>
      </button>
    </nav>
  );
}

function Badge({ text, isUrgent, isDrawer }: Waiting & { isDrawer: boolean }) {
  return (
    <>
      <span
        className={cx(
          "text-xs font-medium tabular-nums",
          isUrgent ? "min-w-5 rounded-full bg-bad-soft px-1.5 py-px text-center text-bad" : "text-muted",
          !isDrawer && "max-wide:sr-only",
        )}
      >
        {text}
      </span>
      {!isDrawer && (
        <span
          aria-hidden
          className={cx("absolute end-1.5 top-1 size-1.5 rounded-full wide:hidden", isUrgent ? "bg-bad" : "bg-accent")}
        />
      )}
    </>
  );
}
