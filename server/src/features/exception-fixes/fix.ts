import type { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { ResolveResponse, ResolveRequest } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";

/** What somebody wants done about an exception. */
export type Wanted = ResolveRequest;

/** What came of it. */
export type Fixed = Omit<ResolveResponse, "exception"> & { id: string };

export type Fixer = {
  /** Which of these, all of one kind, are fixed together. */
  portionsOf(rows: StoredException[]): StoredException[][];
  /**
   * Fixes a portion, by `change()`: what is kept for a repeated Idempotency-Key commits with what was done. Throws a
   * HubError only where it is about all of them.
   */
  fix(ctx: Ctx, rows: StoredException[], wanted: Wanted): Promise<Fixed[]>;
};

export const eachAlone: Fixer["portionsOf"] = (rows) => rows.map((row) => [row]);

/** Somebody else has seen to it in the same moment. */
export const closedMeanwhile = { code: "exception_closed", message: "It was closed in the same moment." };

export function failed(id: string, error: NonNullable<Fixed["error"]>): Fixed {
  return { id, status: "failed", error };
}

export function refused(id: string, { code, message }: HubError): Fixed {
  return failed(id, { code, message });
}
