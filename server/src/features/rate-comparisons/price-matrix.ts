/** Texts of a column, each stored once; code 0: none. */
export type TextColumn = { names: string[]; codes: Uint32Array };

/**
 * The prices of all items with all targets. Typed arrays, because 250,000 items with ten targets are 10 MB this way and a
 * hundred times that as objects.
 */
export type PriceMatrix = {
  count: number;
  /** The amount paid, in cents. */
  paid: Int32Array;
  /** By target, in cents; `noPrice`: none. */
  prices: Int32Array[];
  /** By target: the zones of its contract. */
  zones: TextColumn[];
  /** NaN: unknown. */
  weightsMg: Float64Array;
  serviceTypes: TextColumn;
  serviceLevels: TextColumn;
};

export const noPrice = -1;

export function createMatrix(count: number, targets: number): PriceMatrix {
  const each = <T>(make: () => T): T[] => Array.from({ length: targets }, make);
  return {
    count,
    paid: new Int32Array(count),
    prices: each(() => new Int32Array(count).fill(noPrice)),
    zones: each(() => createColumn(count)),
    weightsMg: new Float64Array(count).fill(Number.NaN),
    serviceTypes: createColumn(count),
    serviceLevels: createColumn(count),
  };
}

function createColumn(count: number): TextColumn {
  return { names: [], codes: new Uint32Array(count) };
}

/** Codes of the names of a column, for filling it. */
export type Dictionary = Map<string, number>;

export function writeText(column: TextColumn, known: Dictionary, position: number, text: string | null): void {
  if (text === null) {
    column.codes[position] = 0;
    return;
  }
  let code = known.get(text);
  if (code === undefined) known.set(text, (code = column.names.push(text)));
  column.codes[position] = code;
}

export function textAt({ names, codes }: TextColumn, position: number): string | null {
  return names[codes[position]! - 1] ?? null;
}
