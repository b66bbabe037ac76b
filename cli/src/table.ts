/** Columns that come first, wherever a record has them. */
const leading = ["number", "name", "type", "title", "status", "priority", "channel", "carrier", "service"];
/** At the end, since they are long and say little. */
const trailing = ["createdAt", "created_at", "updatedAt", "updated_at", "id"];
const longestCell = 60;

export function fieldOf(record: unknown, path: string): unknown {
  let value: unknown = record;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

/** A value in a cell: texts as they are, lists with commas, objects as JSON. */
export function textOf(value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) {
    const isPlain = value.every((entry) => typeof entry !== "object");
    return isPlain ? value.join(",") : JSON.stringify(value);
  }
  if (typeof value === "object") return JSON.stringify(value);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
}

/** Fields that fit into a cell, the most telling first. */
export function columnsOf(record: unknown): string[] {
  const fields = Object.entries(record ?? {}).filter(([, value]) => isShort(value));
  const place = (name: string): number => {
    if (leading.includes(name)) return leading.indexOf(name) - leading.length;
    return trailing.includes(name) ? 1 + trailing.indexOf(name) : 0;
  };
  return fields.map(([name]) => name).toSorted((a, b) => place(a) - place(b));
}

function isShort(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((entry) => typeof entry !== "object");
  return typeof value !== "object" || value === null;
}

/** Data of shops and customers may contain control characters, which a terminal would execute, or reverse the text. */
function printable(value: unknown): string {
  return String(textOf(value) ?? "").replaceAll(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, "\u{FFFD}");
}

function clip(text: string): string {
  return text.length > longestCell ? `${text.slice(0, longestCell - 1)}…` : text;
}

/** As many of the columns as fit into `width`; the id always does. */
export function tableOf(records: unknown[], columns: string[], width: number | undefined): string {
  const cells = columns.map((column) => records.map((record) => clip(printable(fieldOf(record, column)))));
  const widths = columns.map((column, at) => Math.max(column.length, ...cells[at]!.map((cell) => cell.length)));
  const shown: number[] = [];
  let left = width ?? Number.POSITIVE_INFINITY;
  for (const at of [...columns.keys()].toSorted((a, b) => Number(columns[b] === "id") - Number(columns[a] === "id"))) {
    if (cells[at]!.every((cell) => cell === "") && width !== undefined) continue;
    if (widths[at]! > left && shown.length > 0) break;
    left -= widths[at]! + 2;
    shown.push(at);
  }
  const order = shown.toSorted((a, b) => a - b);
  const line = (pick: (at: number) => string): string =>
    order
      .map((at) => pick(at).padEnd(widths[at]!))
      .join("  ")
      .trimEnd();
  return [line((at) => columns[at]!.toUpperCase()), ...records.map((_, row) => line((at) => cells[at]![row]!))].join(
    "\n",
  );
}

/** One record: a line for each field. */
export function describeRecord(record: unknown): string {
  if (typeof record !== "object" || record === null) return printable(record);
  const fields = Object.entries(record);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`.trimEnd()).join("\n");
}
