import type { PathStep } from "../../core/data-path.ts";
import { parsePath, stepInto } from "../../core/data-path.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { isOnePlaceholder, parseTemplate } from "../../core/template.ts";

/** The values that `{{placeholders}}` can name. */
export type Scope = {
  input: Record<string, unknown>;
  settings: Record<string, unknown>;
  record?: Record<string, unknown>;
  effectKey?: string;
  /** The record at the other side that an update changes. */
  existing?: { externalId: string };
  /** Position of a pull in the list; on the first page there is no cursor. */
  page?: { cursor?: string; number?: number; offset?: number; size?: number };
  /** Where an incremental pull starts; a first import may have no start. */
  since?: string | number;
};

/** The paths of all placeholders in a template: a text, or texts anywhere in a JSON value. */
export function placeholdersOf(template: unknown): string[] {
  if (typeof template === "string")
    return parseTemplate(template).flatMap((part) => (typeof part === "string" ? [] : part.path));
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(placeholdersOf);
}

/** A brace is never part of a URL path, so one outside of a placeholder is a typing error. */
export function hasSingleBraces(path: string): boolean {
  return parseTemplate(path).some((part) => typeof part === "string" && /[{}]/.test(part));
}

/** Names and positions from the scope on; a text says what is wrong with the path. */
export function stepsOf(path: string): PathStep[] | string {
  const parsed = parsePath(path);
  if (typeof parsed === "string") return parsed;
  const isPlain = parsed.from !== "^" && parsed.call === undefined && !parsed.steps.some((step) => "every" in step);
  return isPlain ? parsed.steps : "Only names and positions can be used, as in record.lines[0].sku.";
}

/** The first name of a placeholder: record, page, since ... */
export function rootOf(path: string): string {
  const [first] = stepsOf(path);
  return typeof first === "object" && "name" in first ? first.name : "";
}

function readScope(path: string, scope: Scope): unknown {
  const steps = stepsOf(path);
  if (typeof steps === "string") return undefined;
  let value: unknown = scope;
  for (const step of steps) value = stepInto(value, step);
  return value;
}

function textAt(path: string, scope: Scope): string {
  const value = readScope(path, scope);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new RemoteError("missing_value", `{{${path}}} has no value that can be sent.`);
}

/**
 * Whether a path has a dot segment once its escapes are decoded, including escaped percent signs: many servers read `%2f` and
 * `%5c` as slashes and would leave the base path where `URL` does not.
 */
export function hasHiddenDots(path: string): boolean {
  let text = path;
  for (let depth = 0; depth < 4; depth++)
    text = text.replaceAll(/%(25|2e|2f|5c)/gi, (escaped) => decodeURIComponent(escaped));
  return text.split(/[/\\]/).some((part) => part === "." || part === "..");
}

function fill(template: string, textOf: (path: string) => string): string {
  return parseTemplate(template)
    .map((part) => (typeof part === "string" ? part : textOf(part.path)))
    .join("");
}

/** For a URL path: each value is encoded as one segment, so it can neither end the path nor leave the base path. */
export function fillPath(template: string, scope: Scope): string {
  return fill(template, (path) => {
    const value = textAt(path, scope).toWellFormed();
    if (value === "" || hasHiddenDots(value)) {
      throw new RemoteError("invalid_value", `{{${path}}} is "${value}", which cannot be part of a URL path.`);
    }
    return encodeURIComponent(value);
  });
}

/**
 * For query values and headers: the request encodes or rejects them. Undefined: the first page has no cursor, or the first import
 * no start, so the parameter is not sent.
 */
export function fillText(template: string, scope: Scope): string | undefined {
  return isLeftOut(template, scope) ? undefined : fill(template, (path) => textAt(path, scope));
}

/** Only positions of a pull may have no value; anything else without one is an error or null. */
function isLeftOut(template: string, scope: Scope): boolean {
  return placeholdersOf(template).some(
    (path) => ["page", "since"].includes(rootOf(path)) && readScope(path, scope) === undefined,
  );
}

/**
 * For JSON: a text that is one placeholder becomes its value and keeps its type; null where there is none. A member or element
 * that names a position without a value is left out, and so is an object or list that only had such members.
 */
export function fillJson(template: unknown, scope: Scope): unknown {
  const filled = fillValue(template, scope);
  if (filled !== undefined) return filled;
  return Array.isArray(template) ? [] : typeof template === "object" ? {} : null;
}

function fillValue(template: unknown, scope: Scope): unknown {
  if (typeof template === "string") {
    if (!isOnePlaceholder(template)) return fillText(template, scope);
    return isLeftOut(template, scope) ? undefined : (readScope(placeholdersOf(template)[0]!, scope) ?? null);
  }
  if (typeof template !== "object" || template === null) return template;
  const entries = Object.entries(template).map(([name, value]) => [name, fillValue(value, scope)] as const);
  const kept = entries.filter(([, value]) => value !== undefined);
  if (kept.length === 0 && entries.length > 0) return undefined;
  return Array.isArray(template) ? kept.map(([, value]) => value) : Object.fromEntries(kept);
}
