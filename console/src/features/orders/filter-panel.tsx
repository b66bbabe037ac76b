import { useQuery } from "@tanstack/react-query";
import type { KeyboardEvent } from "react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import type { Search } from "../../ui/search-params.ts";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useClock } from "../../ui/zone.tsx";
import { boundProblem, FilterEditor } from "./filter-editor.tsx";
import { filterOf, orderFilters, paramsOf } from "./order-filters.pick.ts";
import { orderCountsQuery } from "./orders.queries.ts";

type Props = {
  search: Search;
  onApply(change: Search): void;
  onClose(): void;
  /** The field that is shown first. */
  start?: string | undefined;
  /** Saved filters use fixed times instead of "today". */
  isKept: boolean;
};

/** All filters: the field on the left, its values on the right, and how many orders match. Nothing changes before Apply. */
export function FilterPanel({ search, onApply, onClose, start = "status", isKept }: Props) {
  const [draft, setDraft] = useState(search);
  const [fieldId, setFieldId] = useState(start);
  const filter = orderFilters.find(({ id }) => id === fieldId) ?? orderFilters[0]!;
  const problem = orderFilters.map((one) => boundProblem(one, draft)).find(Boolean);
  const apply = (): void => {
    if (problem) return;
    const params = orderFilters.flatMap(paramsOf);
    onApply(Object.fromEntries(params.map((param) => [param, draft[param]])));
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isField = (event.target as HTMLElement).tagName === "INPUT";
    const isApply = event.key === "Enter" && (isField || event.ctrlKey || event.metaKey);
    if (!isApply || event.defaultPrevented) return;
    event.preventDefault();
    // Enter must not submit a form around it.
    event.stopPropagation();
    apply();
  };
  return (
    // The fields inside have the focus.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div onKeyDown={onKeyDown} className="-m-3 flex max-h-[min(420px,70vh)] flex-col">
      <div className="flex min-h-0 flex-1 max-sm:flex-col">
        <ul
          aria-label="Fields"
          className="w-36 shrink-0 overflow-y-auto border-line p-1.5 max-sm:flex max-sm:w-full max-sm:overflow-x-auto max-sm:border-b sm:border-e"
        >
          {orderFilters.map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                aria-current={id === filter.id ? "true" : undefined}
                onClick={() => setFieldId(id)}
                className={cx(
                  "flex min-h-7 w-full items-center justify-between rounded-md px-2 text-start whitespace-nowrap",
                  id === filter.id ? "bg-accent-soft font-medium text-accent-text" : "text-muted hover:bg-skip-soft",
                )}
              >
                {title}
                {id === filter.id && <Icon name="chevron-right" size={12} />}
              </button>
            </li>
          ))}
        </ul>
        <div
          role="group"
          aria-label={filter.title}
          className="flex min-h-52 min-w-0 flex-1 flex-col overflow-y-auto p-2"
        >
          <FilterEditor
            key={filter.id}
            filter={filter}
            search={draft}
            onApply={(change) => setDraft((before) => ({ ...before, ...change }))}
            isKept={isKept}
          />
        </div>
      </div>
      <div className="flex items-center gap-2 border-t border-line px-3 py-2">
        <Matching search={search} draft={draft} isHeld={problem !== undefined} />
        <span className="flex-1" />
        <Button kind="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button kind="primary" keys="Enter" onClick={apply} disabledReason={problem}>
          Apply
        </Button>
      </div>
    </div>
  );
}

/** "181 of 431 orders match". */
function Matching({ search, draft, isHeld }: { search: Search; draft: Search; isHeld: boolean }) {
  const clock = useClock();
  const settled = useDebounced(draft);
  const next = useQuery({ ...orderCountsQuery(filterOf(settled, clock)), enabled: !isHeld });
  const now = useQuery(orderCountsQuery(filterOf(search, clock)));
  const textOf = ({ total, isCapped }: { total: number; isCapped: boolean }): string =>
    `${formatCount(total)}${isCapped ? "+" : ""}`;
  if (!next.data || !now.data) return <span className="text-sm text-muted">Counting…</span>;
  const of = next.data.total === now.data.total ? "" : ` of ${textOf(now.data)}`;
  return (
    <span aria-live="polite" className="text-sm text-muted">
      {`${textOf(next.data)}${of} ${next.data.total === 1 && !of ? "order matches" : "orders match"}`}
    </span>
  );
}
