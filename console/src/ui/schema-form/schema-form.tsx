import type { ReactNode } from "react";
import { lazy, Suspense } from "react";
import { Button, IconButton } from "../button.tsx";
import { Checkbox } from "../checkbox.tsx";
import { errorAt } from "../field-errors.ts";
import { Fold } from "../fold.tsx";
import { sentence, words } from "../format.ts";
import { Icon } from "../icons.tsx";
import type { InstantKind } from "../instant-text.ts";
import { Select } from "../select.tsx";
import { Switch } from "../switch.tsx";
import { TextArea, TextField } from "../text-field.tsx";
import { TokenField } from "../token-field.tsx";
import { PairsField } from "./pairs-field.tsx";
import type { FormSchema } from "./schema.ts";
import { kindOf, plainSchema, withoutEmpty } from "./schema.ts";
import { loadPart } from "../load-part.ts";

/** Picker for record IDs, provided by the features. */
export type EntityPicker = (given: {
  entity: string;
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: string;
  onChange(value: string | null): void;
}) => ReactNode;

type Props = {
  schema: FormSchema;
  value: Record<string, unknown>;
  onChange(value: Record<string, unknown>): void;
  /** Errors by pointer relative to this form: "/tags/0". */
  errors?: ReadonlyMap<string, string>;
  pickEntity?: EntityPicker;
  pointer?: string;
};

/** Form generated from a JSON schema. Required fields come first. */
export function SchemaForm({ schema, value, onChange, errors = new Map(), pickEntity, pointer = "" }: Props) {
  const fields = Object.entries(schema.properties ?? {});
  const isRequired = (name: string): boolean => schema.required?.includes(name) ?? false;
  const ordered = [...fields.filter(([name]) => isRequired(name)), ...fields.filter(([name]) => !isRequired(name))];
  const draw = ([name, field]: [string, FormSchema]): ReactNode => (
    <SchemaField
      key={name}
      name={name}
      schema={field}
      isRequired={isRequired(name)}
      value={value[name]}
      onChange={(next) => onChange({ ...value, [name]: next })}
      pointer={`${pointer}/${name}`}
      errors={errors}
      {...(pickEntity ? { pickEntity } : {})}
    />
  );
  const folded = ordered.filter(([, field]) => field["x-advanced"]);
  // Open from the start when a folded field is filled or invalid.
  const isOpen = folded.some(
    ([name, field]) =>
      (value[name] !== undefined && value[name] !== field.default) ||
      errorAt(errors, `${pointer}/${name}`) !== undefined,
  );
  return (
    <div className="flex flex-col gap-2.5">
      {ordered.filter(([, field]) => !field["x-advanced"]).map(draw)}
      {folded.length > 0 && (
        <Fold title={`More settings (${folded.length})`} isOpenAtFirst={isOpen}>
          <div className="flex flex-col gap-2.5">{folded.map(draw)}</div>
        </Fold>
      )}
    </div>
  );
}

// Few forms have a date, and none of those that are loaded first.
const InstantField = lazy(loadPart(async () => ({ default: (await import("../instant-field.tsx")).InstantField })));
const instantKinds: Record<string, InstantKind> = { date: "date", "date-time": "date-time" };

const JsonField = lazy(loadPart(async () => ({ default: (await import("./json-field.tsx")).JsonField })));

type FieldProps = {
  name: string;
  schema: FormSchema;
  isRequired: boolean;
  value: unknown;
  onChange(value: unknown): void;
  pointer: string;
  errors: ReadonlyMap<string, string>;
  pickEntity?: EntityPicker;
};

