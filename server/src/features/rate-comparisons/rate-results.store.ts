import type { Queryable, Tx } from "../../db/database.ts";
import type { RateResult } from "./rate-item.ts";

const separator = "|";

/**
 * A result as one line of text, as `insertResults` takes it. Nothing in it can hold a tab, a line break or a separator:
 * numbers, names of the hub, and codes and zones of a checked card.
 */
export function packResult(result: RateResult, netCents: number): string {
  const { zoneSource, distanceMiles, altZone, serviceLevel, targetService, ratedMg, lowCents, highCents, breakEvenMg } =
    result;
  const { targetCents } = result;
  const savings = targetCents === null ? "" : netCents - targetCents;
  let lines = "";
  for (const { code, cents } of result.lines) lines += `${lines === "" ? "" : " "}${code}:${cents}`;
  return `${result.status}\t${result.reason ?? ""}\t${result.zone ?? ""}\t${result.basis ?? ""}\t${targetCents ?? ""}\t${savings}\t${
    zoneSource ?? ""
  }|${distanceMiles ?? ""}|${altZone ?? ""}|${serviceLevel ?? ""}|${targetService ?? ""}|${ratedMg ?? ""}|${
    lowCents ?? ""
  }|${highCents ?? ""}|${breakEvenMg ?? ""}|${lines}`;
}

/** One statement for all of them; the first belongs to the item at `from`. */
export async function insertResults(
  tx: Tx,
  comparisonId: string,
  revision: number,
  from: number,
  packed: string[],
): Promise<void> {
  await tx.query(
    `insert into rate_results (comparison_id, revision, position, status, reason, zone, basis, target_cents,
       savings_cents, detail)
     select $1, $2::integer, $3::integer + t.n::integer - 1, p[1], nullif(p[2], ''), nullif(p[3], ''), nullif(p[4], ''),
       nullif(p[5], '')::integer, nullif(p[6], '')::integer, p[7]
       from string_to_table($4::text, e'\\n') with ordinality as t (line, n), string_to_array(t.line, e'\\t') as p`,
    [comparisonId, revision, from, packed.join("\n")],
  );
}

export type Detail = Pick<
  RateResult,
  | "distanceMiles"
  | "altZone"
  | "serviceLevel"
  | "targetService"
  | "ratedMg"
  | "lowCents"
  | "highCents"
  | "breakEvenMg"
  | "lines"
> & { zoneSource: string | null };

export function unpackDetail(text: string | null): Detail {
  const [source, miles, alt, level, service, rated, low, high, even, lines = ""] = (text ?? "").split(separator);
  const word = (part: string | undefined): string | null => part || null;
  const number = (part: string | undefined): number | null => (part ? Number(part) : null);
  return {
    zoneSource: word(source),
    distanceMiles: number(miles),
    altZone: word(alt),
    serviceLevel: word(level),
    targetService: word(service),
    ratedMg: number(rated),
    lowCents: number(low),
    highCents: number(high),
    breakEvenMg: number(even),
    lines:
      lines === ""
        ? []
        : lines.split(" ").map((line) => {
            const at = line.lastIndexOf(":");
            return { code: line.slice(0, at), cents: Number(line.slice(at + 1)) };
          }),
  };
}

/** Results of revisions that are not shown any more. */
export async function deleteResultsBefore(db: Queryable, comparisonId: string, revision: number): Promise<void> {
  await db.query("delete from rate_results where comparison_id = $1 and revision < $2", [comparisonId, revision]);
}

export async function deleteResultsOf(tx: Tx, comparisonId: string, revision: number): Promise<void> {
  await tx.query("delete from rate_results where comparison_id = $1 and revision = $2", [comparisonId, revision]);
}

export async function deleteResults(tx: Tx, comparisonId: string): Promise<void> {
  await tx.query("delete from rate_results where comparison_id = $1", [comparisonId]);
}

/** Percentiles of what would have been saved, in cents. */
export async function findSavingsPercentiles(
  db: Queryable,
  comparisonId: string,
  revision: number,
  shares: number[],
): Promise<number[]> {
  const [row] = await db.query<{ found: number[] | null }>(
    `select percentile_disc($3::double precision[]) within group (order by savings_cents) as found
       from rate_results where comparison_id = $1 and revision = $2 and savings_cents is not null`,
    [comparisonId, revision, shares],
  );
  return row?.found ?? [];
}
