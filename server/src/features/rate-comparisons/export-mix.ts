import { fromMg } from "../../carriers/rate-card/measures.ts";
import { toCell, toCsv } from "../../core/csv/csv.ts";
import type { Cell } from "../../core/csv/xlsx.ts";
import { writeXlsx } from "../../core/csv/xlsx.ts";
import { fromCents } from "../../core/money.ts";
import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../context.ts";
import { Streamed, xlsxType } from "../../route.ts";
import { costAt, unpriced } from "./choose-mix.ts";
import type { Choices } from "./present-mix.ts";
import type { PriceMatrix } from "./price-matrix.ts";
import { noPrice, textAt } from "./price-matrix.ts";
import { readTrackingNumbers } from "./rate-items.store.ts";
import type { PricedComparison } from "./rate-mix.ts";
import { getPriced, mixOf, readFigures, readPrices } from "./rate-mix.ts";
import type { Mix, MixExportQuery } from "./rate-mix.schemas.ts";
import { getScenario } from "./rate-scenarios.store.ts";
import { HubError } from "../../core/errors.ts";

/** Rows between yields to the event loop. */
const batchSize = 500;

type Export = { row: PricedComparison; mix: Mix; matrix: PriceMatrix; choices: Choices };

async function prepare(ctx: Ctx, id: string, { scenarioId }: MixExportQuery): Promise<Export> {
  const row = await getPriced(ctx, id);
  if (scenarioId === undefined) {
    const matrix = await readPrices(ctx, row, row.id);
    return { row, matrix, ...(await mixOf(row, await readFigures(ctx, row), matrix, {})) };
  }
  const { revision, definition, result } = await getScenario(ctx.db, ctx.orgId, id, scenarioId);
  if (revision !== row.shown_revision || result === null)
    throw new HubError("invalid_state", "The comparison was processed since. Run the scenario first.");
  const matrix = await readPrices(ctx, row, scenarioId);
  const { choices } = await mixOf(row, await readFigures(ctx, row), matrix, definition);
  return { row, matrix, mix: result, choices };
}

export async function exportMixCsv(ctx: Ctx, id: string, query: MixExportQuery): Promise<Streamed> {
  const prepared = await prepare(ctx, id, query);
  async function* body(): AsyncGenerator<string> {
    for await (const rows of parcelRows(ctx, prepared)) yield toCsv(rows.map((row) => row.map(toCell)));
  }
  return new Streamed("text/csv", `rate-comparison-${id}-mix.csv`, body());
}

export async function exportMixXlsx(ctx: Ctx, id: string, query: MixExportQuery): Promise<Streamed> {
  const prepared = await prepare(ctx, id, query);
  const { mix } = prepared;
  const sheets = [
    { name: "Summary", portions: once(summaryRows(mix)) },
    { name: "Zones", portions: once(zoneRows(mix)) },
    { name: "Costs", portions: once(costRows(mix)) },
    { name: "Parcels", portions: parcelRows(ctx, prepared) },
  ];
  return new Streamed(xlsxType, `rate-comparison-${id}-mix.xlsx`, writeXlsx(sheets));
}

async function* once(rows: Cell[][]): AsyncGenerator<Cell[][]> {
  yield rows;
}

/** A row for each item, and two columns for each target. Without a price the cells are empty, so that columns can be summed. */
async function* parcelRows(ctx: Ctx, { row, mix, matrix, choices }: Export): AsyncGenerator<Cell[][]> {
  const names = row.targets.map(({ name }) => name);
  const mixes = [
    ["best", choices.best],
    ["rules", choices.ruled?.choice],
    ["commitments", choices.committed],
  ] as const;
  const chosen = mixes.flatMap(([name, choice]) => (choice ? [[name, choice] as const] : []));
  yield [
    [
      "trackingNumber",
      "serviceType",
      "serviceLevel",
      "weightLb",
      "sourceCost",
      ...names.flatMap((name) => [`${name}: zone`, `${name}: cost`]),
      ...chosen.flatMap(([name]) => [`${name}: target`, `${name}: cost`]),
    ],
  ];
  const nameOf = (target: number): string => names[target] ?? "source";
  for (let from = 0; from < matrix.count; from += batchSize) {
    const tracking = await readTrackingNumbers(ctx.db, mix.comparisonId, from, batchSize);
    yield tracking.map((trackingNumber, index) => {
      const position = from + index;
      const weight = matrix.weightsMg[position]!;
      return [
        trackingNumber,
        textAt(matrix.serviceTypes, position),
        textAt(matrix.serviceLevels, position),
        Number.isNaN(weight) ? null : fromMg(weight, "lb").value,
        fromCents(matrix.paid[position]!),
        ...matrix.prices.flatMap((prices, target) => {
          const cents = prices[position]!;
          return [textAt(matrix.zones[target]!, position), cents === noPrice ? null : fromCents(cents)];
        }),
        ...chosen.flatMap(([, choice]) => {
          const target = choice[position]!;
          return target === unpriced ? [null, null] : [nameOf(target), fromCents(costAt(matrix, position, target))];
        }),
      ];
    });
    await yieldToEventLoop();
  }
}

function summaryRows(mix: Mix): Cell[][] {
  const { targets, bestMix, ruleMix, committedMix } = mix;
  const nameOf = (number: number): string => targets[number - 1]!.name;
  const mixes: [string, Mix["bestMix"] | null][] = [
    ["Best mix", bestMix],
    ["Mix by rules", ruleMix],
    ["Mix with commitments", committedMix],
  ];
  return [
    ["Currency", mix.currency],
    ["Parcels", mix.parcels],
    ["Paid", mix.sourceCost],
    [],
    ["target", "parcels", "paid", "cost", "savings", "savings %", "best for the same parcels", "common parcels"],
    ...targets.map((one) => [
      one.name,
      one.parcels,
      one.sourceCost,
      one.targetCost,
      one.savings,
      one.savingsPct,
      one.bestCost,
      one.commonCost,
    ]),
    ...mixes.flatMap(([title, shown]): Cell[][] =>
      shown
        ? [
            [],
            [title, "parcels", "cost", "share %"],
            ...shown.targets.map(({ target, parcels, cost, sharePct }) => [nameOf(target), parcels, cost, sharePct]),
            ["source", shown.source.parcels, shown.source.cost],
            ["total", mix.parcels, shown.cost],
          ]
        : [],
    ),
  ];
}

function zoneRows({ targets }: Mix): Cell[][] {
  return [
    ["target", "zone", "parcels", "paid", "cost", "savings"],
    ...targets.flatMap(({ name, zoneBreakdown }) =>
      zoneBreakdown.map((row) => [name, row.zone, row.items, row.sourceCost, row.targetCost, row.savings]),
    ),
  ];
}

function costRows({ targets }: Mix): Cell[][] {
  const parts = targets.map(({ costBreakdown: { base, discount, minimum, fuel, surcharges } }) => ({
    base,
    discount,
    minimum,
    ...surcharges,
    fuel,
  }));
  const codes = [...new Set(parts.flatMap((part) => Object.keys(part)))];
  return [
    ["target", ...codes, "total"],
    ...targets.map(({ name, costBreakdown }, index) => {
      const part: Record<string, number> = parts[index]!;
      return [name, ...codes.map((code) => part[code] ?? null), costBreakdown.total];
    }),
  ];
}
