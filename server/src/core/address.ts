import type { Static } from "typebox";
import { Type } from "./type.ts";
import { Nullable, Strict } from "./schema.ts";

const Text = Type.Optional(Type.String({ maxLength: 200 }));

/** A postal address; nothing is required, since what is missing differs by country and by purpose. */
export const Address = Strict({
  name: Text,
  company: Text,
  address1: Text,
  address2: Text,
  city: Text,
  province: Text,
  provinceCode: Type.Optional(Type.String({ maxLength: 10, description: "Such as NY" })),
  zip: Type.Optional(Type.String({ maxLength: 20 })),
  country: Text,
  countryCode: Type.Optional(Type.String({ pattern: "^[A-Za-z]{2}$", description: "ISO 3166, such as US" })),
  phone: Type.Optional(Type.String({ maxLength: 50 })),
  email: Type.Optional(Type.String({ maxLength: 254 })),
  residential: Type.Optional(
    Nullable(Type.Boolean({ description: "A home rather than a business; null or left out: unknown" })),
  ),
});
export type Address = Static<typeof Address>;

/** The members that are texts. */
export type AddressText = Exclude<keyof Address, "residential">;
export const addressTexts = Object.keys(Address.properties).filter(
  (name): name is AddressText => name !== "residential",
);

const zipShapes: Record<string, RegExp> = {
  US: /^\d{5}(-\d{4})?$/,
  CA: /^[A-Z]\d[A-Z] ?\d[A-Z]\d$/i,
  GB: /^[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}$/i,
  DE: /^\d{5}$/,
  FR: /^\d{5}$/,
  ES: /^\d{5}$/,
  IT: /^\d{5}$/,
  NL: /^\d{4} ?[A-Z]{2}$/i,
  AU: /^\d{4}$/,
};

const usStates = new Set(
  (
    "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI " +
    "SC SD TN TX UT VT VA WA WV WI WY DC PR VI GU AS MP AA AE AP"
  ).split(" "),
);

/** What keeps a parcel from being delivered there, as far as it can be told without asking a carrier. */
export function addressProblems(address: Address | null): string[] {
  return address ? addressFaults(address).map(({ text }) => text) : ["there is no address"];
}

/** The same, each with the member that it is about. */
export function addressFaults(address: Address): { member: AddressText; text: string }[] {
  const faults: { member: AddressText; text: string }[] = [];
  const add = (member: AddressText, text: string): void => void faults.push({ member, text });
  if (!address.address1?.trim()) add("address1", "the street is missing");
  if (!address.city?.trim()) add("city", "the city is missing");
  const country = address.countryCode?.toUpperCase();
  if (!country) add("countryCode", "the country code is missing");
  const zipShape = country === undefined ? undefined : zipShapes[country];
  if (zipShape && !zipShape.test(address.zip?.trim() ?? ""))
    add("zip", `${address.zip ?? "the empty zip"} is no ${country} zip`);
  if (country === "US" && !usStates.has(address.provinceCode?.trim().toUpperCase() ?? ""))
    add("provinceCode", "the US state code is missing or unknown");
  return faults;
}
