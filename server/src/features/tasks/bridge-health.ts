import type { World } from "../../context.ts";
import type { OpenBridge } from "../bridges/bridge-tasks.ts";
import type { BridgeOutcome } from "../bridges/bridges.ts";
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
export function createHealthNotes(world: World) {
  const latest = new Map<string, BridgeOutcome>();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    const outcomes = [...latest.values()];
    latest.clear();
    noteOutcomes(world.db, outcomes, world.clock.now()).catch(() => {});
  };
  return {
    note(execution: ExecutionRow, { row: bridge }: OpenBridge, { status, error }: AttemptOutcome): void {
      if (status === "interrupted" || ownFailures.has(error?.code ?? "")) return;
      // Everybody who sees the bridge reads it, and it may quote what was filled in from an order.
      const hidden = isFilledIn(execution)
        ? { message: "A task that a run queued failed; its execution says why." }
        : {};
      const shown = error && { code: error.code, message: error.message, ...hidden };
      latest.set(bridge.id, { bridge, error: shown });
      timer ??= setTimeout(write, healthEveryMs).unref();
    },
  };
}
