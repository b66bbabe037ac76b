import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "../../ui/checkbox.tsx";
import { plural, sentence, words } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { EventKind } from "./webhooks.queries.ts";
import { eventTypesQuery } from "./webhooks.queries.ts";

type Props = {
  value: readonly string[];
  onChange(types: string[]): void;
  error?: string | undefined;
  /** Limits the choice to these families, in this order. */
  only?: readonly string[];
};

/** Names of the console, where they differ from those of the API. */
const familyNames: Record<string, string> = {
  bridge: "connection",
  transformation: "field mapping",
  condition_set: "value list",
  operation_run: "run",
  pipeline: "preset",
  task_execution: "task",
};

/** Singular and plural types share a family: `order.created` and `orders.created`. */
const familyOf = (type: string): string => type.split(".", 1)[0]!.replace(/s$/, "");

/** Event types by family. Subscribing to a family includes types added later. */
export function EventTypesPick({ value, onChange, error, only }: Props) {
  const { data = [], error: failed } = useQuery(eventTypesQuery);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const kinds = data.filter(
    ({ type, summary }) =>
      (!only || only.includes(familyOf(type))) && `${type} ${summary}`.toLowerCase().includes(wanted),
  );
  const found = [...Map.groupBy(kinds, ({ type }) => familyOf(type))];
  const families = only ? found.toSorted(([a], [b]) => only.indexOf(a) - only.indexOf(b)) : found;
  const put = (type: string, isOn: boolean): void => {
    const family = `${familyOf(type)}.*`;
    const rest = value.filter((one) => one !== type && !(type === family && familyOf(one) === familyOf(type)));
    onChange(isOn ? [...rest, type] : rest);
  };
  if (failed) return <ProblemBox error={failed} />;
  return (
    <fieldset className="rounded-md border border-line px-3 pt-1 pb-2">
      <legend className="px-1 text-sm font-medium text-muted">
        Events {value.length > 0 && `(${plural(value.length, "selected", "selected")})`}
      </legend>
      {error && <p className="mb-1 text-sm text-bad">{error}</p>}
      {data.length > 12 && (
        <div className="mb-2">
          <TextField
            label="Find an event"
            isLabelHidden
            placeholder="Find an event"
            value={typed}
            onChange={setTyped}
          />
        </div>
      )}
      {/* Focusable, so that it can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="relative max-h-80 overflow-y-auto" role="group" aria-label="Events" tabIndex={0}>
        {families.map(([family, list]) => (
          <Family key={family} family={family} kinds={list} value={value} put={put} />
        ))}
        {kinds.length === 0 && data.length > 0 && <p className="py-2 text-muted">No events match.</p>}
      </div>
    </fieldset>
  );
}

/** Events of a subscription in words. */
export function useEventNames(): (types: readonly string[]) => string {
  const { data = [] } = useQuery(eventTypesQuery);
  const nameOf = (type: string): string => {
    if (type === "*") return "all events";
    const [family = "", what] = type.split(".", 2);
    if (what === "*") return `all ${familyNames[family] ?? words(family)} events`;
    return `“${data.find((kind) => kind.type === type)?.summary ?? words(type.replace(".", " "))}”`;
  };
  return (types) => types.map(nameOf).join(", ");
}

type FamilyProps = {
  family: string;
  kinds: readonly EventKind[];
  value: readonly string[];
  put(type: string, isOn: boolean): void;
};

function Family({ family, kinds, value, put }: FamilyProps) {
  const whole = `${family}.*`;
  const isWhole = value.includes(whole);
  return (
    <section className="mb-2 border-b border-line pb-1.5 last:mb-0 last:border-b-0">
      <Checkbox
        label={`All ${familyNames[family] ?? sentence(family).toLowerCase()} events, including future ones`}
        isChecked={isWhole}
        onChange={(isOn) => put(whole, isOn)}
      />
      {!isWhole && (
        <div className="ms-5 grid gap-x-3 sm:grid-cols-2">
          {kinds.map(({ type, summary }) => (
            <div key={type} className="min-w-0">
              <Checkbox label={type} isChecked={value.includes(type)} onChange={(isOn) => put(type, isOn)} />
              <p className="ms-5 truncate text-sm text-faint" title={summary}>
                {summary}
              </p>
            </div>
          ))}
        </div>
      )}
    </section>
  );
}
