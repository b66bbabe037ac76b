import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { Card } from "../../ui/card.tsx";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { useClock } from "../../ui/zone.tsx";
import { runState } from "./run-words.pick.ts";
import { hasEnded } from "./run.can.ts";

/** Progress of the run; its end is announced to screen readers. */
export function RunProgress({ run }: { run: OperationRun }) {
  const { now } = useClock();
  const { summary, labels } = run;
  const processed = summary.succeeded + summary.failed + summary.skipped;
  // Processed orders wait for their carriers: a label that is requested is not bought yet.
  const done = Math.max(0, processed - run.open_label_requests);
  if (hasEnded(run)) {
    return (
      <p role="status" className="sr-only">
        {`${formatCount(processed)} of ${plural(run.order_count, "order")}: ${runState(run).text}`}
      </p>
    );
  }
  const left = timeLeft(run.started_at === null ? 0 : now() - Date.parse(run.started_at), done, run.order_count);
  const costs = (labels.costs ?? []).map(({ total, currency }) => formatMoney(total, currency));
  const facts = [
    labels.requested > 0 && plural(labels.bought, "label"),
    costs.length > 0 && `${costs.join(" and ")} so far`,
    summary.failed > 0 && `${formatCount(summary.failed)} failed`,
  ].filter(Boolean);
  return (
    <Card label="Progress" className="px-4 py-3.5">
      <ProgressBar
        label="Progress"
        done={done}
        total={run.order_count}
        text={[`${formatCount(done)} of ${plural(run.order_count, "order")}`, left, ...facts]
          .filter(Boolean)
          .join(" · ")}
      />
      <p className="mt-1.5 text-sm text-muted">
        You can leave this page: the run continues.{" "}
        {labels.requested > 0
          ? "Stopping keeps the labels that are already bought."
          : "Stopping keeps the changes made so far."}
      </p>
    </Card>
  );
}

/** "about 17 seconds left", from the orders done so far. */
function timeLeft(elapsedMs: number, done: number, total: number): string | undefined {
  if (done === 0 || elapsedMs < 1_000 || done >= total) return undefined;
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1_000);
  return seconds < 90
    ? `about ${plural(seconds, "second")} left`
    : `about ${plural(Math.round(seconds / 60), "minute")} left`;
}
