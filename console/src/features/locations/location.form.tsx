import { fieldError } from "../../ui/field-error.ts";
import { Select } from "../../ui/select.tsx";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { Location } from "./locations.queries.ts";
import type { LocationType } from "./locations.text.ts";
import { typeOptions } from "./locations.text.ts";

type AddressField = "company" | "address1" | "address2" | "city" | "provinceCode" | "zip" | "countryCode" | "phone";
export type LocationDraft = {
  name: string;
  type: LocationType;
  address: Record<AddressField, string>;
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
    name: location?.name ?? "",
    type: (location?.type ?? "warehouse") as LocationType,
    address: address as LocationDraft["address"],
    is_active: location?.is_active ?? true,
    is_default: location?.is_default ?? false,
  };
}

/** Of an address what was filled in; what was emptied is null, so that it goes. */
export function addressOf(draft: LocationDraft, before?: LocationDraft): Record<string, string | null> {
  const entries = addressFields.flatMap(([name]): Array<[string, string | null]> => {
    const value = draft.address[name].trim();
    if (before && value === before.address[name]) return [];
    return value ? [[name, value]] : before ? [[name, null]] : [];
  });
  return Object.fromEntries(entries);
}

type Props = { draft: LocationDraft; onChange(draft: LocationDraft): void; error: Error | null; isNew?: boolean };

export function LocationForm({ draft, onChange, error, isNew }: Props) {
  const set = (change: Partial<LocationDraft>): void => onChange({ ...draft, ...change });
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          error={fieldError(error, "/name")}
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={100}
        />
        <Select
          label="Kind"
          error={fieldError(error, "/type")}
          value={draft.type}
          options={typeOptions}
          onChange={(type) => set({ type: type as LocationType })}
        />
        {addressFields.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            error={fieldError(error, `/address/${name}`)}
            value={draft.address[name]}
            onChange={(value) => set({ address: { ...draft.address, [name]: value } })}
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
