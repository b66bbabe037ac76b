import type { RateCard, RateCardDetail } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { Card, Heading } from "../../ui/card.tsx";
import type { ChartLine } from "../../ui/charts/lines-chart.tsx";
import { LinesChart } from "../../ui/charts/lines-chart.tsx";
import { FactList } from "../../ui/facts.tsx";
import { formatCount, formatMoney, plural, words } from "../../ui/format.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Table, Td, Th } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { ChangeTerms } from "./card-terms.form.tsx";
import { fuelText, schemeName, surchargeText } from "./carrier-accounts.text.ts";

type Service = RateCard["services"][number];

const byNumber = (a: string, b: string): number => Number(a) - Number(b) || a.localeCompare(b);

/** A rate card in full: prices by weight and zone, surcharges, discounts. */
export function CardView({ detail }: { detail: RateCardDetail }) {
  const { search } = useSearchParams();
  const { card, currency } = detail;
  const wanted = oneOf(search["service"]);
  const service = card.services.find(({ code }) => code === wanted) ?? card.services[0]!;
  return (
    <section aria-label={card.name}>
      <Heading title={card.name} note={`${plural(card.services.length, "service")}, prices in ${currency}`}>
        <ChangeTerms detail={detail} />
      </Heading>
      <TabLinks
        label="Services"
        tabs={card.services.map((one) => ({
          href: paths.carrier(detail.carrierAccountId, { tab: "cards", card: detail.id, service: one.code }),
          label: one.name ?? one.code,
          isOn: one.code === service.code,
        }))}
      />
      <div className="grid items-start gap-3.5 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="flex min-w-0 flex-col gap-3.5">
          <Card className="px-3 py-2.5" label="Price by weight">
            <Heading title="Price by weight" note="before discount, one line per zone" />
            <LinesChart
              label="Price by weight"
              unit={unitOf(service)}
              lines={linesOf(service)}
              format={(amount) => formatMoney(amount, currency)}
            />
          </Card>
          <Prices service={service} currency={currency} />
        </div>
        <div className="flex min-w-0 flex-col gap-3.5">
          <Card className="px-3 py-2.5" label="About the service">
            <Heading title={service.name ?? service.code} note={words(service.level)} />
            <FactList
              facts={[
                ["Discount", discountsOf(service)],
                ["Minimum", minimumOf(service)],
                ["Prices by volume", cubicText(service)],
                ["Hundredweight", hundredweightText(service)],
                ["Several parcels", service.multiPiece === "total" ? "priced by the sum of their weights" : undefined],
                ["Own fuel", ownFuelOf(card, service)],
                ["Dimensional weight", service.dim && dimText(service.dim)],
                ["Limits", limitsOf(service)],
                ["Also called", service.aliases?.join(", ")],
              ]}
            />
          </Card>
          <Card className="px-3 py-2.5" label="Surcharges">
            <Heading title="Surcharges" />
            <FactList
              facts={[
                ["Fuel", fuelText(card.fuel)],
                ...(card.fuelByService ?? []).flatMap((fuel): Array<[string, string]> =>
                  fuel.mode ? [[`Fuel, ${words(fuel.mode)}`, fuelText(fuel)]] : [],
                ),
                ...(card.surcharges ?? []).map((one): [string, string] => [one.label ?? one.code, surchargeText(one)]),
              ]}
            />
          </Card>
          <Card className="px-3 py-2.5" label="Rate card">
            <Heading title="Rate card" />
            <FactList
              facts={[
                ["From", detail.effectiveFrom],
                ["Until", detail.effectiveTo],
                ["Zones", schemeName(card.zoneScheme)],
                ["Note", card.note],
              ]}
            />
          </Card>
        </div>
      </div>
    </section>
  );
}

/** Fuel of its own, in place of that of the card. */
function ownFuelOf({ fuelByService = [] }: RateCard, { code }: Service): string {
  const own = fuelByService.find(({ services }) => services?.includes(code));
  return own ? fuelText(own) : "none";
}

const dimText = ({ divisor, tiers = [], unit = "in" }: NonNullable<Service["dim"]>): string =>
  [
    ...tiers.map((tier) => `by ${formatCount(tier.divisor)} up to ${formatCount(tier.upToVolume)} cubic ${unit}`),
    tiers.length > 0 ? `else by ${formatCount(divisor)}` : `divided by ${formatCount(divisor)}`,
  ].join(", ");

const unitOf = ({ weightBreaks }: Service): string => weightBreaks[0]?.unit ?? "lb";

