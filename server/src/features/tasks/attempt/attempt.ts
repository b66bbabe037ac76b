import type { Call, ConnectorTask } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import type { Ctx, World } from "../../../context.ts";
import type { OpenBridge, TaskFailure } from "../../bridges/bridge-tasks.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { ActiveMappings } from "./task-mappings.ts";
import type { Attempt, Execution } from "../tasks.schemas.ts";

/** The context of one attempt. */
export type AttemptWork = {
  world: World;
  ctx: Ctx;
  execution: ExecutionRow;
  bridge: OpenBridge;
  task: ConnectorTask;
  mappings: ActiveMappings;
  call: Call;
  /** False when the lease may have ended, for example after the process was frozen: no effect may be started then. */
  mayStart(): boolean;
};

export type AttemptFailure = TaskFailure & { errors?: unknown[] };

export type AttemptOutcome = {
  status: Attempt["status"];
  result: unknown;
  error: AttemptFailure | null;
  /** The task was not started, so another worker can run it even if it is not idempotent. */
  isUntouched?: boolean;
  sentInput: Record<string, unknown> | null;
  transformations: Execution["transformations"];
};

export type AttemptSource = Pick<AttemptWork, "world" | "execution" | "mappings" | "mayStart"> & {
  bridge: OpenBridge | undefined;
  task: ConnectorTask | undefined;
  signal: AbortSignal;
  progress(processed: number, total?: number): void;
  log(level: "info" | "warn" | "error", message: string): void;
};

type RetryHint = { retryable?: boolean; retryAfterMs?: number | undefined };

/** The task failed as a whole, and its result lists what became of each record. */
export class FailedWithResult extends RemoteError {
  readonly result: Record<string, unknown>;

  constructor(code: string, message: string, result: Record<string, unknown>, hint: RetryHint = {}) {
    const { retryable, retryAfterMs } = hint;
    super(code, message, { retryable, retryAfterMs });
    this.result = result;
  }
}

export function superseded(): RemoteError {
  return new RemoteError("superseded", "Another attempt of this execution, or a cancel, came first.");
}
