import type { Problem } from "../request-rules.ts";
import type { CarrierReply } from "../stand-in-api.ts";

export function fail(status: number, code: string, message: string, errors: unknown[] = []): CarrierReply {
  return { status, body: { error: { code, message, errors } } };
}

export const notFound = (): CarrierReply => fail(404, "NOT_FOUND", "The requested resource could not be found.");

/** A missing field has another code than a wrong one; entries name the field without its parents. */
export function refuse(problems: Problem[], code: string): CarrierReply {
  const fieldOf = ({ path }: Problem): string => path.at(-1) ?? "";
  const missing = problems.filter(({ rule }) => rule === "required");
  if (missing.length > 0) {
    const errors = missing.map((problem) => ({ field: fieldOf(problem), message: "cannot be blank" }));
    return fail(422, "PARAMETER.REQUIRED", "Missing required parameter.", errors);
  }
  const errors = problems.map((problem) => ({ field: fieldOf(problem), message: problem.message }));
  return fail(422, code, "One or more parameters were invalid.", errors);
}

/** The API writes lengths and weights as floats: 14 ounces are 14.0, in answers and in webhooks. */
export function withFloats(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /"(weight|length|width|height|latitude|longitude)":(-?\d+)(?=[,}])/g,
    (_, key: string, whole: string) => `"${key}":${whole}.0`,
  );
}
