import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { formatCount, sentence } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

export type State = { tone: Tone; text: string };

const runStates: Record<string, State> = {
  queued: { tone: "skip", text: "Queued" },
  running: { tone: "info", text: "Running" },
  succeeded: { tone: "ok", text: "Done" },
  cancelled: { tone: "skip", text: "Stopped" },
};

/** State of a run. An undo that could not undo everything is amber: neither failed nor complete. */
export function runState({ status, summary, undo_of }: Pick<OperationRun, "status" | "summary" | "undo_of">): State {
  const isPartial = summary.partially_undone > 0 || (undo_of !== null && status === "partially_failed");
  if (isPartial && status !== "failed" && status !== "running") return { tone: "warn", text: "Partly undone" };
  if (undo_of !== null && status === "failed") return { tone: "warn", text: "Not undone" };
  if (status === "failed" || status === "partially_failed") {
    const text = summary.failed > 0 ? `${formatCount(summary.failed)} failed` : "Partly failed";
    return { tone: status === "failed" ? "bad" : "warn", text };
  }
  return runStates[status] ?? { tone: "skip", text: sentence(status) };
}

/** Name of a run in lists and titles. */
export function runTitle(run: Pick<OperationRun, "note" | "undo_of" | "retry_of" | "actions">, steps: string): string {
  const name = run.note || steps || "Run";
  return run.undo_of ? `Undo: ${name}` : run.retry_of ? `Retry: ${name}` : name;
}
