import { asNumber, asText } from "./read.ts";

/** Parts of responses in the shape in which the hub stores them. A label is paid for, whatever its description looks like. */

/** One line of at most 100 characters. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim().slice(0, 100).trimEnd();
}

/** Whole days of transit; a part of a day counts as one. Undefined if it is no number of days. */
export function wholeDays(value: unknown): number | undefined {
  const days = asNumber(value);
  return days === undefined || days < 0 ? undefined : Math.ceil(days);
}

/** A date or an instant that can be read; undefined for other texts. */
export function dayOrInstant(value: unknown): string | undefined {
  const text = asText(value);
  return text === undefined || Number.isNaN(Date.parse(text)) ? undefined : text;
}
