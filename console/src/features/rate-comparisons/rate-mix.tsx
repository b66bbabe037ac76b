import type { RateComparison, RateComparisonMix, RateComparisonScenario } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Heading, Skeleton } from "../../ui/card.tsx";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { cx } from "../../ui/class-names.ts";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatMoney, plural } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { loadPart } from "../../ui/load-part.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { isAtWork } from "./rate-comparison.can.ts";
import { mixQuery, scenariosQuery } from "./rate-comparisons.queries.ts";
import { Commitments, ComponentMatrix, RuleMix, TargetMatrix, ZoneMatrix } from "./rate-mix-tables.tsx";
import { signedMoney } from "./savings.tsx";

const ScenarioForm = lazy(loadPart(async () => ({ default: (await import("./scenario.form.tsx")).ScenarioForm })));

/** Several contracts side by side, their best mix, and saved scenarios. */
export function RateMix({ comparison, process }: { comparison: RateComparison; process: React.ReactNode }) {
  const { search } = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const mix = useQuery(mixQuery(comparison));
  const scenarios = useQuery(scenariosQuery(comparison));
  const refused = missingScope(useMe(), "rates:write");
  if (comparison.finishedAt === null && !mix.data) {
    return (
      <Card label="Contracts">
        <Empty
          text={
            isAtWork(comparison)
              ? "The items are being priced with each contract. The result appears here when pricing is complete."
              : "Not priced yet. Process the comparison"
          }
        >
          {comparison.revision === 0 && process}
        </Empty>
      </Card>
    );
  }
  if (mix.error && !mix.data) return <ProblemBox error={mix.error} onRetry={() => void mix.refetch()} />;
  if (!mix.data) return <Skeleton rows={12} />;
  const chosen = scenarios.data?.find(({ id }) => id === oneOf(search["scenario"]));
  const shown = chosen?.result ?? mix.data;
  return (
    <div className="flex flex-col gap-3.5">
      <MixFigures mix={shown} />
      <Scenarios comparison={comparison} asIs={mix.data} scenarios={scenarios.data ?? []} chosen={chosen}>
        <Button disabledReason={refused} onClick={() => setAdding(true)}>
          New scenario
        </Button>
      </Scenarios>
      {scenarios.error && <ProblemBox error={scenarios.error} />}
      <TargetMatrix mix={shown}>
        <Download comparison={comparison} chosen={chosen} kind="csv" />
        <Download comparison={comparison} chosen={chosen} kind="xlsx" />
      </TargetMatrix>
      <CostChart mix={shown} />
      <RuleMix mix={shown} />
      <Commitments mix={shown} />
      <div className="grid items-start gap-3.5 xl:grid-cols-2">
        <ZoneMatrix mix={shown} />
        <ComponentMatrix mix={shown} />
      </div>
      {isAdding && (
        <Suspense fallback={null}>
          <ScenarioForm comparison={comparison} mix={mix.data} onClose={() => setAdding(false)} />
        </Suspense>
      )}
    </div>
  );
}

/** Contracts that price different parcels are compared by the parcels that all of them price. */
function CostChart({ mix: { targets, parcels, common, currency } }: { mix: RateComparisonMix }) {
  const areWhole = targets.every((target) => target.parcels === parcels);
  const bars = targets.map((target) => ({
    label: target.name,
    value: areWhole ? target.targetCost : target.commonCost,
  }));
  return (
    <Card label="Cost of each contract" className="px-3 py-2.5">
      <Heading
        title="Cost of each contract"
        note={
          areWhole ? `all ${plural(parcels, "parcel")}` : `the ${plural(common.parcels, "parcel")} that all can price`
        }
      />
      <BarChart label="Cost of each contract" isGrey format={(cost) => formatMoney(cost, currency)} bars={bars} />
    </Card>
  );
}

function MixFigures({ mix }: { mix: RateComparisonMix }) {
  const { currency, bestMix, ruleMix, committedMix } = mix;
  const whole = mix.targets.filter(({ parcels }) => parcels === mix.parcels);
  const best = whole.toSorted((a, b) => a.targetCost - b.targetCost)[0];
  const money = (amount: number): string => formatMoney(amount, currency);
  return (
    <Figures
      label="Costs of the mixes"
      figures={[
        { label: `paid for ${plural(mix.parcels, "parcel")}`, value: money(mix.sourceCost) },
        ...(best ? [{ label: `all parcels with ${best.name}`, value: money(best.targetCost) }] : []),
        { label: "best mix", value: money(bestMix.cost) },
        {
          label: bestMix.savings < 0 ? "the best mix costs more" : "the best mix saves",
          value: signedMoney(bestMix.savings, currency),
          tone: bestMix.savings < 0 ? ("bad" as const) : ("ok" as const),
        },
        ...(ruleMix ? [{ label: "mix by rules", value: money(ruleMix.cost) }] : []),
        ...(committedMix ? [{ label: "mix that meets the commitments", value: money(committedMix.cost) }] : []),
      ]}
    />
  );
}

