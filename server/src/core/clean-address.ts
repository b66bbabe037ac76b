import type { Address } from "./address.ts";
import { addressTexts } from "./address.ts";
import { countryCodeOf } from "./country-codes.ts";
import { countriesWithStates, statesOf } from "./region-names.ts";
import { prefixesOfState, stateOfZip } from "./zip-states.ts";

/**
 * Normalizes an address for labels: trims invisible spaces, converts names of countries and states to codes, and repairs codes and ZIPs
 * that a spreadsheet has changed.
 */
export function cleanAddress(given: Address, defaultCountry?: string): Address {
  const address = codedAddress(given, defaultCountry);
  settleZip(address);
  return address;
}

/**
 * Without invisible spaces, and with the codes of country and state where their names are given. The ZIP stays as it is: a digit that is
 * missing may be any of the five, and a parcel must not go to a guess.
 */
export function codedAddress(given: Address, defaultCountry?: string): Address {
  const address: Address = { ...given };
  for (const member of addressTexts) {
    const text = given[member];
    if (text !== undefined) address[member] = text.trim().replaceAll(/\s+/g, " ");
  }
  settleCountry(address, defaultCountry);
  settleProvince(address);
  return address;
}

function settleCountry(address: Address, defaultCountry: string | undefined): void {
  if (address.country && !address.countryCode) {
    const code = countryCodeOf(address.country);
    if (code !== undefined) address.countryCode = code;
    // The code itself, in the wrong column. Other scripts have names of countries that are as short.
    if (code !== undefined && /^[A-Za-z]{2}$/.test(address.country)) delete address.country;
  }
  if (!address.country && !address.countryCode && defaultCountry !== undefined) address.countryCode = defaultCountry;
  if (address.countryCode) address.countryCode = address.countryCode.toUpperCase();
}

function settleProvince(address: Address): void {
  const { province, provinceCode, countryCode = "" } = address;
  if (province && !provinceCode && /^[A-Za-z]{2}$/.test(province)) {
    address.provinceCode = province;
    delete address.province;
  } else {
    const code = stateNamed(countryCode, provinceCode || province || "");
    if (code !== undefined) address.provinceCode = code;
  }
  if (address.provinceCode) address.provinceCode = address.provinceCode.toUpperCase();
}

const finders = new Map<string, (name: string) => string | undefined>();

function stateNamed(country: string, name: string): string | undefined {
  if (name === "" || !countriesWithStates.includes(country)) return undefined;
  const find = finders.get(country) ?? statesOf(country);
  finders.set(country, find);
  return find(name);
}

function settleZip(address: Address): void {
  if (!address.zip) return;
  // Some programs write a quote before what must stay a text.
  const zip = address.zip.replace(/^'(?=\d)/, "").toUpperCase();
  const isAmerican = address.countryCode
    ? address.countryCode === "US"
    : prefixesOfState(address.provinceCode ?? "").length > 0;
  const [, five, four] = (isAmerican && /^(\d{3,5})(?:-?(\d{4}))?$/.exec(zip)) || [];
  // Nine digits in a row, or the zeros in front lost.
  if (five !== undefined) address.zip = five.padStart(5, "0") + (four === undefined ? "" : `-${four}`);
  else address.zip = withLostZero(zip, zipLengths.get(address.countryCode ?? ""));
}

/** Where postal codes are so many digits, and some of them begin with a 0, which spreadsheets drop. */
const zipLengths = new Map(
  "DE5 EE5 ES5 FI5 FR5 IT5 KR5 MX5 MY5 TR5 UA5 AU4 DK4 NO4 NZ4 ZA4 RO6 SG6"
    .split(" ")
    .map((text) => [text.slice(0, 2), Number(text.slice(2))]),
);

function withLostZero(zip: string, length: number | undefined): string {
  return length !== undefined && zip.length === length - 1 && /^\d+$/.test(zip) ? `0${zip}` : zip;
}

/** Where a ZIP is used on both sides of a border of states, as in Fishers Island or Monument Valley. */
const sharedZips = new Set(
  "06390 42223 63673 71749 73949 81137 83414 84536 86044 86515 88430 89439 97635 59221".split(" "),
);

/** Why state and ZIP of an American address cannot both be right; undefined where nothing speaks against it. */
export function zipStateProblem({ countryCode, provinceCode, zip = "" }: Address): string | undefined {
  const five = /^\d{5}/.exec(zip)?.[0];
  if (countryCode?.toUpperCase() !== "US" || !five || !provinceCode || sharedZips.has(five)) return undefined;
  const state = stateOfZip(five);
  if (state === undefined) return `no ZIP begins like ${five}`;
  return state === provinceCode.toUpperCase() ? undefined : `the ZIP ${five} is in ${state}, not in ${provinceCode}`;
}
