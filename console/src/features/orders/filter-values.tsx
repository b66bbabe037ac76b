import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "../../ui/checkbox.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { Search } from "../../ui/search-params.ts";
import { listOf } from "../../ui/search-params.ts";
import { inputClass } from "../../ui/text-field.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useClock } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { FilterDefinition } from "./order-filters.pick.ts";
import { filterOf, valueName } from "./order-filters.pick.ts";
import type { FacetField } from "./orders.queries.ts";
import { facetsQuery } from "./orders.queries.ts";

export type ValueFilter = Extract<FilterDefinition, { kind: "names" | "texts" | "entity" | "tags" }>;
type Mode = { label: string; param: string };
type Option = { value: string; name: string; count?: number | undefined };

const modesOf = (filter: ValueFilter): Mode[] =>
  filter.kind === "tags"
    ? [
        { label: "Any of", param: filter.params.any },
        { label: "All of", param: filter.params.all },
        { label: "None of", param: filter.params.none },
      ]
    : [
        { label: "Any of", param: filter.param },
        { label: "None of", param: filter.notParam },
      ];

/** Values that can be typed, and are searched in the hub. The others are a known list. */
const isTyped = (filter: ValueFilter): boolean =>
  filter.kind === "tags" || (filter.kind === "texts" && filter.id !== "country");

const some = (values: readonly string[]): string[] | undefined => (values.length === 0 ? undefined : [...values]);

type Props = { filter: ValueFilter; search: Search; onApply(change: Search): void };

/** Values of a field with their number of orders. Several values are alternatives, unless the mode says otherwise. */
export function FilterValues({ filter, search, onApply }: Props) {
  const modes = modesOf(filter);
  const [mode, setMode] = useState(() => modes.find(({ param }) => listOf(search[param]).length > 0) ?? modes[0]!);
  const [typed, setTyped] = useState("");
  const chosen = listOf(search[mode.param]);
  const { options, error, isCapped, total, isLoading } = useOptions(filter, search, typed.trim(), chosen);
  const toggle = (value: string, isOn: boolean): void =>
    onApply({ [mode.param]: some(isOn ? [...chosen, value] : chosen.filter((one) => one !== value)) });
  const switchTo = (next: Mode): void => {
    setMode(next);
    if (next.param !== mode.param)
      onApply({
        [mode.param]: undefined,
        [next.param]: some([...new Set([...listOf(search[next.param]), ...chosen])]),
      });
  };
  // Until the values have come, the typed one may be among them, in other letters.
  const isNew = isTyped(filter) && typed.trim() !== "" && !isLoading && !options.some(isNamed(typed));
  return (
    <>
      <input
        type="search"
        // The popover was opened to search.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus
        aria-label={`Search values of ${filter.title}`}
        placeholder={total > 0 ? `Search ${formatCount(total)} values` : "Search values"}
        maxLength={100}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={inputClass}
      />
      <div role="radiogroup" aria-label="Orders with" className="flex gap-1 py-1.5">
        {modes.map((one) => (
          <button
            key={one.label}
            type="button"
            role="radio"
            aria-checked={one.param === mode.param}
            onClick={() => switchTo(one)}
            className={cx(
              "h-6 rounded-md px-2 text-sm",
              one.param === mode.param ? "bg-skip-soft font-medium text-text" : "text-muted hover:text-text",
            )}
          >
            {one.label}
          </button>
        ))}
      </div>
      {error && <ProblemBox error={error} />}
      <ul aria-label={`Values of ${filter.title}`}>
        {options.map(({ value, name, count }) => (
          <li
            key={value}
            className="flex min-h-7 items-center justify-between gap-2 rounded-md px-1 hover:bg-skip-soft"
          >
            <span className="min-w-0 flex-1 [&>label]:flex [&_span]:truncate" title={name}>
              <Checkbox label={name} isChecked={chosen.includes(value)} onChange={(isOn) => toggle(value, isOn)} />
            </span>
            {count !== undefined && (
              <span className="text-sm text-muted tabular-nums">
                {formatCount(count)}
                {isCapped && count > 0 && "+"}
              </span>
            )}
          </li>
        ))}
        {isNew && (
          <li className="px-1">
            <Checkbox label={`Use "${typed.trim()}"`} isChecked={false} onChange={() => toggle(typed.trim(), true)} />
          </li>
        )}
      </ul>
      {options.length === 0 && !isNew && !isLoading && !error && (
        <p className="px-1 py-1.5 text-muted">{typed ? "No value matches." : "No order has a value here."}</p>
      )}
    </>
  );
}

const isNamed =
  (typed: string) =>
  ({ value }: Option): boolean =>
    value.toLowerCase() === typed.trim().toLowerCase();

/** Chosen values that the hub did not count come first, so that they can be taken out. */
function useOptions(filter: ValueFilter, search: Search, typed: string, chosen: string[]) {
  const clock = useClock();
  const field = (filter.kind === "tags" ? "tag" : filter.param) as FacetField;
  const valueSearch = useDebounced(isTyped(filter) ? typed : "");
  const { data, error, isPlaceholderData } = useQuery(facetsQuery(field, filterOf(search, clock), valueSearch));
  const { data: records } = useEntityNames(filter.kind === "entity" ? filter.entity : "location");
  const countOf = new Map((data?.values ?? []).map(({ value, count }) => [value, count]));
  const known =
    filter.kind === "entity"
      ? (records ?? []).map(({ id, name }): Option => ({ value: id, name }))
      : filter.kind === "names"
        ? filter.options.map((value): Option => ({ value, name: valueName(filter, value) }))
        : [];
  const nameOf = new Map(known.map(({ value, name }) => [value, name]));
  const counted = (data?.values ?? []).map(({ value, count }): Option => ({
    value,
    name: nameOf.get(value) ?? valueName(filter, value),
    count,
  }));
  const isCounted = (value: string): boolean =>
    countOf.has(value) || counted.some((one) => isNamed(value)(one) && filter.kind === "tags");
  const missing = chosen
    .filter((value) => !isCounted(value))
    .map((value): Option => ({ value, name: nameOf.get(value) ?? valueName(filter, value) }));
  const others = known
    .filter(({ value }) => !countOf.has(value) && !chosen.includes(value))
    .map((option): Option => ({ ...option, count: data ? 0 : undefined }));
  const isWanted = ({ name }: Option): boolean => name.toLowerCase().includes(typed.toLowerCase());
  const options = [...missing, ...counted, ...others];
  return {
    options: options.filter(isWanted),
    total: options.length,
    error,
    isLoading: !error && (!data || isPlaceholderData || (isTyped(filter) && valueSearch !== typed)),
    isCapped: data?.isCapped ?? false,
  };
}