function Download({
  comparison,
  chosen,
  kind,
}: {
  comparison: RateComparison;
  chosen: RateComparisonScenario | undefined;
  kind: "csv" | "xlsx";
}) {
  const query = chosen ? `?scenarioId=${chosen.id}` : "";
  return (
    <a
      href={`/api/v1/rate-comparisons/${comparison.id}/mix.${kind}${query}`}
      download
      className={buttonClass("quiet")}
      aria-label={kind === "csv" ? "Prices of all contracts as CSV" : "Costs and prices of all contracts as XLSX"}
    >
      {kind.toUpperCase()}
    </a>
  );
}

/** The contracts as they are, and each scenario, in a row. */
function Scenarios({
  comparison,
  asIs,
  scenarios,
  chosen,
  children,
}: {
  comparison: RateComparison;
  asIs: RateComparisonMix;
  scenarios: readonly RateComparisonScenario[];
  chosen: RateComparisonScenario | undefined;
  children: React.ReactNode;
}) {
  const rows = [
    { id: "", name: "As contracted", stale: false, result: asIs as RateComparisonMix | null },
    ...scenarios,
  ];
  const money = (amount: number | undefined) =>
    amount === undefined ? <span className="text-muted">–</span> : formatMoney(amount, asIs.currency);
  return (
    <Card label="Scenarios">
      <div className="px-3 pt-2.5">
        <Heading title="Scenarios" note="Choose one to see its figures below">
          {children}
        </Heading>
      </div>
      <Table label="Scenarios">
        <thead>
          <tr>
            <Th>Scenario</Th>
            {asIs.targets.map(({ target, name }) => (
              <Th key={target} isNumber>
                {name}
              </Th>
            ))}
            <Th isNumber>Best mix</Th>
            <Th isNumber>By rules</Th>
            <Th isNumber>With commitments</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const isOn = row.id === (chosen?.id ?? "");
            return (
              <tr key={row.id} className={cx(isOn && "bg-accent-soft")} aria-current={isOn || undefined}>
                <Td className="min-w-32">
                  <RecordLink href={paths.rate(comparison.id, row.id ? { scenario: row.id } : {})}>
                    {row.name}
                  </RecordLink>
                  {row.stale && <span className="ms-1.5 text-sm text-warn">outdated</span>}
                </Td>
                {asIs.targets.map(({ target }, index) => (
                  <Td key={target} isNumber>
                    {money(row.result?.targets[index]?.targetCost)}
                  </Td>
                ))}
                <Td isNumber className="font-medium">
                  {money(row.result?.bestMix.cost)}
                </Td>
                <Td isNumber>{money(row.result?.ruleMix?.cost)}</Td>
                <Td isNumber>{money(row.result?.committedMix?.cost)}</Td>
                <Td>
                  {row.id !== "" && (
                    <RowActions comparison={comparison} id={row.id} name={row.name} isStale={row.stale} />
                  )}
                </Td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </Card>
  );
}

type RowProps = { comparison: RateComparison; id: string; name: string; isStale: boolean };

function RowActions({ comparison, id, name, isStale }: RowProps) {
  const { set } = useSearchParams();
  const refused = missingScope(useMe(), "rates:write");
  const path = { id: comparison.id, scenarioId: id };
  const refetch = () => queryClient.invalidateQueries({ queryKey: ["rates", "scenarios", comparison.id] });
  const run = useMutation({
    mutationFn: () => hub.call("POST /api/v1/rate-comparisons/{id}/scenarios/{scenarioId}/run", { path }),
    onSuccess: refetch,
  });
  return (
    <span className="flex justify-end gap-1">
      {isStale && (
        <Button kind="quiet" isBusy={run.isPending} disabledReason={refused} onClick={() => run.mutate()}>
          Run again
        </Button>
      )}
      <ConfirmButton
        kind="quiet"
        isDangerous
        label="Delete"
        title={`Delete ${name}?`}
        yes="Delete scenario"
        disabledReason={refused}
        run={async () => {
          await hub.call("DELETE /api/v1/rate-comparisons/{id}/scenarios/{scenarioId}", { path });
          set({ scenario: undefined }, "replace");
          await refetch();
        }}
      >
        <p>Deletes the scenario and its prices. The contracts and the comparison stay as they are.</p>
      </ConfirmButton>
    </span>
  );
}
