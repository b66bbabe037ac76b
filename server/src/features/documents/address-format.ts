import type { Address } from "../../core/address.ts";

const countryNames = new Intl.DisplayNames("en", { type: "region" });

/** Countries that write the postal code before the city. */
const codeFirst = new Set(
  (
    "AT BE BG BR CH CY CZ DE DK DZ EE EG ES FI FR GR HR HU IL IS IT LI LT LU LV MA MC MD ME MK MX MY NL NO PL PT RO RS SA SE SI SK " +
    "SM TN TR UA VA"
  ).split(" "),
);
/** Countries whose postal code has a line of its own. */
const codeBelow = new Set("GB IE IN KE NG PK ZA".split(" "));
/** Countries where the province is part of the address although the postal code comes first. */
const provinceNamed = new Set("BR EG ES IT MX MY".split(" "));

/** An address on lines, in the format of its country. Japan, China and Korea begin with the largest place. */
export function formatAddress(address: Address): string[] {
  const { name, company, address1, address2, countryCode, country } = address;
  const code = countryCode?.toUpperCase() ?? "";
  const land = nameOfCountry(code, country);
  const lines =
    code === "JP" || code === "CN" || code === "KR"
      ? [...placeLines(code, address), address1, address2, company, name, land]
      : [name, company, address1, address2, ...placeLines(code, address), land];
  return lines.map((part) => part?.trim()).filter((part): part is string => Boolean(part));
}

function placeLines(code: string, { city, province, provinceCode, zip }: Address): (string | undefined)[] {
  const join = (separator: string, ...parts: (string | undefined)[]): string => parts.filter(Boolean).join(separator);
  const region = provinceCode ?? province;
  if (code === "JP") return [zip && `〒${zip}`, join(" ", province ?? provinceCode, city)];
  if (code === "CN" || code === "KR") return [join(" ", zip, province ?? provinceCode, city)];
  if (codeFirst.has(code)) return [join(" ", zip, city, region && provinceNamed.has(code) ? `(${region})` : undefined)];
  if (codeBelow.has(code)) return [join(", ", city, region), zip];
  return [join(", ", city, join(" ", region, zip))];
}

function nameOfCountry(code: string, given: string | undefined): string | undefined {
  return /^[A-Z]{2}$/.test(code) ? (countryNames.of(code) ?? code) : given;
}
