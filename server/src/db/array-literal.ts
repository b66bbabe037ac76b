/** Needs no quotes. An unquoted `null` would be read as NULL. */
const isPlain = /^(?!null$)[\w-]+$/i;
const special = /["\\]/g;

/**
 * An array in PostgreSQL's text format, for a parameter that is cast to an array type. Several times faster than JSON and than
 * the driver's own serialization.
 */
export function arrayLiteral(list: Iterable<string | number | null | undefined>): string {
  let text = "{";
  for (const one of list) {
    if (text.length > 1) text += ",";
    if (one === null || one === undefined) text += "NULL";
    else text += typeof one === "number" || isPlain.test(one) ? one : `"${one.replace(special, String.raw`\$&`)}"`;
  }
  return `${text}}`;
}
