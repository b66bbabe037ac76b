import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { ErrorCode } from "../../core/errors.ts";
import { errorTable } from "../../core/errors.ts";
import { eventTypes } from "../../events/event-families.ts";
import { makeMenu, readSources, repositoryRoot } from "./docs-sources.ts";
import { errorAdvice } from "./error-advice.ts";
import { renderMarkdown } from "./render-markdown.ts";
import type { SearchData } from "./docs-search.ts";
import { makeSite } from "./site-files.ts";

const files = makeSite();
const textOf = (address: string): string => new TextDecoder().decode(files.get(address)?.plain);
const pages = new Map(
  [...files.keys()]
    .filter((address) => files.get(address)!.type.startsWith("text/html"))
    .map((address) => [address, textOf(address)]),
);
/** Served by other routes of the hub. */
const elsewhere = new Set(["/", "/docs/api/", "/openapi.json"]);

test("every link of every page leads to a page or file, and every anchor to a heading", () => {
  expect(pages.size).toBeGreaterThan(200);
  const broken: string[] = [];
  for (const [address, html] of pages) {
    const ids = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id));
    for (const [, href] of html.matchAll(/ (?:href|src|action)="([^"]*)"/g)) {
      if (/^(?:https?|mailto):/.test(href!)) continue;
      const [target = "", anchor] = href!.split("#", 2);
      const isFound = target === "" || elsewhere.has(target) || files.has(target);
      const hasAnchor =
        anchor === undefined ||
        (target === "" ? ids.has(anchor) : (pages.get(target)?.includes(` id="${anchor}"`) ?? false));
      if (!isFound || !hasAnchor) broken.push(`${address}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
});

test("links between documents are links between pages, and files that are no documents are not linked", () => {
  expect(textOf("/docs/guides/start")).toContain('<a href="/docs/scopes">scopes</a>');
  expect(textOf("/docs/guides/start")).toContain('<a href="/docs/sdk">SDK</a>');
  expect(
    [...pages.values()].filter((html) =>
      /href="[^"]*\.(?:ts|md)"(?! *>This page)/.test(html.replaceAll(/<link [^>]*>/g, "")),
    ),
  ).toEqual([]);
});

test("every link of the Markdown of a page leads to a page or file, and pages to their Markdown", () => {
  const broken: string[] = [];
  let count = 0;
  for (const address of [...files.keys()].filter((one) => one.endsWith(".md"))) {
    // As a reader of Markdown finds them: code is no link.
    const { html } = renderMarkdown(textOf(address), { resolve: (href) => href });
    for (const [, href] of html.matchAll(/ (?:href|src)="([^"#]+)[^"]*"/g)) {
      if (/^(?:https?|mailto):/.test(href!)) continue;
      count++;
      const isFound = elsewhere.has(href!) || (files.has(href!) && !pages.has(href!));
      if (!isFound || !href!.startsWith("/")) broken.push(`${address}: ${href}`);
    }
  }
  expect(count).toBeGreaterThan(500);
  expect(broken).toEqual([]);
  expect(textOf("/docs/guides/start.md")).toContain("[SDK](/docs/sdk.md)");
});

/** Links as their text: their targets differ between a file and a page. */
const withoutTargets = (text: string): string => text.replaceAll(/!?\[((?:[^[\]]|\[[^[\]]*\])*)\]\([^)\s]+\)/g, "$1");

test("each page is there as Markdown, and the same as its file but for the targets of links", () => {
  const sources = readSources().filter(({ file }) => file.endsWith(".md"));
  expect(sources.length).toBeGreaterThan(100);
  const differing = sources.filter(
    ({ file, address }) =>
      withoutTargets(textOf(`${address}.md`)) !== withoutTargets(readFileSync(path.join(repositoryRoot, file), "utf8")),
  );
  expect(differing.map(({ file }) => file)).toEqual([]);
});

test("the menu leads to every document but decisions, and the front page and llms.txt list the same", () => {
  const listed = makeMenu(readSources()).flatMap(({ entries }) => entries);
  expect(new Set(listed.map(({ address }) => address)).size).toBe(listed.length);
  const missing = readSources().filter(
    ({ address, file }) =>
      file.endsWith(".md") && !file.startsWith("docs/decisions/") && !listed.some((one) => one.address === address),
  );
  expect(missing).toEqual([]);
  const llms = textOf("/llms.txt");
  for (const { address, title } of listed) {
    expect(textOf("/docs/")).toContain(`href="${address}"`);
    if (address !== "/docs/api/") expect(llms).toContain(`- [${title}](${address}.md)`);
  }
});

test("every error code has a page with cause and fix, and codes in documents link to it", () => {
  const codes = Object.keys(errorTable) as ErrorCode[];
  const withoutAdvice = codes.filter((code) => !code.endsWith("_not_found") && errorAdvice[code] === undefined);
  expect(withoutAdvice, "add these codes to conflict-advice.ts or request-advice.ts").toEqual([]);
  for (const code of codes) {
    expect(textOf(`/docs/errors/${code}`)).toMatch(/id="cause"[\s\S]*id="fix"/);
    expect(textOf("/docs/errors")).toContain(`<a href="/docs/errors/${code}"><code>${code}</code></a>`);
  }
  expect(textOf("/docs/event-feed")).toContain('href="/docs/errors/cursor_expired"');
});

test("every type of event has a page with an example", () => {
  for (const type of eventTypes) {
    expect(textOf(`/docs/events/${type}`)).toContain(`&quot;type&quot;: &quot;${type}&quot;`);
    expect(textOf("/docs/events")).toContain(`<a href="/docs/events/${type}"><code>${type}</code></a>`);
  }
});

test("the search finds headings, words of the text, event types and error codes", () => {
  const { pages: found, sections } = JSON.parse(textOf("/docs/search.json")) as SearchData;
  const sectionsWith = (word: string): string[] =>
    sections
      .filter(([, , heading, words]) => `${heading.toLowerCase()} ${words}`.split(" ").includes(word))
      .map(([page]) => found[page]![0]);
  expect(sectionsWith("overloaded")).toContain("/docs/errors/overloaded");
  expect(sectionsWith("order.updated")).toContain("/docs/events");
  expect(sectionsWith("hub_private_addresses")).toContain("/docs/webhooks");
  expect(sectionsWith("set_priority")).toContain("/docs/action-reference");
});

test("pages stay light: page, style and script compressed below 40 KB, the search below 100 KB", () => {
  const weightOf = (address: string): number => files.get(address)!.br!.length;
  const frame = weightOf("/docs/site.css") + weightOf("/docs/site.js");
  const heavy = [...pages.keys()].filter((address) => weightOf(address) + frame > 40_000);
  // The history of all changes.
  expect(heavy).toEqual(["/docs/changelog"]);
  expect(weightOf("/docs/search.json")).toBeLessThan(100_000);
});

test("HTML of documents is shown as text, headings are numbered apart, and code is not a link within a link", () => {
  const text =
    "# A\n\n## B\n\n## B\n\na<br>b <img src=x onerror=y> `no_rate_card` [`no_rate_card`](#b)\n\n<script>alert(1)</script>\n";
  const { html, sections } = renderMarkdown(text, { resolve: (href) => href, linkCode: (code) => `/e/${code}` });
  expect(sections.map(({ id }) => id)).toEqual(["a", "b", "b-1"]);
  expect(html).toContain("a<br>b &lt;img src=x onerror=y&gt;");
  expect(html).not.toContain("<script");
  expect(html).toContain(
    '<a href="/e/no_rate_card"><code>no_rate_card</code></a> <a href="#b"><code>no_rate_card</code></a>',
  );
});
