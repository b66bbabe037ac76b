/** Columns that tell the invoice files of a carrier from any other file. */
const signatures = {
  ups: ["Invoice Number", "Charge Classification Code", "Net Amount"],
  fedex: ["Invoice Number", "Express or Ground Tracking ID", "Net Charge Amount"],
  dhl_express: ["Line Type", "Invoice Number", "Shipment Number", "Total Charge"],
} as const;

/** A column name in any spelling: "Original Ref#2" is originalref2. */
export function foldColumnName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

export function isInvoiceHeader(carrier: keyof typeof signatures, folded: ReadonlySet<string>): boolean {
  return signatures[carrier].every((name) => folded.has(foldColumnName(name)));
}

/** Whether these are the columns of a carrier's invoice, which also has numbers, names and addresses as orders have. */
export function isAnyInvoiceHeader(names: readonly string[]): boolean {
  const folded = new Set(names.map(foldColumnName));
  return Object.keys(signatures).some((carrier) => isInvoiceHeader(carrier as keyof typeof signatures, folded));
}
