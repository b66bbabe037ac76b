import { RemoteError } from "../../core/remote-error.ts";
import { readPath } from "../json-path.ts";

/** What `{placeholders}` may name. */
export type Scope = {
  input: Record<string, unknown>;
  settings: Record<string, unknown>;
  record?: Record<string, unknown>;
  effectKey?: string;
  /** What is corrected. */
  sent?: { externalId: string };
};

const placeholder = /\{([A-Za-z][\w.[\]-]*)\}/g;

export function placeholdersOf(template: unknown): string[] {
  if (typeof template === "string") return [...template.matchAll(placeholder)].map(([, name]) => name!);
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(placeholdersOf);
}

function valueOf(name: string, scope: Scope): string | number | boolean {
  const value = readPath(scope, name);
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  throw new RemoteError("missing_value", `{${name}} has no value that can be put into the request.`);
}

/**
 * Whether a path has a dot segment once its escapes are read, also those of an escaped percent sign: many servers read `%2f` and
 * `%5c` as slashes, and would climb where `URL` does not.
 */
export function hasHiddenDots(path: string): boolean {
  let text = path;
  for (let depth = 0; depth < 4; depth++)
    text = text.replaceAll(/%(25|2e|2f|5c)/gi, (escaped) => decodeURIComponent(escaped));
  return text.split(/[/\\]/).some((part) => part === "." || part === "..");
}

/** For a path: a value is one part of it, and can neither end it nor climb out of it. */
export function fillPath(template: string, scope: Scope): string {
  return template.replaceAll(placeholder, (_whole, name: string) => {
    const value = String(valueOf(name, scope)).toWellFormed();
    if (value === "" || hasHiddenDots(value)) {
      throw new RemoteError("invalid_value", `{${name}} is "${value}", which cannot be part of an address.`);
    }
    return encodeURIComponent(value);
  });
}

/** For query values and headers, which are encoded or refused where they are sent. */
export function fillText(template: string, scope: Scope): string {
  return template.replaceAll(placeholder, (_whole, name: string) => String(valueOf(name, scope)));
}

/** For JSON: a text that is one placeholder becomes its value, whatever type that has. */
export function fillJson(template: unknown, scope: Scope): unknown {
  if (typeof template === "string") {
    const whole = /^\{([A-Za-z][\w.[\]-]*)\}$/.exec(template);
    if (!whole) return fillText(template, scope);
    const value = whole[1] === "record" ? scope.record : readPath(scope, whole[1]!);
    return value ?? null;
  }
  if (Array.isArray(template)) return template.map((item) => fillJson(item, scope));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([name, value]) => [name, fillJson(value, scope)]));
}
