import type { RateComparison, RateComparisonItem, Weight } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { SidePanel } from "../../ui/dialog.tsx";
import { FactList } from "../../ui/facts.tsx";
import { formatCount, formatMoney, sentence, words } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { usePanel } from "../../ui/search-params.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import type { QuoteRequest } from "./rate-comparisons.queries.ts";
import { explanationQuery, itemQuery } from "./rate-comparisons.queries.ts";
import { basisTexts, itemTones, lineNames, reasonText, zoneSourceTexts } from "./rate-comparisons.text.ts";
import { Savings, signedPercent } from "./savings.tsx";

/** Price of one item, line by line, with an explanation of each. */
export function RateItemPanel({ comparison }: { comparison: RateComparison }) {
  const { open, show } = usePanel("item");
  const given = Number(open ?? Number.NaN);
  const isOpen = Number.isSafeInteger(given) && given >= 0;
  const { data: item, error } = useQuery({ ...itemQuery(comparison, isOpen ? given : 0), enabled: isOpen });
  const go = (to: number) => () => show(String(to));
  return (
    <SidePanel
      title={item ? <span className="font-mono">{item.trackingNumber}</span> : "Item"}
      isOpen={isOpen}
      onClose={() => show(undefined)}
      actions={
        <>
          <Button kind="quiet" disabledReason={given === 0 && "This is the first item."} onClick={go(given - 1)}>
            Previous
          </Button>
          <Button
            kind="quiet"
            disabledReason={given + 1 >= comparison.itemCount && "This is the last item."}
            onClick={go(given + 1)}
          >
            Next
          </Button>
        </>
      }
    >
      {error && <ProblemBox error={error} />}
      {item === undefined && !error && <Skeleton />}
      {item === null && <p className="text-muted">This comparison has no item with this number.</p>}
      {item && <Price comparison={comparison} item={item} />}
    </SidePanel>
  );
}

function Price({ comparison, item }: { comparison: RateComparison; item: RateComparisonItem }) {
  const { currency } = comparison;
  const money = (amount: number | null): string => formatMoney(amount, currency);
  const explained = useExplanations(comparison, item);
  return (
    <div className="flex flex-col gap-3.5">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge tone={itemTones[item.status] ?? "skip"}>{words(item.status)}</Badge>
        {item.reason && <span>{sentence(reasonText(item.reason))}.</span>}
        {item.targetCost !== null && (
          <span className="tabular-nums">
            {money(item.netCost)} → <strong>{money(item.targetCost)}</strong>{" "}
            <Savings amount={item.savings} currency={currency} />{" "}
            <span className="text-muted">{signedPercent(item.savingsPct)}</span>
          </span>
        )}
      </p>
      {item.lines.length > 0 && (
        <Table label="Why this price">
          <thead>
            <tr>
              <Th>Line</Th>
              <Th>Why</Th>
              <Th isNumber>Amount</Th>
            </tr>
          </thead>
          <tbody>
            {item.lines.map(({ code, amount }) => (
              <tr key={code}>
                <Td className="whitespace-nowrap">
                  {explained?.get(code)?.label ?? lineNames[code] ?? sentence(code)}
                </Td>
                <Td className="text-muted">{explained?.get(code)?.explanation ?? whyOf(code, item)}</Td>
                <Td isNumber>{money(amount)}</Td>
              </tr>
            ))}
            <tr className="font-medium">
              <Td>Would pay</Td>
              <Td className="font-normal text-muted">
                {item.targetLow !== item.targetHigh && `between ${money(item.targetLow)} and ${money(item.targetHigh)}`}
              </Td>
              <Td isNumber>{money(item.targetCost)}</Td>
            </tr>
          </tbody>
        </Table>
      )}
      <FactList facts={factsOf(item)} />
    </div>
  );
}

function factsOf(item: RateComparisonItem): Array<[string, React.ReactNode]> {
  const place = (end: "origin" | "destination"): string =>
    [item[`${end}City`], item[`${end}State`], item[`${end}Zip`]].filter(Boolean).join(" ");
  const miles = item.distanceMiles === null ? "" : `, ${formatCount(item.distanceMiles)} miles`;
  const next = item.alternativeZone ? `; close to zone ${item.alternativeZone}, which the carrier may use` : "";
  const { dimensions: size } = item;
  return [
    ["From", place("origin")],
    ["To", place("destination")],
    ["Zone", item.zone && `${item.zone}, ${zoneSourceTexts[item.zoneSource ?? ""] ?? "source unknown"}${miles}${next}`],
    [
      "Service",
      item.targetService ? `${item.serviceType || "No service"} → ${item.targetService}` : item.serviceType || null,
    ],
    ["Weight", weightOf(item.weight)],
    ["Size", size && `${size.length} × ${size.width} × ${size.height} ${size.unit}`],
    ["Billable weight", weightOf(item.ratedWeight)],
    ["Weight source", item.basis && basisTexts[item.basis]],
    ["Break-even weight", weightOf(item.breakEvenWeight)],
    ["Residential", item.residential === null ? null : item.residential ? "yes" : "no"],
    ["Ship date", item.shipDate],
  ];
}

const weightOf = (weight: Weight | null): string | null => weight && `${weight.value} ${weight.unit}`;

/** Explanation of a line without another quote. */
function whyOf(code: string, item: RateComparisonItem): string {
  if (code !== "base") return "";
  return `${item.targetService ?? ""}, zone ${item.zone ?? "?"}${item.ratedWeight ? `, ${weightOf(item.ratedWeight)}` : ""}`;
}

/** Explanations of the lines from a new quote, if it still gives the same price. */
function useExplanations({ carrierAccountId, options, stale }: RateComparison, item: RateComparisonItem) {
  const weight = item.weight ?? item.ratedWeight;
  const mayAsk = !stale && item.targetCost !== null && weight !== null && item.basis !== "profile";
  const request: QuoteRequest | undefined = mayAsk
    ? {
        origin: endOf(item.originZip, item.originState),
        destination: endOf(item.destinationZip, item.destinationState),
        weight,
        ...(item.dimensions ? { dimensions: item.dimensions } : {}),
        residential: item.residential ?? options.residential ?? null,
        ...(options.rateDate ? { shipDate: options.rateDate } : {}),
        ...(item.targetService ? { services: [item.targetService] } : {}),
        ...(options.scenario ? { scenario: options.scenario } : {}),
      }
    : undefined;
  const { data } = useQuery(explanationQuery(carrierAccountId, request));
  const quote = data?.quotes.find(({ service, total }) => service === item.targetService && total === item.targetCost);
  return quote && new Map(quote.lines.map((line) => [line.code, line]));
}

const endOf = (zip: string | null, state: string | null) => ({ ...(zip ? { zip } : {}), ...(state ? { state } : {}) });
