import type { Queryable, Tx } from "../../db/database.ts";
import type { RateResult } from "./rate-item.ts";

const columns = `comparison_id, revision, position, status, reason, zone, basis, target_cents, savings_cents, zone_source,
  distance_miles, alternative_zone, service_level, target_service, rated_mg, low_cents, high_cents, break_even_mg, lines, source_service,
  residential`;

/** Each string holds any number of COPY lines. */
export async function copyResults(tx: Tx, lines: AsyncIterable<string>): Promise<void> {
  await tx.copy(`copy rate_results (${columns}) from stdin`, lines);
}

const none = "\\N";

/**
 * A result as a COPY line. Only the service name can contain tabs, line breaks, backslashes or quotes: everything else is
 * numbers, enum values, and codes and zones of a validated card.
 */
export function lineOf(comparisonId: string, revision: number, position: number, result: RateResult): string {
  const { sourceCents, targetCents } = result;
  const savings = targetCents === null ? none : sourceCents - targetCents;
  let lines = "";
  for (const { code, cents } of result.lines) lines += `${lines === "" ? "" : ","}["${code}",${cents}]`;
  return `${comparisonId}\t${revision}\t${position}\t${result.status}\t${result.reason ?? none}\t${result.zone ?? none}\t${
    result.basis ?? none
  }\t${targetCents ?? none}\t${savings}\t${result.zoneSource ?? none}\t${result.distanceMiles ?? none}\t${
    result.alternativeZone ?? none
  }\t${result.serviceLevel ?? none}\t${result.targetService ?? none}\t${result.ratedMg ?? none}\t${
    result.lowCents ?? none
  }\t${result.highCents ?? none}\t${result.breakEvenMg ?? none}\t[${lines}]\t${
    result.sourceService === null ? none : escapeText(result.sourceService)
  }\t${result.residential ?? none}\n`;
}

const escapes: Record<string, string> = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Escapes for the text format of COPY. */
function escapeText(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (sign) => escapes[sign]!);
}

/** Deletes results, item kinds and price columns: of one revision, of all before it, or of all. */
export async function deleteResults(
  tx: Tx,
  comparisonId: string,
  which?: { of: number } | { before: number },
): Promise<void> {
  const [least, most] = which === undefined ? [0, null] : "of" in which ? [which.of, which.of] : [0, which.before - 1];
  for (const table of ["rate_results", "rate_item_kinds", "rate_price_columns"]) {
    await tx.query(
      `delete from ${table} where comparison_id = $1 and revision >= $2 and revision <= coalesce($3, revision)`,
      [comparisonId, least, most],
    );
  }
}

/** Percentiles of the savings, in cents. */
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
