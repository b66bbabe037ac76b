/** Joins what is there. */
export function cx(...names: Array<string | false | undefined>): string {
  return names.filter(Boolean).join(" ");
}
