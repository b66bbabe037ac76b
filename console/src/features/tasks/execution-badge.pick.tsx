import { Badge } from "../../ui/badge.tsx";
import { formatCount, words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

/** Of executions and of their attempts. */
const tones: Record<string, Tone> = {
  queued: "skip",
  running: "info",
  succeeded: "ok",
  completed_with_errors: "warn",
  failed: "bad",
  timed_out: "bad",
  expired: "warn",
  cancelled: "skip",
  worker_lost: "warn",
  interrupted: "warn",
};

/** How it stands with an execution, wherever one is told of; with a count, with so many of them. */
export function ExecutionBadge({ status, count }: { status: string; count?: number }) {
  return (
    <Badge tone={tones[status] ?? "skip"}>
      {count === undefined ? "" : `${formatCount(count)} `}
      {words(status)}
    </Badge>
  );
}
