import type { FieldError } from "../../../core/errors.ts";
import { toMoment } from "../../../core/time-zones.ts";
import { momentErrors } from "../../orders/order-rules.ts";
import type { ActionEnv } from "../action.ts";

type Params = Record<string, unknown>;

export function needAtLeastOne(params: object, names: readonly string[]): FieldError[] {
  if (names.some((name) => (params as Params)[name] !== undefined)) return [];
  return [{ pointer: "", code: "field_required", message: `At least one of these is required: ${names.join(", ")}.` }];
}

export function allowAtMostOne(params: object, names: readonly string[]): FieldError[] {
  const given = names.filter((name) => (params as Params)[name] !== undefined);
  if (given.length < 2) return [];
  return [{ pointer: `/${given[1]}`, code: "one_of", message: `Only one of ${names.join(", ")} is allowed.` }];
}

export function needOverrideFor(pointer: string, isWanted: boolean | undefined, env: Pick<ActionEnv, "mayOverride">) {
  if (!isWanted || env.mayOverride) return [];
  return [{ pointer, code: "override_required", message: "This requires the scope operations:override." }];
}

export function instantErrors(
  pointer: string,
  text: string | null | undefined,
  limits: { timeZone: string; after?: string; notAfter?: string },
): FieldError[] {
  const errors = momentErrors(pointer, text);
  if (errors.length > 0 || text == null) return errors;
  const at = toMoment(text, limits.timeZone);
  const name = pointer.slice(1);
  if (limits.after !== undefined && at <= limits.after) {
    return [{ pointer, code: "date_in_past", message: `\`${name}\` must be in the future.` }];
  }
  if (limits.notAfter !== undefined && at > limits.notAfter) {
    return [{ pointer, code: "date_in_future", message: `\`${name}\` must not be in the future.` }];
  }
  return [];
}
