import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { words } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import type { Search } from "../../ui/search-params.ts";
import { listOf, oneOf } from "../../ui/search-params.ts";
import { TextField } from "../../ui/text-field.tsx";
import { TokenField } from "../../ui/token-field.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import type { FilterDefinition } from "./order-filters.pick.ts";

type Props = { filter: FilterDefinition; search: Search; onApply(change: Search): void; isKept: boolean };

/** Editor of one filter. */
export function FilterEditor({ filter, search, onApply, isKept }: Props) {
  switch (filter.kind) {
    case "names":
      return (
        <Picks
          options={filter.options.map((id) => ({ id, name: words(id) }))}
          {...{ filter, search, onApply, isKept }}
        />
      );
    case "entity":
      return <EntityPicks {...{ filter, search, onApply, isKept }} />;
    case "texts":
      return <Texts {...{ filter, search, onApply, isKept }} />;
    case "tags":
      return <Tags {...{ filter, search, onApply, isKept }} />;
    case "range":
      return <Range {...{ filter, search, onApply, isKept }} />;
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

type Of<Kind extends FilterDefinition["kind"]> = Omit<Props, "filter"> & {
  filter: Extract<FilterDefinition, { kind: Kind }>;
};

const some = (values: readonly string[]): string[] | undefined => (values.length === 0 ? undefined : [...values]);

function Picks({
  filter,
  search,
  onApply,
  options,
}: Of<"names" | "entity"> & { options: Array<{ id: string; name: string }> }) {
  const isNot = listOf(search[filter.notParam]).length > 0;
  const [isNegated, setNegated] = useState(isNot);
  const param = isNegated ? filter.notParam : filter.param;
  const other = isNegated ? filter.param : filter.notParam;
  const chosen = listOf(search[param]);
  return (
    <fieldset className="flex flex-col">
      <legend className="mb-1 font-medium">{filter.title}</legend>
      <div className="max-h-64 overflow-y-auto">
        {options.map(({ id, name }) => (
          <div key={id}>
            <Checkbox
              label={name}
              isChecked={chosen.includes(id)}
              onChange={(isOn) =>
                onApply({
                  [param]: some(isOn ? [...chosen, id] : chosen.filter((one) => one !== id)),
                  [other]: undefined,
                })
              }
            />
          </div>
        ))}
        {options.length === 0 && <p className="text-muted">There is none yet.</p>}
      </div>
      <div className="mt-1 border-t border-line pt-1.5">
        <Checkbox
          label="All but these"
          isChecked={isNegated}
          onChange={(next) => {
            setNegated(next);
            onApply({ [next ? filter.notParam : filter.param]: some(chosen), [param]: undefined });
          }}
        />
      </div>
    </fieldset>
  );
}

function EntityPicks(props: Of<"entity">) {
  const { data } = useEntityNames(props.filter.entity);
  return <Picks {...props} options={data ?? []} />;
}

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

function Tags({ filter, search, onApply }: Of<"tags">) {
  const labels = { any: "At least one of", all: "All of", none: "None of" } as const;
  return (
    <div className="flex flex-col gap-2.5">
      {(Object.keys(labels) as Array<keyof typeof labels>).map((mode) => (
        <TokenField
          key={mode}
          label={labels[mode]}
          tokens={listOf(search[filter.params[mode]])}
          onChange={(tokens) => onApply({ [filter.params[mode]]: some(tokens) })}
          isAutoFocused={mode === "any"}
        />
      ))}
    </div>
  );
}

const shortcuts: Array<[name: string, from: string | undefined, to: string | undefined]> = [
  ["Over", undefined, "now"],
  ["Today", "today", "today+1"],
  ["Tomorrow", "today+1", "today+2"],
  ["Last 7 days", "today-6", undefined],
];

function Range({ filter, search, onApply, isKept }: Of<"range">) {
  const [from, setFrom] = useState(oneOf(search[filter.from]) ?? "");
  const [to, setTo] = useState(oneOf(search[filter.to]) ?? "");
  const apply = (first: string | undefined, last: string | undefined): void =>
    onApply({ [filter.from]: first || undefined, [filter.to]: last || undefined });
  return (
    <form
      className="flex flex-col gap-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        // Enter must not submit a form around it.
        event.stopPropagation();
        apply(from, to);
      }}
    >
      {!isKept && (
        <div className="flex flex-wrap gap-1">
          {shortcuts.map(([name, first, last]) => (
            <Button key={name} onClick={() => apply(first, last)}>
              {name}
            </Button>
          ))}
        </div>
      )}
      <TextField
        label={`${filter.title}: from`}
        hint={isKept ? "2027-03-14, or a time" : "2027-03-14, a time, now, today, today-7"}
        value={from}
        onChange={setFrom}
      />
      <TextField label="before" value={to} onChange={setTo} />
      <Button kind="primary" type="submit">
        Apply
      </Button>
    </form>
  );
}
