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
  cutoff_time: string;
  timezone: string;
  is_active: boolean;
  is_default: boolean;
};

const addressFields: Array<[AddressField, string]> = [
  ["company", "Company"],
  ["address1", "Address line 1"],
  ["address2", "Address line 2"],
  ["city", "City"],
  ["provinceCode", "State or province"],
  ["zip", "ZIP or postal code"],
  ["countryCode", "Country code"],
  ["phone", "Phone"],
];

export function draftOf(location?: Location): LocationDraft {
  const given = location?.address;
  const address = Object.fromEntries(addressFields.map(([name]) => [name, given?.[name] ?? ""]));
  return {
    ...(address as Record<AddressField, string>),
    name: location?.name ?? "",
    type: (location?.type ?? "warehouse") as LocationType,
    cutoff_time: location?.cutoff_time ?? "",
    timezone: location?.timezone ?? "",
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
  type: "Type",
  ...(Object.fromEntries(addressFields) as Record<AddressField, string>),
  cutoff_time: "Cut-off time",
  timezone: "Time zone",
  is_active: "Active",
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
          label="Type"
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
        <TextField
          label="Cut-off time"
          hint="Such as 16:00. Labels bought later leave on the next day. Empty: as the organization."
          error={errors.get("/cutoff_time")}
          value={draft.cutoff_time}
          onChange={(cutoff_time) => set({ cutoff_time })}
          autoComplete="off"
        />
        <TextField
          label="Time zone"
          hint="Such as America/New_York. Empty: that of the address."
          error={errors.get("/timezone")}
          value={draft.timezone}
          onChange={(timezone) => set({ timezone })}
          autoComplete="off"
        />
      </div>
      {!isNew && (
        <>
          <Switch
            label="Active: orders can be assigned to this location"
            isOn={draft.is_active}
            onChange={(is_active) => set({ is_active })}
          />
          <Switch
            label="Default location for orders without one"
            isOn={draft.is_default}
            onChange={(is_default) => set({ is_default })}
          />
        </>
      )}
    </div>
  );
}
