import type { RefObject } from "react";
import { lazy, Suspense, useEffect, useState } from "react";
import { Chip } from "../../ui/chip.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { FilterDefinition } from "./order-filters.ts";
import { chipText, orderFilters, paramsOf } from "./order-filters.ts";
import { text } from "./orders.text.ts";

const FilterEditor = lazy(async () => ({ default: (await import("./filter-editor.tsx")).FilterEditor }));

type Props = { search: Search; onChange(change: Search): void; searchBox: RefObject<HTMLInputElement | null> };

/** Every filter that is on, as a chip; a way to each of the others; a field for what people have in their hands. */
export function FilterBar({ search, onChange, searchBox }: Props) {
  const nameOf = useNames();
  const [editing, setEditing] = useState<string>();
  const shown = orderFilters.flatMap((filter) => {
    const value = chipText(filter, search, nameOf);
    return value === undefined ? [] : [{ filter, value }];
  });
  const drop = (filter: FilterDefinition): void =>
    onChange(Object.fromEntries(paramsOf(filter).map((param) => [param, undefined])));
  return (
    <div role="search" aria-label="Filters" className="mb-2.5 flex shrink-0 flex-wrap items-center gap-1.5">
      <SearchBox
        value={oneOf(search["search"]) ?? ""}
        onChange={(value) => onChange({ search: value || undefined })}
        box={searchBox}
      />
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
              <Suspense>
                <FilterEditor filter={filter} search={search} onApply={onChange} />
              </Suspense>
            </Popover>
          }
        />
      ))}
      <AddFilter
        filters={orderFilters.filter(
          (filter) => !shown.some((one) => one.filter.id === filter.id) || filter.id === editing,
        )}
        search={search}
        onChange={onChange}
        editing={editing}
        setEditing={setEditing}
      />
    </div>
  );
}

type AddProps = {
  filters: FilterDefinition[];
  search: Search;
  onChange(change: Search): void;
  editing: string | undefined;
  setEditing(id: string | undefined): void;
};

function AddFilter({ filters, search, onChange, editing, setEditing }: AddProps) {
  const filter = filters.find(({ id }) => id === editing);
  return (
    <Popover
      title="Add a filter"
      triggerClass="h-[26px] rounded-md border border-dashed border-edge px-2 text-muted hover:text-text"
      trigger="+ filter"
      onOpenChange={(isOpen) => !isOpen && setEditing(undefined)}
    >
      {filter ? (
        <Suspense>
          <FilterEditor filter={filter} search={search} onApply={onChange} />
        </Suspense>
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

function SearchBox({
  value,
  onChange,
  box,
}: {
  value: string;
  onChange(value: string): void;
  box: RefObject<HTMLInputElement | null>;
}) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  // The address has changed by other means: another view, or the way back.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return undefined;
    const timer = setTimeout(() => onChange(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed, value, onChange]);
  return (
    <span className="relative">
      <input
        ref={box}
        type="search"
        aria-label="Search orders"
        placeholder={text.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && box.current?.blur()}
        className="h-7 w-[230px] rounded-md border border-line-strong bg-raised px-2 pe-7"
      />
      <span className="pointer-events-none absolute inset-y-0 end-1.5 grid place-items-center">
        <Kbd keys="/" />
      </span>
    </span>
  );
}

function useNames(): (id: string) => string {
  const lists = [useEntityNames("location").data, useEntityNames("bridge").data, useEntityNames("user").data];
  const names = new Map(lists.flatMap((list) => list ?? []).map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? id;
}
