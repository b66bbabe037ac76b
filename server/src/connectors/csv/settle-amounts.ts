import type { Sheet, SheetRecord } from "../../core/csv/sheet.ts";
import { reportGuess } from "../../core/csv/sheet-warnings.ts";
import { roundToCents } from "../../core/money.ts";

type Given = Record<string, unknown>;
type Discount = { code?: string; title?: string; amount?: number };
type Amounts = {
  subtotal?: number;
  discount?: number;
  discounts?: Discount[];
  shipping?: number;
  tax?: number;
  taxIncluded?: boolean;
  fees?: number;
  refunded?: number;
  presentmentCurrency?: string;
  presentmentTotal?: number;
};
type Line = { price?: number; quantity: number; refundedQuantity?: number; discount?: number; tax?: number };

/** Programs that write amounts of the whole order into each of its rows, or into one of them. */
const rowTotals: ReadonlySet<string> = new Set(["etsy", "ebay"]);

export function isRowTotal({ preset }: Sheet): boolean {
  return rowTotals.has(preset?.name ?? "");
}

/** Programs whose subtotal is what remains after discounts. */
const netSubtotals: ReadonlySet<string> = new Set(["shopify"]);

/** Collects the amounts of an order from its columns, rows and lines. */
export function settleAmounts({ request, errors, rows }: SheetRecord, sheet: Sheet): void {
  const amounts: Amounts = { ...(request.amounts as Amounts | undefined) };
  const ofRows = (request.rowAmounts ?? {}) as Amounts & { total?: number };
  const lines = (request.lines ?? []) as Line[];
  request.total ??= ofRows.total;
  if (request.total === undefined) delete request.total;
  for (const part of ["shipping", "fees"] as const)
    if (ofRows[part] !== undefined) amounts[part] ??= roundToCents(ofRows[part]);
  for (const part of ["tax", "discount"] as const) {
    const parts = [ofRows[part], ...lines.map((line) => line[part])].filter((value) => value !== undefined);
    if (parts.length > 0) amounts[part] ??= roundToCents(parts.reduce((sum, value) => sum + value, 0));
  }
  collectDiscounts(request, amounts);
  if (amounts.presentmentTotal === request.total && amounts.presentmentCurrency === undefined)
    delete amounts.presentmentTotal;
  const problem = fitTotal(amounts, request.total, lines, netSubtotals.has(sheet.preset?.name ?? ""));
  if (problem !== undefined) {
    const column = sheet.columns.find(({ field }) => field === "total" || field === "row.total")?.column ?? null;
    reportGuess(sheet, errors, { row: rows[0]!.number, column }, { code: "total_differs", message: problem });
  }
  for (const name of ["rowAmounts", "foundDiscounts", "negativeLines"]) delete request[name];
  if (Object.keys(amounts).length > 0) request.amounts = amounts;
}

/** Codes, titles and lines with negative prices become the list of discounts. */
function collectDiscounts(request: Given, amounts: Amounts): void {
  const found = (request.foundDiscounts ?? []) as Discount[];
  const negative = (request.negativeLines ?? []) as Discount[];
  const titles = found.filter(({ title }) => title !== undefined);
  const codes = found.filter(({ code }) => code !== undefined);
  const [only] = codes;
  // One code and one title in one row describe one discount.
  const named = codes.length === 1 && titles.length === 1 ? [{ ...only, ...titles[0] }] : [...codes, ...titles];
  const ofCodes = named.reduce((sum, { amount = 0 }) => sum + amount, 0);
  if (ofCodes > 0) amounts.discount ??= roundToCents(ofCodes);
  if (named.length === 1 && amounts.discount) named[0] = { ...named[0], amount: amounts.discount };
  if (negative.length > 0) {
    const sum = negative.reduce((total, { amount = 0 }) => total + amount, 0);
    amounts.discount = roundToCents((amounts.discount ?? 0) + sum);
  }
  if (named.length + negative.length > 0) amounts.discounts ??= [...named, ...negative];
}

/**
 * Programs differ in whether a subtotal is before discounts and whether prices include the tax; the total of the order proves it.
 * The model has the subtotal before discounts. Returns why the parts do not add up to the total, however they are read.
 */
function fitTotal(amounts: Amounts, total: unknown, lines: Line[], prefersNet: boolean): string | undefined {
  const { discount = 0, shipping, tax, fees = 0 } = amounts;
  const subtotal = amounts.subtotal ?? sumOf(lines);
  if (typeof total !== "number" || subtotal === undefined || shipping === undefined || tax === undefined)
    return undefined;
  const sumIf = (isNet: boolean, isIncluded: boolean): number =>
    roundToCents(subtotal - (isNet ? 0 : discount) + shipping + fees + (isIncluded ? 0 : tax));
  const nets = amounts.subtotal === undefined || discount === 0 ? [false] : prefersNet ? [true, false] : [false, true];
  const included = tax === 0 ? [false] : amounts.taxIncluded === undefined ? [false, true] : [amounts.taxIncluded];
  for (const isNet of nets) {
    for (const isIncluded of included) {
      // Programs round each part.
      if (Math.abs(sumIf(isNet, isIncluded) - total) > 0.011) continue;
      if (isNet) amounts.subtotal = roundToCents(subtotal + discount);
      if (isIncluded) amounts.taxIncluded = true;
      return undefined;
    }
  }
  const sum = sumIf(nets[0]!, included[0]!);
  return `The total is ${total}, but its parts add up to ${sum}. The total of the file was kept.`;
}

/** Refunded units were paid first. */
function sumOf(lines: readonly Line[]): number | undefined {
  if (lines.length === 0 || lines.some(({ price }) => price === undefined)) return undefined;
  return lines.reduce(
    (sum, { price, quantity, refundedQuantity = 0 }) => sum + price! * (quantity + refundedQuantity),
    0,
  );
}
