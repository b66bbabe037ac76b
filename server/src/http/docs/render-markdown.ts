import path from "node:path";
import type { Token, Tokens } from "marked";
import { Marked } from "marked";
import { escapeHtml } from "../../core/escape-html.ts";

type Heading = { depth: number; text: string; id: string };
/** A part of a page below one heading, for the search. */
export type Section = Heading & { words: string };
export type RenderedPage = { html: string; sections: Section[] };

/** The address that a link or image of a file leads to; undefined if it is not part of the site. */
export type ResolveLink = (href: string) => string | undefined;

/** The only HTML of documents that is passed on; other tags are shown as text. */
const passedTags = /^<\/?(?:br|kbd|sub|sup)\s*\/?>$/;

/** Text of inline tokens, without marks. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? plainText(token.tokens) : "text" in token ? token.text : ""))
    .join("");
}

/** As on GitHub, so that links to headings work in both places. */
function createAnchors(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const base = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-");
    const count = used.get(base) ?? 0;
    used.set(base, count + 1);
    return count === 0 ? base : `${base}-${count}`;
  };
}

type RenderOptions = {
  resolve: ResolveLink;
  /** The page about a code in the text, such as that of an error. */
  linkCode?(code: string): string | undefined;
};

export function renderMarkdown(text: string, { resolve, linkCode }: RenderOptions): RenderedPage {
  const anchorOf = createAnchors();
  /** Within a link or heading, codes are not linked. */
  let isPlain = false;
  const withoutLinks = (render: () => string): string => {
    isPlain = true;
    const html = render();
    isPlain = false;
    return html;
  };
  const sections: Section[] = [];
  const ids = new Map<Token, string>();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token) {
        const id = ids.get(token) ?? "";
        const inner = withoutLinks(() => this.parser.parseInline(token.tokens));
        const link = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        return `<h${token.depth} id="${id}">${inner}${token.depth === 1 ? "" : link}</h${token.depth}>\n`;
      },
      code({ text: code, lang }) {
        const language = /^\w+/.exec(lang ?? "")?.[0] ?? "text";
        return `<pre tabindex="0" data-language="${language}"><code>${escapeHtml(code)}</code></pre>\n`;
      },
      table(token) {
        const cells = (row: Tokens.TableCell[], tag: "td" | "th"): string =>
          row.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("");
        const body = token.rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n");
        const head = `<thead><tr>${cells(token.header, "th")}</tr></thead>`;
        return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
      },
      codespan({ text: code }) {
        const address = isPlain ? undefined : linkCode?.(code);
        const html = `<code>${escapeHtml(code)}</code>`;
        return address === undefined ? html : `<a href="${address}">${html}</a>`;
      },
      link({ href, tokens }) {
        const inner = withoutLinks(() => this.parser.parseInline(tokens));
        const address = resolve(href);
        return address === undefined ? inner : `<a href="${escapeHtml(address)}">${inner}</a>`;
      },
      image({ href, text: alt }) {
        const address = resolve(href);
        return address === undefined
          ? escapeHtml(alt)
          : `<img src="${escapeHtml(address)}" alt="${escapeHtml(alt)}" loading="lazy">`;
      },
      html({ text: tag }) {
        if (tag.startsWith("<!--")) return "";
        return passedTags.test(tag.trim()) ? tag : escapeHtml(tag);
      },
    },
  });
  const tokens = marked.lexer(text);
  for (const token of tokens) {
    if (token.type === "heading") {
      const shown = plainText((token as Tokens.Heading).tokens);
      const id = anchorOf(shown);
      ids.set(token, id);
      sections.push({ depth: (token as Tokens.Heading).depth, text: shown, id, words: "" });
    } else if (sections.length > 0) sections.at(-1)!.words += ` ${token.raw}`;
  }
  return { html: marked.parser(tokens), sections };
}

/** How links of a file are resolved: to pages by their files, to pictures of docs/images, and to the web. */
export function createResolver(pages: ReadonlyMap<string, string>): (file: string) => ResolveLink {
  return (file) => (href) => {
    if (/^(?:https?:|mailto:|#|\/docs\/)/.test(href)) return href;
    const [target = "", anchor] = href.split("#", 2);
    const resolved = path.posix.join(path.posix.dirname(file), target).replace(/\/$/, "");
    const address = resolved.startsWith("docs/images/") ? `/${resolved}` : pages.get(resolved);
    return address === undefined ? undefined : anchor === undefined ? address : `${address}#${anchor}`;
  };
}
