import type { ChargeKind } from "../invoice-line.ts";

/** What of a line matters here. */
type Line = {
  invoiceNumber: string;
  kind: ChargeKind;
  code: string | null;
  description: string;
  gross: number;
  discount: number;
  net: number;
};

/**
 * Carriers correct a charge by taking it off and charging it again, in two lines of one invoice: -12.00 and 15.00 are a correction of
 * 3.00, no credit. Lines of the same invoice, code and description are one; a sum of zero is none.
 */
export function netReversals<L extends Line>(lines: readonly L[]): L[] {
  const corrections = lines.filter(({ kind }) => kind === "adjustment" || kind === "credit");
  const groups = Map.groupBy(corrections, ({ invoiceNumber, code, description }) =>
    JSON.stringify([invoiceNumber, code, description]),
  );
  const netted = new Map<L, L | undefined>();
  for (const group of groups.values()) {
    if (new Set(group.map(({ kind }) => kind)).size < 2) continue;
    const [gross, discount] = [
      group.reduce((sum, line) => sum + line.gross, 0),
      group.reduce((sum, line) => sum + line.discount, 0),
    ];
    const net = gross - discount;
    for (const line of group) netted.set(line, undefined);
    const kind = net < 0 ? "credit" : "adjustment";
    if (net !== 0) netted.set(group[0]!, { ...group[0]!, kind, gross, discount, net });
  }
  return lines.flatMap((line) => (netted.has(line) ? (netted.get(line) ?? []) : [line]));
}

/** The amounts of credits. */
export function creditsOf(lines: readonly Line[]): number[] {
  return lines.filter(({ kind, net }) => kind === "credit" && net < 0).map(({ net }) => -net);
}
