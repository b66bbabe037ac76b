import type { ReactNode } from "react";
import { lazy, Suspense, useState } from "react";
import { Chip } from "../../ui/chip.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { Search } from "../../ui/search-params.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { FilterDefinition } from "./order-filters.pick.ts";
import { chipText, orderFilters, paramsOf } from "./order-filters.pick.ts";

const FilterEditor = lazy(async () => ({ default: (await import("./filter-editor.tsx")).FilterEditor }));

type Props = {
  search: Search;
  onChange(change: Search): void;
  /** Saved filters use fixed times instead of "today". */
  isKept?: boolean;
};

/** Active order filters as chips that open their editor, and a menu for the others. */
export function OrderFilterChips({ search, onChange, isKept = false }: Props) {
  const nameOf = useNames();
  const [editing, setEditing] = useState<string>();
  const shown = orderFilters.flatMap((filter) => {
    const value = chipText(filter, search, nameOf);
    return value === undefined ? [] : [{ filter, value }];
  });
  const drop = (filter: FilterDefinition): void =>
    onChange(Object.fromEntries(paramsOf(filter).map((param) => [param, undefined])));
  const editor = (filter: FilterDefinition): ReactNode => (
    <Suspense>
      <FilterEditor filter={filter} search={search} onApply={onChange} isKept={isKept} />
    </Suspense>
  );
  return (
    <>
      {shown.map(({ filter, value }) => (
        <Chip
          key={filter.id}
          name={filter.title}
          value={value}
          onDrop={() => drop(filter)}
          editor={
            <Popover
              title={filter.title}
              triggerClass="min-w-0 h-6 truncate rounded-md ps-2"
              trigger={
                <>
                  <span className="text-muted">{filter.title}</span> {value}
                </>
              }
            >
              {editor(filter)}
            </Popover>
          }
        />
      ))}
      <AddFilter
        filters={orderFilters.filter(
          (filter) => !shown.some((one) => one.filter.id === filter.id) || filter.id === editing,
        )}
        editor={editor}
        editing={editing}
        setEditing={setEditing}
      />
    </>
  );
}

type AddProps = {
  filters: FilterDefinition[];
  editor(filter: FilterDefinition): ReactNode;
  editing: string | undefined;
  setEditing(id: string | undefined): void;
};

function AddFilter({ filters, editor, editing, setEditing }: AddProps) {
  const filter = filters.find(({ id }) => id === editing);
  return (
    <Popover
      title="Add a filter"
      triggerClass="h-[26px] rounded-md border border-dashed border-edge px-2 text-muted hover:text-text"
      trigger="+ filter"
      onOpenChange={(isOpen) => !isOpen && setEditing(undefined)}
    >
      {filter ? (
        editor(filter)
      ) : (
        <ul className="-m-2 max-h-80 overflow-y-auto">
          {filters.map(({ id, title }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => setEditing(id)}
                className="flex min-h-7 w-full items-center rounded-md px-2 hover:bg-accent-soft"
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}

function useNames(): (id: string) => string {
  const lists = [useEntityNames("location").data, useEntityNames("bridge").data, useEntityNames("user").data];
  const names = new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
