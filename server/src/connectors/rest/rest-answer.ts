import { compileCondition, referredSets } from "../../core/conditions.ts";
import type { Predicate } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import { readJson, refusedAnswer, wordsOf } from "../../core/outbound/ask-remote.ts";
import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { readPath } from "../json-path.ts";
import type { FailsWhen } from "./rest-request.schemas.ts";

/** The body as JSON; undefined if it is empty. */
export function bodyOf(response: HttpResponse): unknown {
  return response.text.trim() === "" ? undefined : readJson(response);
}

/** Throws if the body reports a failure that the status does not show, as `failsWhen` of the task describes. */
export type RefuseFailure = (response: HttpResponse, body: unknown, hasHappened?: boolean) => void;

/** Compiled once per task, with its first response. */
export function failureOf(failsWhen: FailsWhen | undefined): RefuseFailure {
  if (failsWhen === undefined) return () => {};
  let fails: Predicate | undefined;
  return (response, body, hasHappened = false) => {
    fails ??= compiled(failsWhen);
    if (!fails(body, new Date())) return;
    const { messagePath } = failsWhen;
    const words = messagePath === undefined ? "" : wordsOf(readPath(body, messagePath));
    throw refusedAnswer(response, words, hasHappened);
  };
}

function compiled({ condition }: FailsWhen): Predicate {
  const predicate = compileCondition(condition, () => undefined, "");
  if (typeof predicate === "function") return predicate;
  throw new Error(`failsWhen was stored with a condition that cannot be read: ${predicate[0]!.message}`);
}

export function failsWhenProblems(pointer: string, failsWhen: FailsWhen | undefined): FieldError[] {
  if (failsWhen === undefined) return [];
  const at = `${pointer}/condition`;
  if (referredSets(failsWhen.condition).length > 0) {
    return [{ pointer: at, code: "operator", message: "Condition sets cannot be used in failsWhen; use `in`." }];
  }
  const compiled = compileCondition(failsWhen.condition, () => undefined, at);
  return typeof compiled === "function" ? [] : compiled;
}
