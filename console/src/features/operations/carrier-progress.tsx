import { useQuery } from "@tanstack/react-query";
import { queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import type { PreflightProgress } from "./operations.queries.ts";
import { preflightProgressQuery } from "./operations.queries.ts";

const notes: Record<string, string> = {
  waiting: "waiting for the rate limit of the carrier",
  stopped: "failed several times, no further requests",
};

/** Progress of a preflight that asks carriers for prices. */
export function CarrierProgress() {
  const { data: progress } = useQuery(preflightProgressQuery);
  if (!progress) return null;
  return (
    <div className="mb-3.5 flex flex-col gap-2 rounded-lg border border-line bg-panel px-3 py-2.5">
      <ProgressBar
        label="Prices from carriers"
        done={progress.evaluated}
        total={progress.orders}
        text={`${formatCount(progress.evaluated)} of ${plural(progress.orders, "order")} checked`}
      />
      <ul className="text-sm text-muted">
        {progress.prices.map((one) => (
          <li key={one.carrier_account_id}>{lineOf(one)}</li>
        ))}
      </ul>
      <div>
        <Button onClick={() => void queryClient.cancelQueries({ queryKey: ["operations", "preflight"] })}>
          Cancel
        </Button>
      </div>
    </div>
  );
}

function lineOf(account: PreflightProgress["prices"][number]): string {
  const { carrier_account: name, answered, failed, pending, status } = account;
  const counts = [
    `${formatCount(answered)} answered`,
    failed > 0 && `${formatCount(failed)} failed`,
    pending > 0 && `${formatCount(pending)} open`,
    notes[status],
  ];
  return `${name}: ${counts.filter(Boolean).join(", ")}`;
}
