import { arrayLiteral } from "../../db/array-literal.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Dictionary, PriceMatrix } from "./price-matrix.ts";
import { createMatrix, noPrice, textAt, writeText } from "./price-matrix.ts";
import type { RateItem } from "./rater.ts";
import type { RateResult } from "./rate-item.ts";

/** The prices of one revision: of the contracts, or of a scenario. */
export type PricesOf = { comparisonId: string; revision: number; scenarioId: string };

/** A row of `rate_price_columns`. Target 0: the amounts paid, with weights and services. */
type ColumnRow = {
  target: number;
  from: number;
  cents: (number | null)[];
  zones?: (string | null)[];
  weightsMg?: (number | null)[];
  serviceTypes?: string[];
  serviceLevels?: (string | null)[];
};

export type ColumnBatch = { add(item: RateItem, results: readonly RateResult[]): void; rows(): ColumnRow[] };

/** Gathers the columns of consecutive items. */
export function startColumns(from: number, targets: number): ColumnBatch {
  const paid = {
    target: 0,
    from,
    cents: [] as number[],
    weightsMg: [] as (number | null)[],
    serviceTypes: [] as string[],
    serviceLevels: [] as (string | null)[],
  };
  const priced = Array.from({ length: targets }, (_, index) => ({
    target: index + 1,
    from,
    cents: [] as (number | null)[],
    zones: [] as (string | null)[],
  }));
  return {
    add(item, results) {
      paid.cents.push(results[0]!.sourceCents);
      paid.weightsMg.push(item.weightMg);
      paid.serviceTypes.push(results[0]!.sourceService ?? item.serviceType);
      paid.serviceLevels.push(results.find(({ serviceLevel }) => serviceLevel !== null)?.serviceLevel ?? null);
      for (const [index, { targetCents, zone }] of results.entries()) {
        priced[index]!.cents.push(targetCents);
        priced[index]!.zones.push(zone);
      }
    },
    rows: () => [paid, ...priced],
  };
}

/** Rows per statement. */
const rowsAtOnce = 100;

export async function insertColumns(tx: Tx, of: PricesOf, rows: ColumnRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    const some = rows.slice(start, start + rowsAtOnce);
    const literals = (read: (row: ColumnRow) => (string | number | null)[] | undefined): (string | null)[] =>
      some.map((row) => {
        const list = read(row);
        return list === undefined ? null : arrayLiteral(list);
      });
    await tx.query(
      `insert into rate_price_columns (comparison_id, revision, scenario_id, target, chunk_from, cents, zones, weights_mg,
         service_types, service_levels)
       select $1, $2, $3, c.target, c.chunk_from, c.cents::integer[], c.zones::text[], c.weights_mg::double precision[],
              c.service_types::text[], c.service_levels::text[]
         from unnest($4::smallint[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
           as c (target, chunk_from, cents, zones, weights_mg, service_types, service_levels)`,
      [
        of.comparisonId,
        of.revision,
        of.scenarioId,
        some.map(({ target }) => target),
        some.map(({ from }) => from),
        literals(({ cents }) => cents),
        literals(({ zones }) => zones),
        literals(({ weightsMg }) => weightsMg),
        literals(({ serviceTypes }) => serviceTypes),
        literals(({ serviceLevels }) => serviceLevels),
      ],
    );
  }
}

type StoredRow = {
  target: number;
  chunk_from: number;
  cents: (number | null)[];
  zones: (string | null)[] | null;
  weights_mg: (number | null)[] | null;
  service_types: string[] | null;
  service_levels: (string | null)[] | null;
};

/**
 * All prices of the contracts, and over them those of the scenario. One query per column, by the primary key, so that the texts
 * of one column at a time are in memory.
 */
export async function readMatrix(
  db: Queryable,
  of: PricesOf,
  { items, targets }: { items: number; targets: number },
): Promise<PriceMatrix> {
  const matrix = createMatrix(items, targets);
  const names = { types: new Map(), levels: new Map() } satisfies Record<string, Dictionary>;
  const scenarios = [...new Set([of.comparisonId, of.scenarioId])];
  for (const scenarioId of scenarios) {
    for (let target = 0; target <= targets; target++) {
      const zones: Dictionary = new Map(matrix.zones[target - 1]?.names.map((name, index) => [name, index + 1]));
      for (const row of await readColumn(db, { ...of, scenarioId }, target)) {
        if (target === 0) fillPaid(matrix, row, names);
        else fillTarget(matrix, row, target - 1, zones);
      }
    }
  }
  return matrix;
}

async function readColumn(db: Queryable, of: PricesOf, target: number): Promise<StoredRow[]> {
  return await db.query<StoredRow>(
    `select target, chunk_from, cents, zones, weights_mg, service_types, service_levels
       from rate_price_columns
      where comparison_id = $1 and revision = $2 and scenario_id = $3 and target = $4
      order by chunk_from`,
    [of.comparisonId, of.revision, of.scenarioId, target],
  );
}

function fillPaid(matrix: PriceMatrix, row: StoredRow, names: { types: Dictionary; levels: Dictionary }): void {
  for (const [index, cents] of row.cents.entries()) {
    const position = row.chunk_from + index;
    matrix.paid[position] = cents ?? 0;
    matrix.weightsMg[position] = row.weights_mg?.[index] ?? Number.NaN;
    writeText(matrix.serviceTypes, names.types, position, row.service_types?.[index] ?? null);
    writeText(matrix.serviceLevels, names.levels, position, row.service_levels?.[index] ?? null);
  }
}

function fillTarget(matrix: PriceMatrix, row: StoredRow, target: number, zones: Dictionary): void {
  for (const [index, cents] of row.cents.entries()) {
    const position = row.chunk_from + index;
    matrix.prices[target]![position] = cents ?? noPrice;
    writeText(matrix.zones[target]!, zones, position, row.zones?.[index] ?? null);
  }
}

/** Items per row of a scenario. */
const chunkSize = 2_500;

/** The columns of these targets, for storing a scenario. */
export function columnsOf(matrix: PriceMatrix, targets: number[]): ColumnRow[] {
  return targets.flatMap((target) => {
    const [prices, zones] = [matrix.prices[target - 1]!, matrix.zones[target - 1]!];
    const starts = Array.from({ length: Math.ceil(matrix.count / chunkSize) }, (_, index) => index * chunkSize);
    return starts.map((from) => {
      const cents = Array.from(prices.subarray(from, from + chunkSize), (one) => (one === noPrice ? null : one));
      return { target, from, cents, zones: cents.map((_, index) => textAt(zones, from + index)) };
    });
  });
}

export async function deleteColumns(tx: Tx, comparisonId: string, scenarioId: string): Promise<void> {
  await tx.query("delete from rate_price_columns where comparison_id = $1 and scenario_id = $2", [
    comparisonId,
    scenarioId,
  ]);
}
