/** Joins class names, skipping falsy ones. */
export function cx(...names: Array<string | false | undefined>): string {
  return names.filter(Boolean).join(" ");
}
