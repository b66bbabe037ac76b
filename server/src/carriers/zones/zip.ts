import { statesOf } from "../../core/region-names.ts";
import { stateOfZip } from "../../core/zip-states.ts";

/**
 * Five digits, or undefined: spreadsheets drop a leading zero, programs write 7114.0,
 * and the four digits after the dash do not matter here. Three digits are the beginning of a ZIP far more often than one of
 * Puerto Rico that has lost two zeros: 902 is no ZIP.
 */
export function normaliseZip(text: string | null | undefined): string | undefined {
  if (text?.length === 5 && isDigits(text)) return text;
  const found = /^\s*(\d{4,5}|\d{3}(?=-?\d{4}))(?:-?\d{4}|\.0+)?\s*$/.exec(text ?? "");
  if (!found) return undefined;
  const digits = found[1]!;
  // Nine digits without a dash were read as five and four; seven or eight digits have lost zeros in front.
  return digits.padStart(5, "0");
}

function isDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** The state of a place, as two letters wherever it can be told: what was written, or what the ZIP says. */
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
