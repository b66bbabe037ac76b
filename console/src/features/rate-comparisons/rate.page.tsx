import type { RateComparison } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useWatch } from "../../live/watch.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatCount, plural, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { ProgressBar } from "../../ui/progress-bar.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { comparisonCan, isAtWork } from "./rate-comparison.can.ts";
import { comparisonQuery, summaryQuery } from "./rate-comparisons.queries.ts";
import { comparisonTones } from "./rate-comparisons.text.ts";
import { RateItems } from "./rate-items.tsx";
import { RateMix } from "./rate-mix.tsx";
import { RateSummary } from "./rate-summary.tsx";
import { useScenario, WhatIf } from "./rate-what-if.tsx";

const above = { href: paths.rates(), name: "Rates" };

export function RatePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(comparisonQuery(id));
  const comparison = query.data;
  useWatch(
    comparison && isAtWork(comparison) ? id : undefined,
    (signal) => hub.stream("GET /api/v1/rate-comparisons/{id}/watch", { path: { id }, signal }),
    (state, isLast) => {
      queryClient.setQueryData(["rates", "one", id], state);
      if (isLast) void queryClient.invalidateQueries({ queryKey: ["rates"] });
    },
  );
  return (
    <RecordPage above={above} query={query}>
      {(shown) => <Comparison comparison={shown} key={id} />}
    </RecordPage>
  );
}

function Comparison({ comparison }: { comparison: RateComparison }) {
  const me = useMe();
  const { search } = useSearchParams();
  const asked = oneOf(search["tab"]);
  const { targets } = comparison;
  const tab = asked === "items" || (asked === "summary" && targets) ? asked : targets ? "mix" : "summary";
  const process = useMutation({
    mutationFn: () => hub.call("POST /api/v1/rate-comparisons/{id}/process", { path: { id: comparison.id }, body: {} }),
    onSuccess: (next) => queryClient.setQueryData(["rates", "one", comparison.id], next),
  });
  const processButton = (
    <Button
      kind={comparison.status === "draft" ? "primary" : "plain"}
      isBusy={process.isPending}
      disabledReason={comparisonCan.process(comparison, me)}
      onClick={() => process.mutate()}
    >
      {comparison.revision === 0 ? "Process" : "Process again"}
    </Button>
  );
  return (
    <>
      <PageHead
        above={above}
        title={comparison.name}
        note={<Badge tone={comparisonTones[comparison.status] ?? "skip"}>{words(comparison.status)}</Badge>}
      >
        {processButton}
        <a
          href={`/api/v1/rate-comparisons/${comparison.id}/export.csv`}
          download
          className={buttonClass("quiet")}
          aria-label="All items as CSV"
        >
          CSV
        </a>
        <a
          href={`/api/v1/rate-comparisons/${comparison.id}/export.xlsx`}
          download
          className={buttonClass("quiet")}
          aria-label="Summary and items as XLSX"
        >
          XLSX
        </a>
        <Remove comparison={comparison} />
      </PageHead>
      <p className="mb-2 text-muted">
        {comparison.sourceCarrier || "Amount paid"} →{" "}
        <Link
          href={paths.carrier(comparison.carrierAccountId)}
          className="text-accent-text underline underline-offset-2"
        >
          {comparison.carrierAccountName}
        </Link>
        {targets && targets.length > 1 && ` and ${plural(targets.length - 1, "other contract")}`}
        {!targets && comparison.rateCard && `, ${comparison.rateCard.name}`}, {plural(comparison.itemCount, "item")}
        {comparison.finishedAt && (
          <>
            , {pricedShare(comparison)} priced, <Time at={comparison.finishedAt} />
          </>
        )}
      </p>
      {comparison.stale && !isAtWork(comparison) && (
        <p className="mb-2 text-warn">
          The rate card has changed since the items were priced. Process the comparison again.
        </p>
      )}
      {process.error && <ProblemBox error={process.error} />}
      {comparison.error && comparison.status === "failed" && (
        <p role="alert" className="mb-2 text-bad">
          {comparison.error.message} <code className="font-mono text-sm">{comparison.error.code}</code>
        </p>
      )}
      {isAtWork(comparison) && (
        <ProgressBar
          label="Progress"
          done={comparison.progress.processed}
          total={comparison.progress.total}
          text={`${comparison.progress.percent} %: ${formatCount(comparison.progress.processed)} of ${plural(comparison.progress.total, "item")} priced`}
        />
      )}
      <TabLinks
        label="Parts of the comparison"
        tabs={[
          ...(targets
            ? [{ href: paths.rate(comparison.id), label: "Contracts", count: targets.length, isOn: tab === "mix" }]
            : []),
          {
            href: paths.rate(comparison.id, targets ? { tab: "summary" } : {}),
            label: targets ? `Summary of ${targets[0]!.name}` : "Summary",
            isOn: tab === "summary",
          },
          {
            href: paths.rate(comparison.id, { tab: "items" }),
            label: "Items",
            count: comparison.itemCount,
            isOn: tab === "items",
          },
        ]}
      />
      {tab === "items" ? (
        <RateItems comparison={comparison} />
      ) : tab === "mix" ? (
        <RateMix comparison={comparison} process={processButton} />
      ) : (
        <SummaryTab comparison={comparison} process={processButton} />
      )}
    </>
  );
}

const pricedShare = ({ counts, itemCount }: RateComparison): string =>
  itemCount === 0 ? "0 %" : `${(Math.floor(((counts.rated + counts.estimated) / itemCount) * 1000) / 10).toFixed(1)} %`;

function SummaryTab({ comparison, process }: { comparison: RateComparison; process: React.ReactNode }) {
  const scenario = useScenario();
  const asIs = useQuery(summaryQuery(comparison));
  const shown = useQuery(summaryQuery(comparison, scenario));
  if (asIs.error && !asIs.data) return <ProblemBox error={asIs.error} onRetry={() => void asIs.refetch()} />;
  if (!asIs.data) return <Skeleton rows={12} />;
  if (asIs.data.coverage.compared === 0) {
    return (
      <Card label="Summary">
        <Empty
          text={
            isAtWork(comparison)
              ? "The items are being priced. The result appears here when pricing is complete."
              : comparison.revision === 0
                ? "Not priced yet. Process the comparison"
                : "No item has a price. The Items tab shows the reason for each."
          }
        >
          {comparison.revision === 0 && process}
        </Empty>
      </Card>
    );
  }
  const summary = shown.data ?? asIs.data;
  const isOld = shown.isPlaceholderData && shown.isFetching;
  return (
    <div className="flex flex-col gap-3.5">
      <WhatIf comparison={comparison} asIs={asIs.data} shown={shown.data} error={shown.error} isOld={isOld} />
      <RateSummary comparison={comparison} summary={summary} isOld={isOld} />
    </div>
  );
}

function Remove({ comparison }: { comparison: RateComparison }) {
  const router = useRouter();
  return (
    <ConfirmButton
      kind="quiet"
      isDangerous
      label="Delete"
      title={`Delete ${comparison.name}?`}
      yes={`Delete ${plural(comparison.itemCount, "item")}`}
      disabledReason={comparisonCan.remove(comparison, useMe())}
      run={async () => {
        await hub.call("DELETE /api/v1/rate-comparisons/{id}", { path: { id: comparison.id } });
        router.history.push(paths.rates());
        await queryClient.invalidateQueries({ queryKey: ["rates", "list"] });
      }}
    >
      <p>Deletes the comparison with its items and prices. The contract is not changed.</p>
    </ConfirmButton>
  );
}
