import { Select } from "../../ui/select.tsx";
import type { EntityPicker } from "../../ui/schema-form/schema-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { EntityKind } from "./entity-names.queries.ts";
import { isEntityKind, useEntityNames } from "./entity-names.queries.ts";

function EntityField({ entity, label, hint, error, value, onChange }: Parameters<EntityPicker>[0]) {
  const { data, error: failed } = useEntityNames(entity as EntityKind);
  if (failed)
    return (
      <TextField
        label={label}
        hint={hint ?? "Record ID"}
        error={error}
        value={value}
        onChange={(next) => onChange(next || null)}
      />
    );
  return (
    <Select
      label={label}
      hint={hint}
      error={error ?? (value && data && !data.some(({ id }) => id === value) ? "This record was deleted" : undefined)}
      value={value}
      placeholder={data?.length === 0 ? "None yet" : "Choose"}
      options={[{ value: "", label: "Not set" }, ...(data ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(next) => onChange(next || null)}
    />
  );
}

export const pickEntity: EntityPicker = (given) =>
  isEntityKind(given.entity) ? (
    <EntityField {...given} />
  ) : (
    <TextField
      label={given.label}
      hint={given.hint}
      error={given.error}
      value={given.value}
      onChange={(next) => given.onChange(next || null)}
    />
  );
