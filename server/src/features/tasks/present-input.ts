import { maskPersonsWithin, maskTexts, maySeePersonalData } from "../../core/mask-person.ts";
import { maskSecretsWithin } from "../../core/mask-secrets.ts";
import type { Ctx } from "../../context.ts";

/**
 * The input of a task, wherever it is shown: of an execution, a schedule, a pipeline. What looks like a credential is masked for every caller.
 * `isFilledIn`: fields of an order were filled in, so that any text may be a name.
 */
export function presentTaskInput<T>(ctx: Pick<Ctx, "principal">, input: T, isFilledIn = false): T {
  const shown = maskSecretsWithin(input);
  if (maySeePersonalData(ctx)) return shown as T;
  const masked = maskPersonsWithin(shown);
  return (isFilledIn ? maskTexts(masked) : masked) as T;
}