function SchemaField(props: FieldProps): ReactNode {
  const { name, isRequired, value, onChange, pointer, errors, pickEntity } = props;
  const schema = plainSchema(props.schema);
  const title = schema.title ?? sentence(name);
  const label = isRequired ? title : `${title} (optional)`;
  const error = errors.get(pointer);
  const hint = hintOf(schema);
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const common = { label, hint, error };
  const plain = { value: text, onChange: (next: string) => onChange(next || undefined) };
  const kind = kindOf(props.schema);
  switch (kind) {
    case "enum":
      return (
        <Select
          {...common}
          value={text}
          placeholder={schema.default === undefined ? "Choose" : `${words(defaultOf(schema))} (default)`}
          options={[
            ...(isRequired
              ? []
              : [
                  {
                    value: "",
                    label: schema.default === undefined ? "Not set" : `${words(defaultOf(schema))} (default)`,
                  },
                ]),
            ...(schema.enum ?? []).map((one) => ({ value: String(one), label: words(String(one)) })),
          ]}
          onChange={(next) => onChange(next === "" ? undefined : next)}
        />
      );
    case "boolean":
      return (
        <div>
          <Switch label={title} isOn={(value ?? schema.default) === true} onChange={onChange} />
          {hint && <p className="text-sm text-faint">{hint}</p>}
        </div>
      );
    case "number":
      return (
        <TextField
          {...common}
          type="number"
          inputMode="decimal"
          step={schema.type === "integer" ? 1 : "any"}
          {...(schema.minimum === undefined ? {} : { min: schema.minimum })}
          {...(schema.maximum === undefined ? {} : { max: schema.maximum })}
          value={text}
          onChange={(next) => onChange(next === "" ? undefined : Number(next))}
        />
      );
    case "time":
      return (
        <Suspense>
          <InstantField {...common} {...plain} kind={instantKinds[schema.format ?? ""] ?? "either"} />
        </Suspense>
      );
    case "long-text":
      return <TextArea {...common} {...plain} />;
    case "tokens":
      return <TokenField {...common} tokens={(value as string[] | undefined) ?? []} onChange={onChange} />;
    case "choices":
      return <Choices {...props} schema={schema} label={label} />;
    case "entity":
      if (pickEntity)
        return pickEntity({
          entity: schema["x-entity"]!,
          ...common,
          value: text,
          onChange: (next) => onChange(next ?? undefined),
        });
      return <TextField {...common} {...plain} />;
    case "object":
      return (
        <Group label={label} hint={hint} error={error}>
          <SchemaForm
            schema={schema}
            value={(value as Record<string, unknown> | undefined) ?? {}}
            onChange={(next) => onChange(Object.keys(withoutEmpty(next)).length === 0 ? undefined : withoutEmpty(next))}
            errors={errors}
            pointer={pointer}
            {...(pickEntity ? { pickEntity } : {})}
          />
        </Group>
      );
    case "list":
      return <Rows {...props} schema={schema} label={label} />;
    case "json":
      return (
        <Suspense>
          <JsonField {...common} value={value} onChange={onChange} />
        </Suspense>
      );
    case "pairs":
      return (
        <Group label={label} hint={hint} error={errorAt(errors, pointer)}>
          <PairsField label={title} value={value} onChange={onChange} />
        </Group>
      );
    case "secret":
      return <TextField {...common} {...plain} type="password" autoComplete="new-password" />;
    case "text":
      return <TextField {...common} {...plain} placeholder={exampleOf(schema)} />;
  }
}

const exampleOf = ({ examples }: FormSchema): string => (typeof examples?.[0] === "string" ? examples[0] : "");

const defaultOf = ({ default: given }: FormSchema): string =>
  typeof given === "string" ? given : JSON.stringify(given);

function hintOf({ description, maximum, minimum, type }: FormSchema): string | undefined {
  const isNumber = type === "integer" || type === "number";
  const range =
    isNumber && minimum !== undefined && maximum !== undefined && maximum < 1_000_000
      ? `${minimum} to ${maximum}.`
      : "";
  return (
    [description && (/[.!?]$/.test(description) ? description : `${description}.`), range].filter(Boolean).join(" ") ||
    undefined
  );
}

type GroupProps = { label: string; hint: string | undefined; error: string | undefined; children: ReactNode };

function Group({ label, hint, error, children }: GroupProps) {
  return (
    <fieldset className="rounded-md border border-line px-2.5 pt-1 pb-2.5">
      <legend className="px-1 text-sm font-medium text-muted">{label}</legend>
      {hint && <p className="mb-1 text-sm text-faint">{hint}</p>}
      {error && <p className="mb-1 text-sm text-bad">{error}</p>}
      {children}
    </fieldset>
  );
}

function Choices({ schema, value, onChange, label, errors, pointer }: FieldProps & { label: string }) {
  const chosen = (value as string[] | undefined) ?? [];
  return (
    <Group label={label} hint={schema.description} error={errors.get(pointer)}>
      <div className="grid grid-cols-2 gap-x-3">
        {(schema.items?.enum ?? []).map((one) => (
          <Checkbox
            key={String(one)}
            label={words(String(one))}
            isChecked={chosen.includes(String(one))}
            onChange={(isOn) => onChange(isOn ? [...chosen, String(one)] : chosen.filter((other) => other !== one))}
          />
        ))}
      </div>
    </Group>
  );
}

function Rows({ schema, value, onChange, label, errors, pointer, pickEntity }: FieldProps & { label: string }) {
  const rows = (value as Array<Record<string, unknown>> | undefined) ?? [];
  return (
    <Group label={label} hint={schema.description} error={errors.get(pointer)}>
      {rows.map((row, at) => (
        <div key={at} className="mb-2 flex gap-2 border-b border-line pb-2">
          <div className="flex-1">
            <SchemaForm
              schema={schema.items ?? {}}
              value={row}
              onChange={(next) => onChange(rows.map((one, index) => (index === at ? next : one)))}
              errors={errors}
              pointer={`${pointer}/${at}`}
              {...(pickEntity ? { pickEntity } : {})}
            />
          </div>
          <IconButton label={`Remove ${at + 1}`} onClick={() => onChange(rows.filter((_, index) => index !== at))}>
            <Icon name="x" />
          </IconButton>
        </div>
      ))}
      <Button onClick={() => onChange([...rows, {}])}>
        <Icon name="plus" /> Add
      </Button>
    </Group>
  );
}
