import type { Ctx } from "../../../context.ts";
import type { Pipeline, StepResult } from "../evaluate.ts";
import type { RunDetail } from "../run.schemas.ts";
import type { RunRow } from "./runs.store.ts";

/** A run that this process has leased. */
export type LeasedRun = {
  ctx: Ctx;
  run: RunRow;
  /** An error instead of a pipeline fails every order of the run. */
  pipeline: Pipeline | RunError;
  /** The request that waits for the run; its response is kept in the transaction that ends the run. */
  request?: Ctx;
  response?: RunDetail;
};
export type RunError = NonNullable<StepResult["error"]>;
