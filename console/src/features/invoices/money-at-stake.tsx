import { useQuery } from "@tanstack/react-query";
import { Card, Heading } from "../../ui/card.tsx";
import { BarChart } from "../../ui/charts/bar-chart.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatMoney, plural, sentence } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { useSearchParams } from "../../ui/search-params.ts";
import type { FindingCounts, FindingFilter } from "./findings.queries.ts";
import { findingCountsQuery } from "./findings.queries.ts";
import { amountsOf, countOf, findingName, findingStates } from "./findings.text.ts";

type Group = FindingCounts["groups"][number];

type Props = {
  /** The filter of the list, without its state. */
  filter: FindingFilter;
  /** The state that the list shows; undefined: all. */
  state: string | undefined;
  hrefOfKind(kind: string): string;
};

/** What was billed too much: by state, and the open findings by kind. */
export function MoneyAtStake({ filter, state, hrefOfKind }: Props) {
  const { set } = useSearchParams();
  const counts = useQuery(findingCountsQuery(filter));
  if (counts.error && !counts.data) return <ProblemBox error={counts.error} onRetry={() => void counts.refetch()} />;
  const groups = counts.data?.groups ?? [];
  const pick = (next: string): void => set({ state: next === "open" ? undefined : next, page: undefined });
  const inState = (name: string): Group[] => groups.filter((group) => group.state === name);
  const currencies = [...new Set(inState("open").map(({ currency }) => currency))];
  return (
    <div className="mb-2.5 flex flex-col gap-2.5">
      <Figures
        label="Findings by state"
        figures={[
          ...findingStates.map((name) => ({
            label: `${sentence(name)}, ${plural(countOf(inState(name)), "finding")}`,
            value: amountsOf(inState(name), groups[0]?.currency),
            isOn: state === name,
            onPick: () => pick(name),
          })),
          {
            label: `All, ${plural(countOf(groups), "finding")}`,
            value: amountsOf(groups),
            isOn: state === undefined,
            onPick: () => pick("all"),
          },
        ]}
      />
      {currencies.map((currency) => (
        <Card key={currency} label={`Open findings by kind, ${currency}`} className="px-3 py-2.5">
          <Heading title="Open findings by kind" note={currencies.length > 1 ? currency : "money at stake"} />
          <BarChart
            label={`Open findings by kind, ${currency}`}
            isGrey
            format={(amount) => formatMoney(amount, currency)}
            bars={inState("open")
              .filter((group) => group.currency === currency)
              .toSorted((one, other) => other.amount - one.amount)
              .map(({ kind, amount, findings }) => ({
                label: findingName({ kind }),
                value: amount,
                note: plural(findings, "finding"),
                href: hrefOfKind(kind),
              }))}
          />
        </Card>
      ))}
    </div>
  );
}
