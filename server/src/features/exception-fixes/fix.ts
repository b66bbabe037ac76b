import type { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { ResolveResponse, ResolveRequest } from "../exceptions/exceptions.schemas.ts";
import type { StoredException } from "../exceptions/exceptions.ts";

/** The requested action. */
export type RequestedAction = ResolveRequest;

/** The outcome for one exception. */
export type Resolution = Omit<ResolveResponse, "exception"> & { id: string };

export type Resolver = {
  /** Groups exceptions of one kind that are resolved together. */
  batchesOf(rows: StoredException[]): StoredException[][];
  /**
   * Resolves one batch within `change()`, so that the response kept for the Idempotency-Key commits with the changes. Throws a
   * HubError only if it applies to the whole batch.
   */
  resolve(ctx: Ctx, rows: StoredException[], requested: RequestedAction): Promise<Resolution[]>;
};

export const eachAlone: Resolver["batchesOf"] = (rows) => rows.map((row) => [row]);

export const closedMeanwhile = { code: "exception_closed", message: "The exception was closed concurrently." };

export function failed(id: string, error: NonNullable<Resolution["error"]>): Resolution {
  return { id, status: "failed", error };
}

export function refused(id: string, { code, message }: HubError): Resolution {
  return failed(id, { code, message });
}
