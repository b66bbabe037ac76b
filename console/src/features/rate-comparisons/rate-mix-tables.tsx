import type { RateComparisonMix } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { formatCount, formatMoney, plural, sentence } from "../../ui/format.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { lineNames } from "./rate-comparisons.text.ts";
import { Savings, signedPercent } from "./savings.tsx";

type Props = { mix: RateComparisonMix };

/** Every contract in a row: what it would cost, and what it carries in the best mix. */
export function TargetMatrix({ mix, children }: Props & { children?: React.ReactNode }) {
  const { currency, targets, bestMix } = mix;
  return (
    <Card label="Contracts">
      <div className="px-3 pt-2.5">
        <Heading title="Contracts" note={`${plural(mix.parcels, "parcel")} with a price`}>
          {children}
        </Heading>
      </div>
      <Table label="Contracts">
        <thead>
          <tr>
            <Th>Contract</Th>
            <Th isNumber>Parcels</Th>
            <Th isNumber>Paid</Th>
            <Th isNumber>Would pay</Th>
            <Th isNumber>Saves</Th>
            <Th isNumber>Same parcels, best mix</Th>
            <Th isNumber>Common parcels</Th>
            <Th>Share of the best mix</Th>
          </tr>
        </thead>
        <tbody>
          {targets.map((target, index) => {
            const share = bestMix.targets[index]!;
            return (
              <tr key={target.target}>
                <Td className="min-w-40">
                  <span className="flex flex-wrap items-baseline gap-x-1.5">
                    <span className="font-medium">{target.name}</span>
                    <span className="text-sm text-faint">{target.rateCard?.name}</span>
                  </span>
                </Td>
                <Td isNumber>{formatCount(target.parcels)}</Td>
                <Td isNumber>{formatMoney(target.sourceCost, currency)}</Td>
                <Td isNumber>{formatMoney(target.targetCost, currency)}</Td>
                <Td isNumber className="whitespace-nowrap">
                  <Savings amount={target.savings} currency={currency} />{" "}
                  <span className="text-sm text-faint">{signedPercent(target.savingsPct)}</span>
                </Td>
                <Td isNumber>{formatMoney(target.bestCost, currency)}</Td>
                <Td isNumber>{formatMoney(target.commonCost, currency)}</Td>
                <Td className="min-w-44">
                  <ShareCell share={share} currency={currency} />
                </Td>
              </tr>
            );
          })}
          <tr className="font-medium">
            <Td>Best mix</Td>
            <Td isNumber>{formatCount(mix.parcels)}</Td>
            <Td isNumber>{formatMoney(mix.sourceCost, currency)}</Td>
            <Td isNumber>{formatMoney(bestMix.cost, currency)}</Td>
            <Td isNumber className="whitespace-nowrap">
              <Savings amount={bestMix.savings} currency={currency} />{" "}
              <span className="text-sm font-normal text-faint">{signedPercent(bestMix.savingsPct)}</span>
            </Td>
            <Td />
            <Td isNumber className="font-normal text-muted">
              {plural(mix.common.parcels, "parcel")}
            </Td>
            <Td className="font-normal text-muted">
              {bestMix.source.parcels > 0 &&
                `${plural(bestMix.source.parcels, "parcel")} stay with the carrier that was paid`}
            </Td>
          </tr>
        </tbody>
      </Table>
    </Card>
  );
}

function ShareCell({ share, currency }: { share: RateComparisonMix["bestMix"]["targets"][number]; currency: string }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden className="block h-2.5 w-16 rounded-xs bg-skip-soft">
        <span className="block h-full rounded-xs bg-edge" style={{ width: `${share.sharePct}%` }} />
      </span>
      <span className="whitespace-nowrap tabular-nums">
        {share.sharePct.toFixed(1)} %, {formatMoney(share.cost, currency)}
      </span>
    </span>
  );
}

export function RuleMix({ mix }: Props) {
  const { ruleMix, currency, targets } = mix;
  if (!ruleMix) return null;
  return (
    <Card label="Mix by rules">
      <div className="px-3 pt-2.5">
        <Heading
          title="Mix by rules"
          note={`${formatMoney(ruleMix.cost, currency)}, ${formatMoney(ruleMix.aboveBest, currency)} above the best mix`}
        />
      </div>
      <Table label="Mix by rules">
        <thead>
          <tr>
            <Th>Rule</Th>
            <Th isNumber>Parcels</Th>
            <Th isNumber>Cost</Th>
            <Th isNumber>Above the best mix</Th>
          </tr>
        </thead>
        <tbody>
          {ruleMix.rules.map((rule, index) => (
            <tr key={`${rule.target} ${index}`}>
              <Td>
                {index + 1}. {targets[rule.target - 1]!.name}
              </Td>
              <Td isNumber>{formatCount(rule.parcels)}</Td>
              <Td isNumber>{formatMoney(rule.cost, currency)}</Td>
              <Td isNumber>{formatMoney(rule.aboveBest, currency)}</Td>
            </tr>
          ))}
          <tr>
            <Td className="text-muted">No rule: the cheapest contract</Td>
            <Td isNumber>{formatCount(ruleMix.unmatched.parcels)}</Td>
            <Td isNumber>{formatMoney(ruleMix.unmatched.cost, currency)}</Td>
            <Td isNumber>{formatMoney(0, currency)}</Td>
          </tr>
        </tbody>
      </Table>
    </Card>
  );
}