/** A price without weight breaks is a horizontal line. */
function linesOf({ weightBreaks, rates }: Service): ChartLine[] {
  return Object.entries(rates)
    .toSorted(([a], [b]) => byNumber(a, b))
    .map(([zone, prices]) => ({
      name: `zone ${zone}`,
      points: prices.flatMap((price, at) => {
        const upTo = weightBreaks[at]?.upTo;
        if (price === null) return [];
        return upTo === null || upTo === undefined ? [0, 1].map((x) => ({ x, y: price })) : [{ x: upTo, y: price }];
      }),
    }));
}

const maxRows = 30;

function Prices({ service, currency }: { service: Service; currency: string }) {
  const zones = Object.keys(service.rates).toSorted(byNumber);
  const shown = service.weightBreaks.slice(0, maxRows);
  const more = service.weightBreaks.length - shown.length;
  return (
    <Card label="Prices">
      <Table label="Prices by weight and zone">
        <thead>
          <tr>
            <Th>Up to</Th>
            {zones.map((zone) => (
              <Th key={zone} isNumber>
                Zone {zone}
              </Th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ upTo, unit }, at) => (
            <tr key={at}>
              <Td className="whitespace-nowrap text-muted">
                {upTo === null ? "any weight" : `${upTo} ${unit ?? "lb"}`}
              </Td>
              {zones.map((zone) => {
                const price = service.rates[zone]?.[at];
                return (
                  <Td key={zone} isNumber>
                    {price === null || price === undefined ? (
                      <span className="text-muted">–</span>
                    ) : (
                      formatMoney(price, currency)
                    )}
                  </Td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </Table>
      {more > 0 && (
        <p className="px-3 py-1.5 text-sm text-muted">
          And {plural(more, "heavier row")}; the chart above has all of them, also as a table.
        </p>
      )}
    </Card>
  );
}

function discountsOf({ discounts = [] }: Service): string {
  return (
    discounts
      .map(({ percent, amount, tiers, zones, weightFrom, weightTo }) =>
        [
          [percent === undefined ? "" : `${percent} %`, amount === undefined ? "" : amount.toFixed(2)]
            .filter(Boolean)
            .join(" and "),
          tiers
            ?.map((tier) => `${tier.percent} % from a weekly revenue of ${formatCount(tier.revenueFrom)}`)
            .join(", "),
          zones && `zones ${zones.join(", ")}`,
          weightFrom && `from ${weightFrom.value} ${weightFrom.unit}`,
          weightTo && `up to ${weightTo.value} ${weightTo.unit}`,
        ]
          .filter(Boolean)
          .join(", "),
      )
      .join("; ") || "none"
  );
}

function minimumOf({ minimum }: Service): string {
  if (!minimum) return "none";
  if (minimum.amount !== undefined) return minimum.amount.toFixed(2);
  const less = minimum.reduction === undefined ? "" : `, less ${minimum.reduction.toFixed(2)}`;
  return `the list price of zone ${minimum.zone ?? "?"}${minimum.weight ? `, ${minimum.weight.value} ${minimum.weight.unit}` : ""}${less}`;
}

function cubicText({ cubic }: Service): string | undefined {
  if (!cubic) return undefined;
  const { tiers, maxWeight, maxLength } = cubic;
  return [
    `${plural(tiers.length, "tier")} up to ${tiers.at(-1)} cubic ft`,
    maxWeight && `up to ${maxWeight.value} ${maxWeight.unit}`,
    maxLength && `up to ${maxLength} in long`,
  ]
    .filter(Boolean)
    .join(", ");
}

function hundredweightText({ hundredweight }: Service): string | undefined {
  if (!hundredweight) return undefined;
  const { weightFrom, unit = "lb", discountPercent, minimum } = hundredweight;
  return [
    `from ${weightFrom[0]} ${unit}`,
    discountPercent && `less ${discountPercent} %`,
    minimum && `at least ${minimum.toFixed(2)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

function limitsOf({ limits }: Service): string | undefined {
  if (!limits) return undefined;
  return [
    limits.maxWeight && `${limits.maxWeight.value} ${limits.maxWeight.unit}`,
    limits.maxLength && `${limits.maxLength} in long`,
    limits.maxLengthPlusGirth && `${limits.maxLengthPlusGirth} in length and girth`,
    limits.destinationSet && `only to ${limits.destinationSet}`,
  ]
    .filter(Boolean)
    .join(", ");
}
