const mayBeCard = /(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)/g;

/** Replaces what may be the number of a payment card, except its last four digits: the hub must not store card data. */
export function hideCardNumbers(text: string): string {
  return text.replaceAll(mayBeCard, (found) => {
    const digits = found.replaceAll(/\D/g, "");
    return /^[3-6]/.test(digits) && isLuhn(digits) ? `**** ${digits.slice(-4)}` : found;
  });
}

/** The check digit of all card numbers. */
function isLuhn(digits: string): boolean {
  const sum = Array.from(digits, Number)
    .toReversed()
    .reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit > 4 ? 2 * digit - 9 : 2 * digit), 0);
  return sum % 10 === 0;
}
