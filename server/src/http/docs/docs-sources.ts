import { readdirSync, readFileSync, existsSync } from "node:fs";
import path from "node:path";
import { menuGroups } from "./docs-menu.ts";
import type { DocsSource } from "./made-pages.ts";
import { decisionsPage, errorPages, eventPages } from "./made-pages.ts";

export const repositoryRoot = path.join(import.meta.dirname, "../../../..");

/** Documents outside of docs/, by the address of their page. */
const furtherFiles: Record<string, string> = {
  "ARCHITECTURE.md": "/docs/architecture",
  "bench/README.md": "/docs/benchmarks",
  "CHANGELOG.md": "/docs/changelog",
  "CONTRIBUTING.md": "/docs/contributing",
  "sdk/README.md": "/docs/sdk",
  "SECURITY.md": "/docs/security",
};

/** The first heading, without marks. */
function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? "Untitled").replaceAll(/[`*_]/g, "");
}

/** All documents of the repository, and those made from tables: the list of decisions, a page for each error and each type of event. */
export function readSources(root = repositoryRoot): DocsSource[] {
  const inDocs = (readdirSync(path.join(root, "docs"), { recursive: true }) as string[])
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .toSorted()
    .map((file) => [`docs/${file}`, `/docs/${file.slice(0, -3)}`] as const);
  const further = Object.entries(furtherFiles).filter(([file]) => existsSync(path.join(root, file)));
  const read = [...inDocs, ...further].map(([file, address]) => {
    const text = readFileSync(path.join(root, file), "utf8");
    return { address, file, title: titleOf(text), text };
  });
  return [...read, decisionsPage(read), ...errorPages(), ...eventPages()];
}

export type MenuEntry = { address: string; title: string; about: string };
export type Menu = { title: string; entries: MenuEntry[] }[];

const apiReference: MenuEntry = {
  address: "/docs/api/",
  title: "API reference",
  about: "Every route with its parameters, answers and examples, from `/openapi.json`",
};

/** The groups of the menu with the documents that exist, and those of docs/ that no group lists. */
export function makeMenu(sources: readonly DocsSource[]): Menu {
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const groups = menuGroups.map(({ title, pages }) => ({
    title,
    entries: pages.flatMap(([file, about, given]) => {
      const source = byFile.get(file);
      return source === undefined ? [] : [{ address: source.address, title: given ?? source.title, about }];
    }),
  }));
  groups.find(({ title }) => title === "Reference")!.entries.unshift(apiReference);
  const listed = new Set(menuGroups.flatMap(({ pages }) => pages.map(([file]) => file)));
  const isOwnPage = ({ file }: DocsSource): boolean =>
    file.endsWith(".md") && !file.startsWith("docs/decisions/") && !listed.has(file);
  const more = sources.filter(isOwnPage).map(({ address, title }) => ({ address, title, about: "" }));
  return more.length === 0 ? groups : [...groups, { title: "More", entries: more }];
}

/** The front page, as Markdown. `linkTo` says how an entry is linked. */
export function frontPage(menu: Menu, linkTo: (entry: MenuEntry) => string): string {
  const groups = menu.map(({ title, entries }) => {
    const lines = entries.map((entry) => {
      const about = entry.about === "" ? "" : `: ${entry.about}`;
      return `- [${entry.title}](${linkTo(entry)})${about}`;
    });
    return `## ${title}\n\n${lines.join("\n")}`;
  });
  return `${groups.join("\n\n")}\n`;
}
