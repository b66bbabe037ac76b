/** Columns of an address, by their names in the file. */
export function addressColumns(field: string, names: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(names).map(([column, member]) => [column, `${field}.${member}`]));
}

/** Columns that are known and not read; docs/imports.md lists them. */
export function notRead(...columns: string[]): Record<string, null> {
  return Object.fromEntries(columns.map((column) => [column, null]));
}

/** Payment status by the words of the order status. */
export function paymentsByStatus(words: Record<string, string[]>): Record<string, { paymentStatus: string }> {
  return Object.fromEntries(
    Object.entries(words).flatMap(([paymentStatus, list]) => list.map((word) => [word, { paymentStatus }])),
  );
}
