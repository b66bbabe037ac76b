/** Prices of a card may have four decimals; they are counted in hundredths of a cent until the line is rounded to cents. */
export function toFine(amount: number): number {
  return Math.round(amount * 10_000);
}

/** Half a cent is rounded up. Not negative. */
export function fineToCents(fine: number): number {
  return Math.floor((fine + 50) / 100);
}
