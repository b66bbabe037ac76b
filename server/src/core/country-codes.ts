import { findCountry } from "./region-names.ts";

/** Files name countries in the language of who wrote them. Where two languages have the same name, the first one counts. */
const languages = ["en", "de", "fr", "es", "it", "nl", "pt", "pl", "cs", "sv", "da", "nb", "fi", "ja", "zh", "ko"];

/** By language, made when the ones before it do not have the name. */
const codesByName: Map<string, string>[] = [];

/** The code of a country by its name in one of many languages, or by what stands for the code already. */
export function countryCodeOf(name: string): string | undefined {
  if (/^\s*[A-Za-z]{2}\s*$/.test(name)) return new Intl.Locale(`und-${name.trim()}`).region;
  const known = name.trim().toLowerCase();
  // Most names are English.
  const english = namesIn(0).get(known) ?? findCountry(name)?.alpha2;
  if (english !== undefined || known === "") return english;
  for (const at of languages.keys()) {
    const code = namesIn(at).get(known);
    if (code !== undefined) return code;
  }
  return undefined;
}

function namesIn(at: number): Map<string, string> {
  return (codesByName[at] ??= makeNames(languages[at]!));
}

/** The territories have ZIPs, and carriers rate them like the states. */
const unitedStates = new Set(["US", "PR", "VI", "GU", "AS", "MP", "UM"]);

export function isInUnitedStates(code: string): boolean {
  return unitedStates.has(code);
}

let codes: string[] | undefined;

/** Former countries have the name of what they became: DD is called Germany, too. */
function listCodes(): string[] {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  const pairs = letters.flatMap((first) => letters.map((second) => first + second));
  return pairs.filter((code) => new Intl.Locale(`und-${code}`).region === code);
}

function makeNames(language: string): Map<string, string> {
  const byName = new Map<string, string>();
  const names = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  for (const code of (codes ??= listCodes())) {
    const country = names.of(code)?.toLowerCase();
    if (country !== undefined && !byName.has(country)) byName.set(country, code);
  }
  return byName;
}
