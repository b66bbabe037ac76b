/** Code blocks of a page with this info string, parsed as JSON, with their line numbers. */
export function codeBlocks(page: string, mark: string): { line: number; block: unknown }[] {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, "gms"))];
  return blocks.map((found) => ({
    line: page.slice(0, found.index).split("\n").length,
    block: JSON.parse(found[1]!) as unknown,
  }));
}
