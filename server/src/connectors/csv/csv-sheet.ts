import { detectDelimiter, delimiters, MalformedCsv, parseCsv } from "../../core/csv/csv.ts";
import { isErrors, matchColumns } from "../../core/csv/csv-columns.ts";
import { orderVocabulary } from "../../core/csv/csv-fields.ts";
import type { Group } from "../../core/csv/csv-groups.ts";
import { groupRows } from "../../core/csv/csv-groups.ts";
import type { PulledRecord } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { shortHash } from "../short-hash.ts";
import { cleanText } from "../../core/strict-json.ts";

const maxRows = 200_000;
const maxTold = 10;

export type SheetOptions = { delimiter?: keyof typeof delimiters | "auto"; mapping?: Record<string, string | null> };

/** The orders of a file, in its order. All that is wrong with it is said at once, and then nothing of it is taken. */
export async function readSheet(csv: string, options: SheetOptions): Promise<PulledRecord[]> {
  const { delimiter: wanted = "auto", mapping = {} } = options;
  const delimiter = wanted === "auto" ? detectDelimiter(csv) : delimiters[wanted];
  const rows = await parseCsv(cleanText(csv), delimiter, maxRows).catch((error: unknown) => {
    throw error instanceof MalformedCsv ? invalid([error.message]) : error;
  });
  const first = rows.findIndex((row) => row.some((cell) => cell.trim() !== ""));
  if (first === -1) return [];
  const header = rows[first]!.map((name) => name.trim());
  const columns = matchColumns(header, mapping, orderVocabulary);
  if (isErrors(columns)) throw invalid(columns.map(({ pointer, message }) => `${pointer}: ${message}`));
  if (!columns.some(({ field }) => field !== null)) {
    throw invalid(["No column has a name that is known; name them in the mapping, or check the delimiter."]);
  }
  const groups = groupRows(columns, rows, first + 1);
  const problems = groups
    .flatMap(({ errors }) => errors)
    .map(({ row, column, message }) => `Row ${row}${column ? `, ${column}` : ""}: ${message}`);
  if (problems.length > 0) throw invalid(problems);
  return groups.map((group) => toRecord(group, rows, rows[first]!));
}

function invalid(problems: string[]): RemoteError {
  const more = problems.length > maxTold ? ` And ${problems.length - maxTold} more.` : "";
  return new RemoteError("invalid_file", `${problems.slice(0, maxTold).join(" ")}${more}`);
}

/** Without an external id the number stands for it; without both, the content does, so that a file read twice is one. */
function toRecord({ request, rows }: Group, all: string[][], header: string[]): PulledRecord {
  const cells = rows.map((row) => Object.fromEntries(header.map((name, i) => [name.trim(), all[row]![i] ?? ""])));
  const given = request.externalId ?? request.number;
  const externalId = typeof given === "string" ? given : `row-${shortHash(JSON.stringify(cells))}`;
  return { externalId, raw: { rows: cells }, canonical: { ...request, externalId } };
}
