import type { World } from "../../../context.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import type { BridgeOutcome } from "../../bridges/bridges.ts";
import { noteOutcomes } from "../../bridges/bridges.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { isFilledIn } from "../present-execution.ts";
import type { AttemptOutcome } from "../attempt/attempt.ts";

const healthEveryMs = 250;
/** Failures that say nothing about the health of the other side. */
const ownFailures: ReadonlySet<string> = new Set([
  "bridge_inactive",
  "bridge_not_found",
  "cancelled",
  "database_unavailable",
  "no_record_taken",
  "order_not_found",
  "order_number_ambiguous",
  "outbound_paused",
  "outbound_disabled_in_preview",
  "superseded",
  "task_error",
  "transformation_failed",
  "unknown_task",
]);

/** Bridge health is informational: the first outcome is written at once, and those shortly after it in one batch. */
export function createHealthNotes(world: World) {
  const waiting = new Map<string, BridgeOutcome>();
  let isResting = false;
  function write(): void {
    isResting = waiting.size > 0;
    if (!isResting) return;
    const outcomes = [...waiting.values()];
    waiting.clear();
    noteOutcomes(world.db, outcomes, world.clock.now()).catch(() => {});
    setTimeout(write, healthEveryMs).unref();
  }
  return {
    note(execution: ExecutionRow, { row: bridge }: OpenBridge, { status, error }: AttemptOutcome): void {
      if (status === "interrupted" || ownFailures.has(error?.code ?? "")) return;
      // The message may quote order data that was filled in, and every user who may read the bridge sees it.
      const hidden = isFilledIn(execution)
        ? { message: "A task queued by a run failed. See its execution for the reason." }
        : {};
      const shown = error && { code: error.code, message: error.message, ...hidden };
      const before = waiting.get(bridge.id);
      if (before && before.bridge.version > bridge.version) return;
      waiting.set(bridge.id, added(before?.bridge.version === bridge.version ? before : undefined, bridge, shown));
      if (!isResting) write();
    },
  };
}

/** Combines outcomes between two writes, so that no failure, and no success between failures, is lost. */
function added(
  before: BridgeOutcome | undefined,
  { id, version }: BridgeOutcome["bridge"],
  error: BridgeOutcome["error"],
): BridgeOutcome {
  const failures = error === null ? 0 : (before?.failures ?? 0) + 1;
  const isMixed = before !== undefined && (before.isMixed === true || (before.error === null) !== (error === null));
  return { bridge: { id, version }, error, failures, isMixed };
}
