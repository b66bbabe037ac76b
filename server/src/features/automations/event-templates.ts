import type { Members } from "../../core/condition-types.ts";
import { pathMistake } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import { compileRecordTemplate } from "../transformations/transformations.ts";
import type { EventItem } from "./event-items.ts";

const rules = { name: "event", keepsType: true, isLenient: true };

/** Fills in the placeholders of all texts within a value. Missing values become null or blank. */
export function fillIn(value: unknown, item: EventItem, now: Date): unknown {
  if (Array.isArray(value)) return value.map((one) => fillIn(one, item, now));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillIn(one, item, now)]));
  }
  if (typeof value !== "string") return value;
  const template = compileRecordTemplate(value, rules);
  if (!template || Array.isArray(template)) return value;
  const filled = template.fill(item, now);
  return "fault" in filled ? null : (filled.value ?? null);
}

/** The mistakes of all templates within a value: syntax, and fields that the events do not have. */
export function templateErrors(value: unknown, pointer: string, fields: Members): FieldError[] {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, one]) => templateErrors(one, `${pointer}/${name}`, fields));
  }
  const template = typeof value === "string" ? compileRecordTemplate(value, rules) : undefined;
  if (!template) return [];
  if (Array.isArray(template)) return template.map((message) => ({ pointer, code: "template", message }));
  return template.asks.flatMap((path) => {
    const mistake = pathMistake(path, { fields });
    return mistake ? [{ pointer, ...mistake }] : [];
  });
}
