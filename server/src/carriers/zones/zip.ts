import { statesOf } from "../../core/region-names.ts";
import { stateOfZip } from "../../core/zip-states.ts";

/**
 * Five digits, or undefined. Restores leading zeros that spreadsheets drop, and ignores a trailing .0 and the ZIP+4 part.
 * Three digits alone are not a ZIP: 902 is far more often a ZIP3 than a ZIP of Puerto Rico that lost two zeros.
 */
export function normaliseZip(text: string | null | undefined): string | undefined {
  if (text?.length === 5 && isDigits(text)) return text;
  const found = /^\s*(\d{4,5}|\d{3}(?=-?\d{4}))(?:-?\d{4}|\.0+)?\s*$/.exec(text ?? "");
  if (!found) return undefined;
  const digits = found[1]!;
  // Nine digits without a dash are ZIP+4; seven or eight digits have lost leading zeros.
  return digits.padStart(5, "0");
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** The two-letter state: as given, else derived from the ZIP or from the state's name. */
export function stateOfPlace(state: string | null | undefined, zip: string | undefined): string | undefined {
  const written = state?.trim().toUpperCase() ?? "";
  if (/^[A-Z]{2}$/.test(written)) return written;
  return (zip === undefined ? undefined : stateOfZip(zip)) ?? (written === "" ? undefined : stateCodeOf(written));
}

let stateNamed: ((name: string) => string | undefined) | undefined;

/** "New York" is NY. */
export function stateCodeOf(name: string): string {
  return (stateNamed ??= statesOf("US"))(name) ?? name;
}
