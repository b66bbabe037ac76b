import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { FixAnswer, FixRequest } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";

/** What somebody wants done about an exception. */
export type Wanted = FixRequest;

/** What came of it. */
export type Fixed = Omit<FixAnswer, "exception"> & { id: string };

/** Does the same about several of one kind, each for itself. Throws a HubError only where it is about all of them. */
export type Fixer = (ctx: Ctx, rows: StoredException[], wanted: Wanted) => Promise<Fixed[]>;

/** Somebody else has seen to it in the same moment. */
export const closedMeanwhile = { code: "exception_closed", message: "It was closed in the same moment." };

export function failed(id: string, error: NonNullable<Fixed["error"]>): Fixed {
  return { id, status: "failed", error };
}

/** What is refused is told of each that it is about. */
export async function orFailed(rows: readonly { id: string }[], fix: () => Promise<Fixed[]>): Promise<Fixed[]> {
  try {
    return await fix();
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return rows.map(({ id }) => failed(id, { code: error.code, message: error.message }));
  }
}
