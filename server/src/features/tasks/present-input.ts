import { maskPersonsWithin, maskTexts, maySeePersonalData } from "../../core/mask-person.ts";
import { maskSecretsWithin } from "../../core/mask-secrets.ts";
import type { Ctx } from "../../context.ts";

/**
 * The input of a task as shown on executions, schedules and pipelines. Values that look like credentials are masked for every caller.
 * `isFilledIn`: order fields were filled in, so any text may be personal data.
 */
export function presentTaskInput<T>(ctx: Pick<Ctx, "principal">, input: T, isFilledIn = false): T {
  const shown = maskSecretsWithin(input);
  if (maySeePersonalData(ctx)) return shown as T;
  const masked = maskPersonsWithin(shown);
  return (isFilledIn ? maskTexts(masked) : masked) as T;
}
