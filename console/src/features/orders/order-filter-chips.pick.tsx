import type { ReactNode } from "react";
import { lazy, Suspense } from "react";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Popover } from "../../ui/popover.tsx";
import { addFilterClass } from "../../ui/popup-class.ts";
import type { Search } from "../../ui/search-params.ts";
import { useClock } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { FilterDefinition } from "./order-filters.pick.ts";
import { chipText, orderFilters, paramsOf } from "./order-filters.pick.ts";
import { loadPart } from "../../ui/load-part.ts";

const FilterPanel = lazy(loadPart(async () => ({ default: (await import("./filter-panel.tsx")).FilterPanel })));

type Props = {
  search: Search;
  onChange(change: Search): void;
  /** Saved filters use fixed times instead of "today". */
  isKept?: boolean;
  /** Opens the panel by a key. */
  adding?: { isOpen: boolean; onOpenChange(isOpen: boolean): void };
};

/** Active order filters as chips that open their values, and a button for all of them. */
export function OrderFilterChips({ search, onChange, isKept = false, adding }: Props) {
  const nameOf = useNames();
  const clock = useClock();
  const shown = orderFilters.flatMap((filter) => {
    const value = chipText(filter, search, nameOf, clock);
    return value === undefined ? [] : [{ filter, value }];
  });
  const dropped = (filters: FilterDefinition[]): Search =>
    Object.fromEntries(filters.flatMap(paramsOf).map((param) => [param, undefined]));
  const panel =
    (start?: string) =>
    (close: () => void): ReactNode => (
      <Suspense>
        <FilterPanel {...{ search, start, isKept }} onApply={onChange} onClose={close} />
      </Suspense>
    );
  return (
    <>
      {shown.map(({ filter, value }) => (
        <Chip
          key={filter.id}
          name={filter.title}
          value={value}
          onDrop={() => onChange(dropped([filter]))}
          editor={
            <Popover
              title={filter.title}
              isWide
              triggerClass="min-w-0 h-6 truncate rounded-md ps-2"
              trigger={
                <>
                  <span className="text-muted">{filter.title}</span> {value}
                </>
              }
            >
              {panel(filter.id)}
            </Popover>
          }
        />
      ))}
      <Popover
        title="Filter"
        isWide
        triggerClass={addFilterClass}
        trigger={
          <>
            <Icon name="filter" size={13} /> Filter {adding && <Kbd keys="f" />}
          </>
        }
        {...adding}
      >
        {panel()}
      </Popover>
      {shown.length > 0 && (
        <Button kind="quiet" className="h-[26px]" onClick={() => onChange(dropped(shown.map(({ filter }) => filter)))}>
          Clear
        </Button>
      )}
    </>
  );
}

function useNames(): (id: string) => string {
  const lists = [useEntityNames("location").data, useEntityNames("bridge").data, useEntityNames("user").data];
  const names = new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
