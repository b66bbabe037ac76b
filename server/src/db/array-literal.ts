/** Within these it stands for itself. `null` would be no value. */
const isPlain = /^(?!null$)[\w-]+$/i;
const special = /["\\]/g;

/**
 * A list as PostgreSQL reads one from text, for a parameter that is cast to an array. Several times faster than an array of JSON,
 * and than what the driver makes of a list.
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
