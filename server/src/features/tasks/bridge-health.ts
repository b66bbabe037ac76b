import type { World } from "../../context.ts";
import { noteOutcomes } from "../bridges/bridges.ts";
import type { ExecutionRow } from "./executions.store.ts";
import { isFilledIn } from "./present-execution.ts";
import type { AttemptOutcome } from "./attempt.ts";

const healthEveryMs = 1_000;
/** Failures that say nothing about the other side. */
const ownFailures: ReadonlySet<string> = new Set([
  "bridge_inactive",
  "bridge_not_found",
  "cancelled",
  "database_unavailable",
  "order_not_found",
  "preview_calls_nobody",
  "superseded",
  "task_defect",
  "transformation_failed",
  "unknown_task",
]);

/** The health of a bridge is a hint to people: one write a second for all of them is enough. */
export function createHealthNotes(world: World): { note(execution: ExecutionRow, outcome: AttemptOutcome): void } {
  const latest = new Map<string, { code: string; message: string } | null>();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    const outcomes = [...latest].map(([bridgeId, error]) => ({ bridgeId, error }));
    latest.clear();
    noteOutcomes(world.db, outcomes, world.clock.now()).catch(() => {});
  };
  return {
    note(execution, { status, error }) {
      if (status === "interrupted" || ownFailures.has(error?.code ?? "")) return;
      // Everybody who sees the bridge reads it, and it may quote what was filled in from an order.
      const hidden = isFilledIn(execution)
        ? { message: "A task that a run queued failed; its execution says why." }
        : {};
      latest.set(execution.bridge_id, error && { code: error.code, message: error.message, ...hidden });
      timer ??= setTimeout(write, healthEveryMs).unref();
    },
  };
}
