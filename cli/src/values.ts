import { nearestName } from "../../server/src/core/nearest.ts";
import { usageError } from "./exit.ts";
import type { OperationField } from "./operation.ts";

/** What was typed for a field of the API, as JSON. `origin` names it in errors, such as --total-min. */
export function valueOf(typed: string, field: OperationField, origin: string): unknown {
  if (!field.isList) return entryOf(typed, field, origin);
  // A list of objects is JSON; texts are separated by commas.
  if (field.type === "json" || typed.startsWith("[")) return parseJson(typed, origin);
  return typed.split(",").map((entry) => entryOf(entry.trim(), field, origin));
}

/** A list takes several of the same option. */
export function listOf(typed: string[], field: OperationField, origin: string): unknown[] {
  return typed.flatMap((one) => valueOf(one, field, origin));
}

function entryOf(typed: string, { type, values }: OperationField, origin: string): unknown {
  if (values && !values.includes(typed)) {
    const meant = nearestName(typed, values);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw usageError(`${origin} must be one of ${values.join(", ")}, not "${typed}".${hint}`);
  }
  if (type === "string") return typed;
  if (type === "json") return parseJson(typed, origin);
  if (type === "number") {
    const number = Number(typed);
    if (typed.trim() === "" || !Number.isFinite(number))
      throw usageError(`${origin} must be a number, not "${typed}".`);
    return number;
  }
  if (typed !== "true" && typed !== "false") throw usageError(`${origin} must be true or false, not "${typed}".`);
  return typed === "true";
}

export function parseJson(text: string, origin: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`${origin} must be JSON: ${(error as Error).message}.`);
  }
}

/** `name=value`, at the first equals sign. */
export function splitPair(typed: string, origin: string): [name: string, value: string] {
  const at = typed.indexOf("=");
  if (at < 1) throw usageError(`${origin} must be name=value, not "${typed}".`);
  return [typed.slice(0, at), typed.slice(at + 1)];
}
