import { Badge } from "../../ui/badge.tsx";
import { formatCount, sentence, words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";

/** Tones of execution and attempt statuses. */
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

/** Status of an execution, optionally with a count. */
export function ExecutionBadge({ status, count }: { status: string; count?: number }) {
  return (
    <Badge tone={tones[status] ?? "skip"}>
      {count === undefined ? "" : `${formatCount(count)} `}
      {count === undefined ? sentence(status) : words(status)}
    </Badge>
  );
}
