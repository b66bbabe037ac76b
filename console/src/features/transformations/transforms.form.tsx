import { useState } from "react";
import { IconButton } from "../../ui/button.tsx";
import { valueText } from "../../ui/change-text.ts";
import { words } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { Select } from "../../ui/select.tsx";
import type { TransformInfo } from "./transformations.queries.ts";

type Step = string | Record<string, unknown>;

const nameOf = (step: Step): string => (typeof step === "string" ? step : (Object.keys(step)[0] ?? ""));
const paramsOf = (step: Step): unknown => (typeof step === "string" ? undefined : Object.values(step)[0]);

/** Short text of a step: "trim", "round 2". */
export function transformText(step: unknown): string {
  if (typeof step !== "string" && (typeof step !== "object" || step === null)) return String(step);
  const params = paramsOf(step as Step);
  return [words(nameOf(step as Step)), params === undefined ? "" : valueText(params)].join(" ").trim();
}

/** Transforms that are applied in order, from the hub's catalog. */
export function TransformsForm({
  catalog,
  value,
  onChange,
}: {
  catalog: readonly TransformInfo[] | undefined;
  value: unknown;
  onChange(value: Step[] | undefined): void;
}) {
  const steps = Array.isArray(value) ? (value as Step[]) : [];
  const [open, setOpen] = useState<number>();
  const set = (next: Step[]): void => onChange(next.length === 0 ? undefined : next);
  const add = (name: string): void => {
    if (name === "") return;
    const required =
      (catalog?.find((one) => one.name === name)?.paramsSchema as FormSchema | undefined)?.required ?? [];
    set([...steps, required.length > 0 ? { [name]: {} } : name]);
    setOpen(required.length > 0 ? steps.length : undefined);
  };
  return (
    <div className="flex flex-col gap-1.5">
      <Select
        label="Steps"
        value=""
        placeholder={steps.length === 0 ? "Add a step, such as trim" : "Add a step"}
        options={(catalog ?? []).map((one) => ({ value: one.name, label: words(one.name), note: one.group }))}
        onChange={add}
      />
      {steps.length > 0 && (
        <ol className="flex flex-col gap-1">
          {steps.map((step, at) => (
            <li key={at} className="rounded-md bg-skip-soft px-2 py-1">
              <div className="flex items-center gap-1.5">
                <span className="text-sm text-faint">{at + 1}</span>
                <button
                  type="button"
                  aria-expanded={open === at}
                  onClick={() => setOpen(open === at ? undefined : at)}
                  className="min-h-6 flex-1 text-start"
                >
                  {transformText(step)}
                </button>
                <IconButton
                  label={`Remove step ${at + 1}`}
                  onClick={() => set(steps.filter((_, index) => index !== at))}
                >
                  <Icon name="x" size={12} />
                </IconButton>
              </div>
              {open === at && (
                <Params
                  info={catalog?.find((one) => one.name === nameOf(step))}
                  step={step}
                  onChange={(next) => set(steps.map((one, index) => (index === at ? next : one)))}
                />
              )}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function Params({ info, step, onChange }: { info: TransformInfo | undefined; step: Step; onChange(step: Step): void }) {
  if (!info) return <p className="text-sm text-muted">The hub does not know this step. It is kept unchanged.</p>;
  const given = paramsOf(step);
  const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
  // A bare value is the default parameter.
  const params = isObject
    ? (given as Record<string, unknown>)
    : given === undefined || info.defaultParam === undefined
      ? {}
      : { [info.defaultParam]: given };
  return (
    <div className="flex flex-col gap-2 pb-1.5">
      <p className="text-sm text-muted">{info.description}</p>
      <SchemaForm
        schema={info.paramsSchema}
        value={params}
        // Keep empty text: a replacement can be empty.
        onChange={(next) =>
          onChange({ [info.name]: Object.fromEntries(Object.entries(next).filter(([, one]) => one !== undefined)) })
        }
      />
    </div>
  );
}
