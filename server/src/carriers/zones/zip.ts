import { stateOfZip } from "../../core/zip-states.ts";

/**
 * Five digits, or undefined: spreadsheets drop leading zeros, programs write 7114.0,
 * and the four digits after the dash do not matter here.
 */
export function normaliseZip(text: string | null | undefined): string | undefined {
  if (text?.length === 5 && isDigits(text)) return text;
  const found = /^\s*(\d{3,5})(?:-?\d{4}|\.0+)?\s*$/.exec(text ?? "");
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
  return (zip === undefined ? undefined : stateOfZip(zip)) ?? (written === "" ? undefined : written);
}
