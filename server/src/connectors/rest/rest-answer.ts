import { compileCondition, referredSets } from "../../core/conditions.ts";
import type { Predicate } from "../../core/conditions.ts";
import type { FieldError } from "../../core/errors.ts";
import { readJson, refusedAnswer, wordsOf } from "../../core/outbound/ask-remote.ts";
import type { HttpResponse } from "../../core/outbound/outbound-request.ts";
import { readPath } from "../json-path.ts";
import { placeholdersOf } from "./rest-template.ts";
import type { FailsWhen } from "./rest.schemas.ts";

/** The body as JSON; undefined where there is none. */
export function bodyOf(response: HttpResponse): unknown {
  return response.text.trim() === "" ? undefined : readJson(response);
}

/** Throws where the body reports a failure that the status does not show, as `failsWhen` of the task describes it. */
export type RefuseFailure = (response: HttpResponse, body: unknown, hasHappened?: boolean) => void;

/** Compiled once for each task, when its first answer arrives. */
export function failureOf(failsWhen: FailsWhen | undefined): RefuseFailure {
  if (failsWhen === undefined) return () => {};
  let fails: Predicate | undefined;
  return (response, body, hasHappened = false) => {
    fails ??= compiled(failsWhen);
    if (!fails(body)) return;
    const { message } = failsWhen;
    const words = message === undefined ? "" : wordsOf(readPath(body, message));
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
  if (typeof compiled !== "function") return compiled;
  const [placeholder] = placeholdersOf(failsWhen.condition);
  if (placeholder === undefined) return [];
  const message = `{${placeholder}} is not filled in here: failsWhen compares the answer with fixed values.`;
  return [{ pointer: at, code: "unknown_placeholder", message }];
}
