import type { ErrorCode } from "../../core/errors.ts";
import { errorTable } from "../../core/errors.ts";
import type { Advice } from "./advice.ts";
import { reason } from "./advice.ts";
import { conflictAdvice } from "./conflict-advice.ts";
import { requestAdvice } from "./request-advice.ts";

export const errorAdvice: Partial<Record<ErrorCode, Advice>> = { ...requestAdvice, ...conflictAdvice };

/** What to do about a code. Records that are not found share one text. */
export function adviceFor(code: ErrorCode): Advice {
  const advice = errorAdvice[code];
  if (advice) return advice;
  const title = errorTable[code][1];
  return reason(
    code.endsWith("_not_found")
      ? "The organization of the token has no such record: it was deleted, the ID is mistyped or malformed, or it belongs to another organization or environment."
      : `${title}.`,
    code.endsWith("_not_found")
      ? "List the records of this kind, and check that token and address belong to the same environment (live or preview)."
      : "`detail` of the response says what to change.",
  );
}
