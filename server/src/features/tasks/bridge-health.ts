import type { World } from "../../context.ts";
import { noteOutcomes } from "../bridges/bridges.ts";
import type { AttemptOutcome } from "./run-attempt.ts";

const healthEveryMs = 1_000;
/** Failures that say nothing about the other side. */
const ownFailures: ReadonlySet<string> = new Set([
  "bridge_inactive",
  "bridge_not_found",
  "cancelled",
  "database_unavailable",
  "order_not_found",
  "superseded",
  "task_defect",
  "transformation_failed",
  "unknown_task",
]);

/** The health of a bridge is a hint to people: one write a second for all of them is enough. */
export function createHealthNotes(world: World): { note(bridgeId: string, outcome: AttemptOutcome): void } {
  const latest = new Map<string, { code: string; message: string } | null>();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    const outcomes = [...latest].map(([bridgeId, error]) => ({ bridgeId, error }));
    latest.clear();
    noteOutcomes(world.db, outcomes, world.clock.now()).catch(() => {});
  };
  return {
    note(bridgeId, { status, error }) {
      if (status === "interrupted" || ownFailures.has(error?.code ?? "")) return;
      latest.set(bridgeId, error && { code: error.code, message: error.message });
      timer ??= setTimeout(write, healthEveryMs).unref();
    },
  };
}