export function Commitments({ mix }: Props) {
  const { committedMix, currency, targets } = mix;
  if (!committedMix) return null;
  return (
    <Card label="Commitments">
      <div className="px-3 pt-2.5">
        <Heading
          title="Commitments"
          note={`${formatMoney(committedMix.cost, currency)}, ${formatMoney(committedMix.aboveBest, currency)} above the best mix`}
        />
      </div>
      <Table label="Commitments">
        <thead>
          <tr>
            <Th>Contract</Th>
            <Th isNumber>Committed</Th>
            <Th isNumber>Parcels</Th>
            <Th isNumber>Cost</Th>
            <Th>Result</Th>
          </tr>
        </thead>
        <tbody>
          {committedMix.commitments.map((one) => (
            <tr key={one.target}>
              <Td>{targets[one.target - 1]!.name}</Td>
              <Td isNumber>
                {[
                  one.minParcels === null ? [] : plural(one.minParcels, "parcel"),
                  one.minRevenue === null ? [] : formatMoney(one.minRevenue, currency),
                ]
                  .flat()
                  .join(", ")}
              </Td>
              <Td isNumber>{formatCount(one.parcels)}</Td>
              <Td isNumber>{formatMoney(one.cost, currency)}</Td>
              <Td>
                <Badge tone={one.isMet ? "ok" : "bad"}>{one.isMet ? "Met" : missingText(one, currency)}</Badge>
              </Td>
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

type Commitment = NonNullable<RateComparisonMix["committedMix"]>["commitments"][number];

function missingText({ missingParcels, missingRevenue }: Commitment, currency: string): string {
  const parts = [
    missingParcels === 0 ? [] : plural(missingParcels, "parcel"),
    missingRevenue === 0 ? [] : formatMoney(missingRevenue, currency),
  ];
  return `${parts.flat().join(" and ")} missing`;
}

/** Zones or price components in rows, contracts in columns. */
function CostMatrix({
  label,
  head,
  mix,
  rows,
}: Props & { label: string; head: string; rows: ReadonlyArray<{ name: string; cells: (number | undefined)[] }> }) {
  return (
    <Card label={label}>
      <div className="px-3 pt-2.5">
        <Heading title={label} />
      </div>
      <Table label={label}>
        <thead>
          <tr>
            <Th>{head}</Th>
            {mix.targets.map(({ target, name }) => (
              <Th key={target} isNumber>
                {name}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr key={name} className={name === "Total" ? "font-medium" : ""}>
              <Td className="whitespace-nowrap">{name}</Td>
              {mix.targets.map(({ target }, index) => (
                <Td key={target} isNumber>
                  {cells[index] === undefined ? (
                    <span className="text-muted">–</span>
                  ) : (
                    formatMoney(cells[index], mix.currency)
                  )}
                </Td>
              ))}
            </tr>
          ))}
        </tbody>
      </Table>
    </Card>
  );
}

export function ZoneMatrix({ mix }: Props) {
  const zones = [...new Set(mix.targets.flatMap((target) => target.zoneBreakdown.map(({ zone }) => zone)))];
  const sorted = zones.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const rows = sorted.map((zone) => ({
    name: zone,
    cells: mix.targets.map((target) => target.zoneBreakdown.find((row) => row.zone === zone)?.targetCost),
  }));
  const total = { name: "Total", cells: mix.targets.map(({ targetCost }) => targetCost) };
  return <CostMatrix label="Cost by zone" head="Zone of the contract" mix={mix} rows={[...rows, total]} />;
}

export function ComponentMatrix({ mix }: Props) {
  const parts = mix.targets.map(({ costBreakdown: { base, discount, minimum, surcharges, fuel } }) => ({
    base,
    discount,
    minimum,
    ...surcharges,
    fuel,
  }));
  const codes = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  const rows = codes.map((code) => ({
    name: lineNames[code] ?? sentence(code),
    cells: parts.map((part: Record<string, number>) => part[code]),
  }));
  const total = { name: "Total", cells: mix.targets.map(({ costBreakdown }) => costBreakdown.total) };
  return <CostMatrix label="Price components" head="Component" mix={mix} rows={[...rows, total]} />;
}
