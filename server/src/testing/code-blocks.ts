/** The blocks of a page that are marked so, read as JSON, each with the line it begins in. */
export function codeBlocks(page: string, mark: string): { line: number; block: unknown }[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, "gms"))];
  return blocks.map((found) => ({
    line: page.slice(0, found.index).split("\n").length,
    block: JSON.parse(found[1]!) as unknown,
  }));
}
