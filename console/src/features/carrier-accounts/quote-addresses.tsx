import type { Address } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Link } from "../../ui/link.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { locationsQuery } from "../locations/locations.queries.ts";

/** [part of the address, label]. Carriers refuse an address that lacks one of them. */
const parts = [
  ["name", "Name"],
  ["address1", "Street"],
  ["city", "City"],
  ["provinceCode", "State"],
  ["zip", "ZIP"],
  ["countryCode", "Country"],
  ["phone", "Phone"],
] as const;
export type Recipient = Record<(typeof parts)[number][0], string>;

/** A public building: a price can be had without typing an address. */
export const exampleRecipient: Recipient = {
  name: "Example Recipient",
  address1: "350 5th Ave",
  city: "New York",
  provinceCode: "NY",
  zip: "10118",
  countryCode: "US",
  phone: "2125550100",
};

export function missingIn(recipient: Recipient): string | undefined {
  const missing = parts.flatMap(([part, label]) => (recipient[part].trim() === "" ? [label.toLowerCase()] : []));
  return missing.length === 0 ? undefined : `Enter the recipient: ${missing.join(", ")}.`;
}

export const filledIn = (recipient: Recipient): Address => ({
  ...(Object.fromEntries(parts.map(([part]) => [part, recipient[part].trim()])) as Recipient),
  countryCode: recipient.countryCode.trim().toUpperCase(),
});

type Sender = {
  id: string;
  address: Address | undefined;
  options: Array<{ value: string; label: string }>;
  /** There is none yet. */
  isMissing: boolean;
  refused: string | undefined;
  onPick(id: string): void;
};

/** The location to ship from: chosen, or the default one. */
export function useSender(isOn: boolean): Sender {
  const refused = missingScope(useMe(), "locations:read");
  const { data } = useQuery({ ...locationsQuery({ is_active: true }, 1), enabled: isOn && refused === undefined });
  const [picked, setPicked] = useState<string>();
  const locations = data?.data ?? [];
  const location =
    locations.find(({ id }) => id === picked) ?? locations.find(({ is_default }) => is_default) ?? locations[0];
  return {
    id: location?.id ?? "",
    // Carriers require a name; a location has one of its own.
    address: location && { name: location.name, ...location.address },
    options: locations.map(({ id, name }) => ({ value: id, label: name })),
    isMissing: data !== undefined && locations.length === 0,
    refused,
    onPick: setPicked,
  };
}

type Props = {
  sender: Sender;
  recipient: Recipient;
  onRecipient(recipient: Recipient): void;
  errors: { origin: string | undefined; destination: string | undefined };
};

/** The location to ship from, and the complete address of the recipient. */
export function QuoteAddresses({ sender, recipient, onRecipient, errors }: Props) {
  return (
    <>
      {sender.refused && <p className="text-muted">{sender.refused}</p>}
      {sender.isMissing ? (
        <div className="flex flex-col items-start gap-2">
          <p className="text-muted">
            The carrier needs the address that parcels are shipped from. Add a location first.
          </p>
          <Link href={paths.locations()} className={buttonClass("plain")}>
            Add a location
          </Link>
        </div>
      ) : (
        <Select
          label="Ship from"
          placeholder="Choose a location"
          value={sender.id}
          options={sender.options}
          error={errors.origin}
          onChange={sender.onPick}
        />
      )}
      <fieldset className="grid grid-cols-2 gap-2">
        <legend className="mb-1 font-medium">Ship to</legend>
        {parts.map(([part, label]) => (
          <div key={part} className={part === "name" || part === "address1" ? "col-span-2" : ""}>
            <TextField
              label={label}
              value={recipient[part]}
              maxLength={200}
              onChange={(text) => onRecipient({ ...recipient, [part]: text })}
            />
          </div>
        ))}
        {errors.destination && <p className="col-span-2 text-sm text-bad">{errors.destination}</p>}
      </fieldset>
    </>
  );
}
