import { Button } from "../../ui/button.tsx";
import { InstantField, instantProblem } from "../../ui/instant-field.tsx";
import { readInstant } from "../../ui/instant-text.ts";
import { Select } from "../../ui/select.tsx";
import type { Search } from "../../ui/search-params.ts";
import { listOf, oneOf } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import { FilterValues } from "./filter-values.tsx";
import type { FilterDefinition } from "./order-filters.pick.ts";

type Props = { filter: FilterDefinition; search: Search; onApply(change: Search): void; isKept: boolean };

/** Editor of one filter. */
export function FilterEditor({ filter, search, onApply, isKept }: Props) {
  switch (filter.kind) {
    case "names":
    case "entity":
    case "tags":
      return <FilterValues {...{ filter, search, onApply }} />;
    case "texts":
      return filter.isCounted ? (
        <FilterValues {...{ filter, search, onApply }} />
      ) : (
        <Texts {...{ filter, search, onApply }} />
      );
    case "range":
      return <Range {...{ filter, search, onApply, isKept }} />;
    case "bounds":
      return <Bounds {...{ filter, search, onApply }} />;
    case "flag":
      return (
        <Select
          label={filter.title}
          value={oneOf(search[filter.param]) ?? ""}
          options={[
            { value: "true", label: filter.yes },
            { value: "false", label: filter.no },
          ]}
          onChange={(value) => onApply({ [filter.param]: value || undefined })}
        />
      );
    case "choice":
      return (
        <Select
          label={filter.title}
          value={oneOf(search[filter.param]) ?? ""}
          options={Object.entries(filter.options).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onApply({ [filter.param]: value || undefined })}
        />
      );
  }
}

type Of<Kind extends FilterDefinition["kind"]> = Pick<Props, "search" | "onApply"> & {
  filter: Extract<FilterDefinition, { kind: Kind }>;
};

const some = (values: readonly string[]): string[] | undefined => (values.length === 0 ? undefined : [...values]);

function Texts({ filter, search, onApply }: Of<"texts">) {
  return (
    <div className="flex flex-col gap-2.5">
      <TokenField
        label={filter.title}
        hint={filter.hint}
        tokens={listOf(search[filter.param])}
        onChange={(tokens) => onApply({ [filter.param]: some(tokens) })}
        isAutoFocused
      />
      <TokenField
        label="Not"
        tokens={listOf(search[filter.notParam])}
        onChange={(tokens) => onApply({ [filter.notParam]: some(tokens) })}
      />
    </div>
  );
}

type Shortcut = [name: string, from: string | undefined, to: string | undefined];
const dueShortcuts: Shortcut[] = [
  ["Late", undefined, "now"],
  ["Today", "today", "today+1"],
  ["Tomorrow", "today+1", "today+2"],
  ["Next 7 days", "today", "today+7"],
];
const pastShortcuts: Shortcut[] = [
  ["Today", "today", undefined],
  ["Yesterday", "today-1", "today"],
  ["Last 7 days", "today-6", undefined],
  ["Last 30 days", "today-29", undefined],
];

/** Times that move with the day; saved filters use fixed ones. */
const relativeTime = /^(?:now|today(?:[+-]\d{1,4})?)$/;
const never = /^(?!)/;

function Range({ filter, search, onApply, isKept }: Of<"range"> & Pick<Props, "isKept">) {
  const put = (from: string | undefined, to: string | undefined): void =>
    onApply({ [filter.from]: from || undefined, [filter.to]: to || undefined });
  const [from, to] = [oneOf(search[filter.from]) ?? "", oneOf(search[filter.to]) ?? ""];
  return (
    <div className="flex flex-col gap-2.5">
      {!isKept && (
        <div className="flex flex-wrap gap-1">
          {(filter.isDue ? dueShortcuts : pastShortcuts).map(([name, first, last]) => (
            <Button key={name} onClick={() => put(first, last)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      <InstantField
        label={`${filter.title} from`}
        hint={isKept ? undefined : "A date, a date and time, today, or today-7"}
        kind="either"
        words={isKept ? never : relativeTime}
        value={from}
        onChange={(value) => put(value, to)}
      />
      <InstantField
        label={`${filter.title} before`}
        kind="either"
        words={isKept ? never : relativeTime}
        value={to}
        onChange={(value) => put(from, value)}
      />
    </div>
  );
}

const forms = {
  money: { pattern: /^\d{1,12}(\.\d{1,2})?$/, text: "Enter an amount, such as 49.90." },
  weight: { pattern: /^\d{1,7}(\.\d{1,6})? ?(g|kg|oz|lb)$/, text: "Enter a weight with its unit, such as 2.5 lb." },
};

/** Why a filter cannot be applied. */
export function boundProblem(filter: FilterDefinition, search: Search): string | undefined {
  if (filter.kind !== "bounds" && filter.kind !== "range") return undefined;
  const values = [oneOf(search[filter.from]), oneOf(search[filter.to])];
  if (filter.kind === "range") {
    const isTime = (value: string | undefined): boolean =>
      value === undefined || relativeTime.test(value) || readInstant("either", value, "UTC") !== undefined;
    return values.every(isTime) ? undefined : `${filter.title}: ${instantProblem("either")}`;
  }
  return values.every((value) => value === undefined || forms[filter.unit].pattern.test(value))
    ? undefined
    : `${filter.title}: ${forms[filter.unit].text}`;
}

function Bounds({ filter, search, onApply }: Of<"bounds">) {
  const { pattern, text } = forms[filter.unit];
  const field = (param: string) => {
    const value = oneOf(search[param]) ?? "";
    return {
      value,
      error: value === "" || pattern.test(value) ? undefined : text,
      onChange: (next: string) => onApply({ [param]: next.trim() === "" ? undefined : next }),
    };
  };
  return (
    <div className="flex flex-col gap-2.5">
      <TextField label={`${filter.title} at least`} hint={text} {...field(filter.from)} />
      <TextField label={`${filter.title} at most`} {...field(filter.to)} />
    </div>
  );
}
