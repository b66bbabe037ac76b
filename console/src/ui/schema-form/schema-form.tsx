import type { ReactNode } from "react";
import { SchemaField } from "./schema-field.tsx";
import type { FormSchema } from "./schema.ts";

/** How the id of a record is picked; the form knows nothing of records. */
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
  /** What is wrong, by pointer below this form: "/tags/0". */
  errors?: ReadonlyMap<string, string>;
  pickEntity?: EntityPicker;
  pointer?: string;
};

/** A form for an object that a schema describes. What is required comes first. */
export function SchemaForm({ schema, value, onChange, errors = new Map(), pickEntity, pointer = "" }: Props) {
  const fields = Object.entries(schema.properties ?? {});
  const isRequired = (name: string): boolean => schema.required?.includes(name) ?? false;
  const ordered = [...fields.filter(([name]) => isRequired(name)), ...fields.filter(([name]) => !isRequired(name))];
  return (
    <div className="flex flex-col gap-2.5">
      {ordered.map(([name, field]) => (
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
      ))}
    </div>
  );
}
