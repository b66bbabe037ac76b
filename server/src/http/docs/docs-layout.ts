import type { Menu, MenuEntry } from "./docs-sources.ts";
import { escapeHtml } from "../../core/escape-html.ts";
import type { Section } from "./render-markdown.ts";

type PageParts = {
  address: string;
  title: string;
  html: string;
  sections: readonly Section[];
  menu: Menu;
  /** Where the page is as Markdown. */
  source: string | undefined;
};

/** More headings than this are listed without the lower ones. */
const maxHeadings = 40;

const link = ({ address, title }: MenuEntry, current: string): string =>
  `<a href="${address}"${address === current ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a>`;

function menuList(menu: Menu, current: string): string {
  const groups = menu.map(({ title, entries }) => {
    const items = entries.map((entry) => `<li>${link(entry, current)}</li>`);
    return `<p>${escapeHtml(title)}</p><ul>${items.join("")}</ul>`;
  });
  return `<nav class="menu" id="menu" aria-label="Documentation">${groups.join("")}</nav>`;
}

function contentsList(sections: readonly Section[]): string {
  const below = sections.filter(({ depth }) => depth === 2 || depth === 3);
  const shown = below.length > maxHeadings ? below.filter(({ depth }) => depth === 2) : below;
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ id, text, depth }) => `<li class="h${depth}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("")}</ul></nav>`;
}

/** Links to the pages before and after this one, in the order of the menu. */
function neighbours(menu: Menu, current: string): string {
  const all = menu.flatMap(({ entries }) => entries);
  const at = all.findIndex(({ address }) => address === current);
  if (at < 0) return "";
  const [before, after] = [all[at - 1], all[at + 1]];
  const previous = before
    ? `<a rel="prev" href="${before.address}">← ${escapeHtml(before.title)}</a>`
    : "<span></span>";
  const next = after ? `<a rel="next" href="${after.address}">${escapeHtml(after.title)} →</a>` : "";
  return `<nav class="around" aria-label="Previous and next page">${previous}${next}</nav>`;
}

/** A page of the documentation. All parts come from files and tables of the hub, never from a request. */
export function layOut({ address, title, html, sections, menu, source }: PageParts): string {
  const name = title === "Order Operations Hub" ? title : `${escapeHtml(title)} - Order Operations Hub`;
  const alternate = source ? `<link rel="alternate" type="text/markdown" href="${source}">` : "";
  const asMarkdown = source ? `<p class="source"><a href="${source}">This page as Markdown</a></p>` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
<link rel="stylesheet" href="/docs/site.css">${alternate}
<script src="/docs/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<button type="button" class="open-menu" aria-controls="menu" aria-expanded="false">Menu</button>
<a class="brand" href="/docs/">Order Operations Hub</a>
<form role="search" class="search" action="/docs/">
<input type="search" aria-label="Search the documentation" placeholder="Search  /" autocomplete="off" disabled>
<div class="found" hidden><p role="status"></p><ul></ul></div>
</form>
<a class="aside" href="/docs/api/">API reference</a>
<a class="aside" href="/">Console</a>
</header>
<div class="frame">
${menuList(menu, address)}
<main id="content" tabindex="-1">
<article>
${html}</article>
${neighbours(menu, address)}
${asMarkdown}
</main>
${contentsList(sections)}
</div>
</body>
</html>
`;
}
