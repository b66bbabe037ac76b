/** "Contains this text" for LIKE, with the text's own % _ \ taken literally. */
export function likePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`;
}
