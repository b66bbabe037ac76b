import type { Call, ConnectorTask } from "../../../connectors/connector.ts";
import { RemoteError } from "../../../core/remote-error.ts";
import type { Ctx, World } from "../../../context.ts";
import type { OpenBridge, TaskFailure } from "../../bridges/bridge-tasks.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { ActiveMappings } from "./task-mappings.ts";
import type { Attempt, Execution } from "../tasks.schemas.ts";

/** Everything one attempt works with. */
export type AttemptWork = {
  world: World;
  ctx: Ctx;
  execution: ExecutionRow;
  bridge: OpenBridge;
  task: ConnectorTask;
  mappings: ActiveMappings;
  call: Call;
  /** False when the lease may be over, say after the process was frozen: what changes something must not begin. */
  mayStart(): boolean;
};

export type AttemptFailure = TaskFailure & { errors?: unknown[] };

export type AttemptOutcome = {
  status: Attempt["status"];
  result: unknown;
  error: AttemptFailure | null;
  /** Nothing of it has begun: whatever the task is, it can be given to somebody else. */
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

type Again = { retryable?: boolean; retryAfterMs?: number | undefined };

/** What became of each record is told also when the task as a whole failed. */
export class FailedWithResult extends RemoteError {
  readonly result: Record<string, unknown>;

  constructor(code: string, message: string, result: Record<string, unknown>, { retryable, retryAfterMs }: Again = {}) {
    super(code, message, { retryable, retryAfterMs });
    this.result = result;
  }
}

export function superseded(): RemoteError {
  return new RemoteError("superseded", "Another attempt of this execution, or a cancel, came first.");
}
