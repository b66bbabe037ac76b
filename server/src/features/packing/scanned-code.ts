/** GS1 element string that begins with a GTIN: `]C10109506000134352...` or `(01)09506000134352`. */
const gs1 = /^(?:\][a-z]\d)?(?:\(01\)|01)(\d{14})/;
const symbology = /^\][a-z]\d/;
const digits = /^(?:\d{8}|\d{12,14})$/;

/**
 * Spellings of the same code are equal: letter case and surrounding spaces do not matter, and a GTIN may have leading zeros or come
 * in a GS1 element string. Numbers without a valid check digit keep their zeros: they may be different SKUs.
 */
export function foldCode(code: string): string {
  const text = code.normalize("NFC").trim().toLowerCase();
  const inElement = gs1.exec(text)?.[1];
  if (inElement !== undefined && isGtin(inElement)) return inElement;
  const plain = text.replace(symbology, "");
  return digits.test(plain) && isGtin(plain) ? plain.padStart(14, "0") : plain;
}

/** The last digit is a check digit: weighted 3 and 1 from the right, the sum of all digits is a multiple of ten. */
function isGtin(text: string): boolean {
  const digitsFromRight = Array.from(text, Number).toReversed();
  const sum = digitsFromRight.reduce((total, digit, index) => total + digit * (index % 2 === 0 ? 1 : 3), 0);
  return sum > 0 && sum % 10 === 0;
}
