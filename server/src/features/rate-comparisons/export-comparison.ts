import { toCell, toCsv } from "../../core/csv/csv.ts";
import { yieldToEventLoop, batchesOf } from "../../core/yield-to-event-loop.ts";
import type { Cell } from "../../core/csv/xlsx.ts";
import { writeXlsx } from "../../core/csv/xlsx.ts";
import type { Ctx } from "../../context.ts";
import { Streamed, xlsxType } from "../../route.ts";
import { findCards } from "./comparison-work.store.ts";
import { presentItem } from "./present-comparison.ts";
import type { Item, ItemFilter } from "./rate-items.schemas.ts";
import { getShown, getSummary } from "./rate-comparisons.ts";
import type { Shown } from "./rate-item-list.store.ts";
import { readItemsFrom } from "./rate-item-list.store.ts";
import type { Summary } from "./summary.schemas.ts";

/** Rows per query. */
const batchSize = 250;
const filteredBatchSize = 1_000;
/** Rows between yields to the event loop: formatting a row takes several times as long as reading it. */
const rowsAtOnce = 50;

type Column = [name: string, read: (item: Item) => Cell];

/** Input columns have names that the import detects. */
const columns: Column[] = [
  ["trackingNumber", (item) => item.trackingNumber],
  ["netCost", (item) => item.netCost],
  ["serviceType", (item) => item.serviceType],
  ["chargeType", (item) => item.chargeType],
  ["originZip", (item) => item.originZip],
  ["originCity", (item) => item.originCity],
  ["originState", (item) => item.originState],
  ["destinationZip", (item) => item.destinationZip],
  ["destinationCity", (item) => item.destinationCity],
  ["destinationState", (item) => item.destinationState],
  ["weight", (item) => item.weight?.value],
  ["weightUnit", (item) => item.weight?.unit],
  ["length", (item) => item.dimensions?.length],
  ["width", (item) => item.dimensions?.width],
  ["height", (item) => item.dimensions?.height],
  ["dimensionUnit", (item) => item.dimensions?.unit],
  ["residential", (item) => item.residential],
  ["shipDate", (item) => (item.shipDate === null ? null : { day: item.shipDate })],
  ["currency", (item) => item.currency],
  ["foreignCountry", (item) => item.foreignCountry],
  ["status", (item) => item.status],
  ["reason", (item) => item.reason],
  ["zone", (item) => item.zone],
  ["alternativeZone", (item) => item.alternativeZone],
  ["distanceMiles", (item) => item.distanceMiles],
  ["serviceLevel", (item) => item.serviceLevel],
  ["targetService", (item) => item.targetService],
  ["basis", (item) => item.basis],
  ["ratedWeightLb", (item) => item.ratedWeight?.value],
  ["sourceCost", (item) => item.sourceCost],
  ["targetCost", (item) => item.targetCost],
  ["targetLow", (item) => item.targetLow],
  ["targetHigh", (item) => item.targetHigh],
  ["savings", (item) => item.savings],
  ["savingsPct", (item) => item.savingsPct],
  ["outcome", (item) => item.outcome],
  ["breakEvenWeightLb", (item) => item.breakEvenWeight?.value],
  ["lines", (item) => item.lines.map(({ code, amount }) => `${code} ${amount.toFixed(2)}`).join("; ")],
];

/** Adds a column for each charge of the cards, so that they can be summed. */
async function columnsFor(ctx: Ctx, id: string): Promise<Column[]> {
  const cards = await findCards(ctx.db, ctx.orgId, id);
  if (!cards) return columns;
  const surcharges = [cards.card, ...(cards.dated_cards?.target.cards ?? [])].flatMap((card) => card.surcharges ?? []);
  const codes = new Set(["base", "discount", "minimum", ...surcharges.map(({ code }) => code), "fuel"]);
  return [...columns, ...Array.from(codes, chargeColumn)];
}

function chargeColumn(code: string): Column {
  return [`charge.${code}`, ({ lines }) => lines.find((line) => line.code === code)?.amount];
}

/** Reads batches while the response is sent: neither memory nor a transaction has to hold all rows. */
async function* readBatches(ctx: Ctx, shown: Shown, filter: ItemFilter, wanted: Column[]): AsyncGenerator<Cell[][]> {
  yield [wanted.map(([name]) => name)];
  // With a filter, few of the rows may match.
  const size = Object.values(filter).some((value) => value !== undefined) ? filteredBatchSize : batchSize;
  for (let position = 0; position < shown.itemCount; position += size) {
    const rows = await readItemsFrom(ctx.db, shown, filter, position, size);
    for await (const some of batchesOf(rows, rowsAtOnce)) {
      const items = some.map((row) => presentItem(row, shown.sumsCharges));
      yield items.map((item) => wanted.map(([, read]) => read(item)));
    }
    await yieldToEventLoop();
  }
}

export async function exportCsv(ctx: Ctx, id: string, filter: ItemFilter): Promise<Streamed> {
  const shown = await getShown(ctx, id);
  const wanted = await columnsFor(ctx, id);
  async function* body(): AsyncGenerator<string> {
    for await (const rows of readBatches(ctx, shown, filter, wanted)) yield toCsv(rows.map((row) => row.map(toCell)));
  }
  return new Streamed("text/csv", `rate-comparison-${id}.csv`, body());
}

export async function exportXlsx(ctx: Ctx, id: string, filter: ItemFilter): Promise<Streamed> {
  const shown = await getShown(ctx, id);
  const summary = await getSummary(ctx, id, {});
  const wanted = await columnsFor(ctx, id);
  async function* overview(): AsyncGenerator<Cell[][]> {
    yield overviewOf(summary);
  }
  const sheets = [
    { name: "Summary", portions: overview() },
    { name: "Items", portions: readBatches(ctx, shown, filter, wanted) },
  ];
  return new Streamed(xlsxType, `rate-comparison-${id}.xlsx`, writeXlsx(sheets));
}

function overviewOf(summary: Summary): Cell[][] {
  const { totals, coverage, cheapestMix } = summary;
  const group = ["items", "sourceCost", "targetCost", "savings", "savingsPct"] as const;
  return [
    ["Source carrier", summary.sourceCarrier],
    ["Rate card", summary.rateCard?.name],
    ["Currency", summary.currency],
    ["Items", coverage.items],
    ["Parcels", coverage.parcels],
    ["Compared", coverage.compared],
    ["Paid", totals.sourceCost],
    ["Paid, not compared", totals.sourceCostUnrated],
    ["New contract", totals.targetCost],
    ["Savings", totals.savings],
    ["Savings %", totals.savingsPct],
    ["Cheapest mix", cheapestMix.cost],
    [],
    ["zone", ...group],
    ...summary.zoneBreakdown.map((row) => [row.zone, ...group.map((name) => row[name])]),
    [],
    ["service", ...group],
    ...summary.serviceBreakdown.map((row) => [row.serviceType, ...group.map((name) => row[name])]),
    [],
    ["assumption", "items"],
    ...summary.assumptions.map(({ message, items }) => [message, items]),
  ];
}
