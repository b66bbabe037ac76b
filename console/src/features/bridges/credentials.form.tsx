import { useState } from "react";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { Select } from "../../ui/select.tsx";

type Values = Record<string, unknown>;
type Props = {
  schema: FormSchema;
  value: Values;
  onChange(value: Values): void;
  errors: ReadonlyMap<string, string>;
};

/** Credentials of a connection. Where a connector has several ways to sign in, one is chosen and its fields are required. */
export function CredentialsForm({ schema, value, onChange, errors }: Props) {
  const ways = schema["x-one-of"] ?? [];
  const [way, setWay] = useState(0);
  const chosen = ways[way] ?? [];
  const others = ways.filter((_, at) => at !== way).flat();
  const shown: FormSchema =
    ways.length === 0
      ? schema
      : {
          ...schema,
          properties: Object.fromEntries(
            Object.entries(schema.properties ?? {}).filter(([name]) => !others.includes(name) || chosen.includes(name)),
          ),
          required: [...(schema.required ?? []), ...chosen],
        };
  const titleOf = (names: readonly string[]): string =>
    names.map((name) => schema.properties?.[name]?.title ?? name).join(" and ");
  return (
    <div className="flex flex-col gap-2.5">
      {ways.length > 1 && (
        <Select
          label="Sign in with"
          value={String(way)}
          options={ways.map((names, at) => ({ value: String(at), label: titleOf(names) }))}
          onChange={(next) => {
            setWay(Number(next));
            const dropped = ways.filter((_, at) => at !== Number(next)).flat();
            onChange(Object.fromEntries(Object.entries(value).filter(([name]) => !dropped.includes(name))));
          }}
        />
      )}
      <SchemaForm schema={shown} value={value} onChange={onChange} errors={errors} pointer="/credentials" />
    </div>
  );
}
