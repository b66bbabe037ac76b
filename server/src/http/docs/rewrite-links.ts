import type { ResolveLink } from "./render-markdown.ts";

/** Blocks and spans of code come first: what looks like a link in them is none. */
const linkOrCode = /^ *```[^\n]*\n[\s\S]*?^ *```$|`[^`\n]*`|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s]+)\)/gm;

/** Markdown whose links lead to addresses of the site; one that is not part of the site becomes its text. */
export function rewriteLinks(text: string, resolve: ResolveLink): string {
  return text.replaceAll(linkOrCode, (whole, mark: string | undefined, label: string, href: string) => {
    if (mark === undefined) return whole;
    const address = resolve(href);
    return address === undefined ? label : `${mark}[${label}](${address})`;
  });
}

/** A page of the site as its Markdown; other files stay as they are. */
export function toMarkdownAddress(address: string, pages: ReadonlySet<string>): string {
  const [page = "", anchor] = address.split("#", 2);
  const target = page === "/docs/" ? "/docs/index.md" : pages.has(page) ? `${page}.md` : page;
  return anchor === undefined ? target : `${target}#${anchor}`;
}
