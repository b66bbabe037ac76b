import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Card } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";
import { toneText } from "../../ui/tone.ts";
import { resultsQuery } from "./operations.queries.ts";
import { VoidLabels } from "./void-labels.tsx";

/** What the run has done, in numbers: labels and money first, else orders. */
export function RunTotals({ run }: { run: OperationRun }) {
  const { summary, labels } = run;
  const isPurchase = labels.requested > 0;
  const done = summary.succeeded - summary.partially_undone;
  return (
    <Card label="Totals">
      <div className="flex flex-wrap">
        {isPurchase && (
          <>
            <Total big={plural(labels.bought, "label")} small={`of ${plural(run.order_count, "order")}`} />
            {(labels.costs ?? []).map(({ currency, total, labels: count }) => (
              <Total
                key={currency}
                big={formatMoney(total, currency)}
                small={`${formatMoney(total / count, currency)} on average`}
              />
            ))}
          </>
        )}
        {!isPurchase && (
          <Total
            big={`${formatCount(done)} ${run.undo_of ? "undone" : "done"}`}
            small={`of ${plural(run.order_count, "order")}`}
          />
        )}
        {summary.partially_undone > 0 && (
          <Total big={`${formatCount(summary.partially_undone)} partly undone`} small="some steps remain" tone="warn" />
        )}
        {summary.failed > 0 && (
          <Total
            big={`${formatCount(summary.failed)} ${run.undo_of ? "not undone" : "failed"}`}
            small={plural(Object.keys(run.errors_by_code).length, "cause")}
            tone={run.undo_of ? "warn" : "bad"}
          />
        )}
        {summary.no_change > 0 && <Total big={`${formatCount(summary.no_change)} unchanged`} small="already correct" />}
        {summary.skipped > 0 && <Total big={`${formatCount(summary.skipped)} skipped`} small="not eligible any more" />}
        {summary.cancelled > 0 && (
          <Total big={`${formatCount(summary.cancelled)} not processed`} small="the run was stopped" />
        )}
        {run.task_summary.failed_orders + run.task_summary.unknown_orders > 0 && (
          <Total
            big={`${formatCount(run.task_summary.failed_orders + run.task_summary.unknown_orders)} not delivered`}
            small="rejected by a connection, or outcome unknown"
            tone="warn"
          />
        )}
        {isPurchase && <Services run={run} />}
      </div>
      <VoidLabels run={run} />
    </Card>
  );
}

function Total({ big, small, tone }: { big: ReactNode; small: string; tone?: Tone }) {
  return (
    <div className="flex flex-col justify-center border-e border-line px-4.5 py-3 last:border-e-0">
      <span className={cx("text-2xl font-semibold tracking-tight", tone && toneText[tone])}>{big}</span>
      <span className="text-sm text-muted">{small}</span>
    </div>
  );
}

/** Names of services are in the prices of the results; the first page has nearly all of them. */
function useServiceNames(run: OperationRun): (service: string) => string {
  const { data } = useQuery(resultsQuery(run.id, {}, 1));
  const names = new Map(
    (data?.data ?? []).flatMap(({ steps }) =>
      steps.flatMap(({ price }) => (price ? [[price.service, price.service_name] as const] : [])),
    ),
  );
  return (service) => names.get(service) ?? service;
}

function Services({ run }: { run: OperationRun }) {
  const nameOf = useServiceNames(run);
  const services = run.label_services ?? [];
  const total = services.reduce((sum, { labels }) => sum + labels, 0);
  if (total === 0) return null;
  return (
    <ul className="grid min-w-64 flex-1 grid-cols-[repeat(auto-fit,minmax(150px,1fr))] gap-x-5 gap-y-2 px-4.5 py-3">
      {services.map(({ carrier_account_id, service, currency, labels, cost }) => (
        <li key={`${carrier_account_id} ${service} ${currency}`}>
          <span className="block truncate font-medium">{nameOf(service)}</span>
          <span aria-hidden className="my-1 block h-1 overflow-hidden rounded-full bg-skip-soft">
            <i className="block h-full bg-skip" style={{ width: `${(labels / total) * 100}%` }} />
          </span>
          <span className="flex justify-between text-sm">
            <span className="text-muted">{plural(labels, "label")}</span>
            <span className="tabular-nums">{formatMoney(cost, currency ?? "")}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
