import type { ReactNode } from "react";
import { useState } from "react";
import { Button } from "./button.tsx";
import { Chip } from "./chip.tsx";
import { sentence, words } from "./format.ts";
import { Icon } from "./icons.tsx";
import { Popover } from "./popover.tsx";
import { SearchBox } from "./search-box.tsx";
import type { Search } from "./search-params.ts";
import { oneOf, useSearchParams } from "./search-params.ts";
import { TextField } from "./text-field.tsx";
import { cx } from "./class-names.ts";
import { addFilterClass, itemClass } from "./popup-class.ts";

/** A list filter, stored in the address. */
export type ListFilter =
  | { kind: "choice"; param: string; title: string; options: ReadonlyArray<{ value: string; label: string }> }
  | { kind: "text"; param: string; title: string }
  | { kind: "days"; from: string; to: string; title: string };

const paramsOf = (filter: ListFilter): string[] => (filter.kind === "days" ? [filter.from, filter.to] : [filter.param]);

function chipOf(filter: ListFilter, search: Search): string | undefined {
  const [first, last] = paramsOf(filter).map((param) => oneOf(search[param]));
  if (filter.kind === "days") {
    if (!first && !last) return undefined;
    return [first && `from ${first}`, last && `to ${last}`].filter(Boolean).join(" ");
  }
  if (first === undefined) return undefined;
  return filter.kind === "choice"
    ? (filter.options.find(({ value }) => value === first)?.label ?? words(first))
    : first;
}

/** List filters: search field, chips of active filters, and a menu for the others. */
export function Filters({ filters, placeholder }: { filters: readonly ListFilter[]; placeholder?: string }) {
  const { search, set } = useSearchParams();
  const put = (change: Search): void => set({ ...change, page: undefined });
  const on = filters.flatMap((filter) => {
    const value = chipOf(filter, search);
    return value === undefined ? [] : [{ filter, value }];
  });
  const off = filters.filter((filter) => !on.some((one) => one.filter === filter));
  return (
    <div role="search" aria-label="Filters" className="mb-2.5 flex shrink-0 flex-wrap items-center gap-1.5">
      {placeholder && (
        <div className="w-64">
          <SearchBox label={placeholder} />
        </div>
      )}
      {on.map(({ filter, value }) => (
        <Chip
          key={filter.title}
          name={filter.title}
          value={value}
          onDrop={() => put(Object.fromEntries(paramsOf(filter).map((param) => [param, undefined])))}
        />
      ))}
      {off.length > 0 && (
        <Popover
          title="Add a filter"
          triggerClass={addFilterClass}
          trigger={
            <>
              <Icon name="filter" size={13} /> Filter
            </>
          }
        >
          {(close) => <AddFilter filters={off} search={search} onApply={(change) => (put(change), close())} />}
        </Popover>
      )}
    </div>
  );
}

function AddFilter({
  filters,
  search,
  onApply,
}: {
  filters: readonly ListFilter[];
  search: Search;
  onApply(change: Search): void;
}) {
  const [picked, setPicked] = useState<ListFilter>();
  if (!picked) {
    return (
      <Lines>
        {filters.map((filter) => (
          <Line key={filter.title} onPick={() => setPicked(filter)}>
            {filter.title}
          </Line>
        ))}
      </Lines>
    );
  }
  if (picked.kind === "choice") {
    return (
      <Lines>
        {picked.options.map(({ value, label }) => (
          <Line key={value} onPick={() => onApply({ [picked.param]: value })}>
            {/[A-Z]/.test(label) ? label : sentence(label)}
          </Line>
        ))}
      </Lines>
    );
  }
  return <Typed filter={picked} search={search} onApply={onApply} />;
}

function Typed({
  filter,
  search,
  onApply,
}: {
  filter: Exclude<ListFilter, { kind: "choice" }>;
  search: Search;
  onApply(change: Search): void;
}) {
  const names = paramsOf(filter);
  const [values, setValues] = useState(() => names.map((name) => oneOf(search[name]) ?? ""));
  return (
    <form
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        onApply(Object.fromEntries(names.map((name, at) => [name, values[at]?.trim() || undefined])));
      }}
    >
      {names.map((name, at) => (
        <TextField
          key={name}
          type={filter.kind === "days" ? "date" : "text"}
          label={filter.kind === "days" ? `${filter.title} ${at === 0 ? "from" : "to"}` : filter.title}
          value={values[at] ?? ""}
          onChange={(value) => setValues(values.map((one, index) => (index === at ? value : one)))}
        />
      ))}
      <Button kind="primary" type="submit">
        Apply
      </Button>
    </form>
  );
}

const Lines = ({ children }: { children: ReactNode }) => (
  <div className="-m-2 flex max-h-80 flex-col overflow-y-auto">{children}</div>
);

function Line({ onPick, children }: { onPick(): void; children: ReactNode }) {
  return (
    <button type="button" onClick={onPick} className={cx(itemClass, "w-full text-start hover:bg-accent-soft")}>
      {children}
    </button>
  );
}
