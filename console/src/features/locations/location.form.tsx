import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Location } from "./locations.queries.ts";
import type { LocationType } from "./locations.text.ts";
import { typeOptions } from "./locations.text.ts";

type AddressField = "company" | "address1" | "address2" | "city" | "provinceCode" | "zip" | "countryCode" | "phone";
export type LocationDraft = Record<AddressField, string> & {
  name: string;
  type: LocationType;
  is_active: boolean;
  is_default: boolean;
};

const addressFields: Array<[AddressField, string]> = [
  ["company", "Company"],
  ["address1", "Street"],
  ["address2", "More of the street"],
  ["city", "City"],
  ["provinceCode", "State"],
  ["zip", "ZIP"],
  ["countryCode", "Country, such as US"],
  ["phone", "Phone"],
];

export function draftOf(location?: Location): LocationDraft {
  const given = location?.address;
  const address = Object.fromEntries(addressFields.map(([name]) => [name, given?.[name] ?? ""]));
  return {
    ...(address as Record<AddressField, string>),
    name: location?.name ?? "",
    type: (location?.type ?? "warehouse") as LocationType,
    is_active: location?.is_active ?? true,
    is_default: location?.is_default ?? false,
  };
}

/** Changed address fields; emptied ones are null, which removes them. */
export function addressOf(draft: Partial<LocationDraft>): Record<string, string | null> {
  const typed = addressFields.filter(([name]) => draft[name] !== undefined);
  return Object.fromEntries(typed.map(([name]) => [name, draft[name]!.trim() || null]));
}

/** Filled address fields, for a new location. */
export const filledAddressOf = (draft: LocationDraft): Record<string, string> =>
  Object.fromEntries(Object.entries(addressOf(draft)).filter((entry): entry is [string, string] => entry[1] !== null));

/** Labels of the values in the conflict box. */
export const partNames: Record<keyof LocationDraft, string> = {
  name: "Name",
  type: "Kind",
  ...(Object.fromEntries(addressFields) as Record<AddressField, string>),
  is_active: "In use",
  is_default: "Default",
};

type Props = {
  draft: LocationDraft;
  set(change: Partial<LocationDraft>): void;
  errors: ReadonlyMap<string, string>;
  isNew?: boolean;
};

export function LocationFields({ draft, set, errors, isNew }: Props) {
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          error={errors.get("/name")}
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={100}
        />
        <Select
          label="Kind"
          error={errors.get("/type")}
          value={draft.type}
          options={typeOptions}
          onChange={(type) => set({ type: type as LocationType })}
        />
        {addressFields.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            error={errors.get(`/address/${name}`)}
            value={draft[name]}
            onChange={(value) => set({ [name]: value })}
            autoComplete="off"
          />
        ))}
      </div>
      {!isNew && (
        <>
          <Switch
            label="In use: new work can be assigned to it"
            isOn={draft.is_active}
            onChange={(is_active) => set({ is_active })}
          />
          <Switch
            label="The default, where nothing else is said"
            isOn={draft.is_default}
            onChange={(is_default) => set({ is_default })}
          />
        </>
      )}
    </div>
  );
}
