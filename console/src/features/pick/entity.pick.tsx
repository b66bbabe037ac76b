import type { UseQueryResult } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { Select } from "../../ui/select.tsx";
import type { EntityPicker } from "../../ui/schema-form/schema-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { bridgeNamesQuery } from "../bridges/bridges.queries.ts";
import { carrierAccountNamesQuery } from "../carrier-accounts/carrier-accounts.queries.ts";
import { locationNamesQuery } from "../locations/locations.queries.ts";
import { userNamesQuery } from "../users/users.queries.ts";

const queries = {
  location: locationNamesQuery,
  bridge: bridgeNamesQuery,
  user: userNamesQuery,
  carrier_account: carrierAccountNamesQuery,
};
export type EntityKind = keyof typeof queries;
type Named = { id: string; name: string };

export function useEntityNames(kind: EntityKind): UseQueryResult<Named[]> {
  // All four ask for the same shape; which one it is does not change while a field is shown.
  return useQuery(queries[kind] as typeof locationNamesQuery);
}

function EntityField({ entity, label, hint, error, value, onChange }: Parameters<EntityPicker>[0]) {
  const { data, error: failed } = useEntityNames(entity as EntityKind);
  if (failed)
    return (
      <TextField
        label={label}
        hint={hint ?? "Its id."}
        error={error}
        value={value}
        onChange={(next) => onChange(next || null)}
      />
    );
  return (
    <Select
      label={label}
      hint={hint}
      error={error ?? (value && data && !data.some(({ id }) => id === value) ? "This one is gone." : undefined)}
      value={value}
      placeholder={data?.length === 0 ? "There is none yet" : "Choose"}
      options={[{ value: "", label: "Not set" }, ...(data ?? []).map(({ id, name }) => ({ value: id, label: name }))]}
      onChange={(next) => onChange(next || null)}
    />
  );
}

export const pickEntity: EntityPicker = (given) =>
  given.entity in queries ? (
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
