import { readFileSync } from "node:fs";
import path from "node:path";

/** A fenced block of code of a document, with the words after its language. */
export type DocumentBlock = { line: number; language: string; note: string; code: string };

const repository = path.join(import.meta.dirname, "../../..");

/** Languages that are run. `sh` is a command of a terminal as well. */
export const runLanguages: readonly string[] = ["bash", "sh", "ts", "js", "py", "python"];

export function blocksOf(file: string): DocumentBlock[] {
  const text = readFileSync(path.join(repository, file), "utf8");
  // A block in a list is indented.
  return [...text.matchAll(/^( *)```(\w+)(?: ([^\n]*))?\n(.*?)^\1```$/gms)].map((found) => ({
    line: text.slice(0, found.index).split("\n").length,
    language: found[2]!,
    note: found[3] ?? "",
    code: found[4]!,
  }));
}

/** Documents whose blocks have tests of their own, which put them into a project, call them as functions, or send them. */
export const runElsewhere: Readonly<Record<string, { languages: readonly string[]; test: string }>> = {
  "docs/automations.md": { languages: ["json"], test: "server/src/features/automations/automation-rules.test.ts" },
  "docs/cli.md": { languages: ["bash"], test: "cli/src/remote-work.test.ts" },
  ...Object.fromEntries(
    ["amazon", "bigcommerce", "ebay", "etsy", "magento", "netsuite", "saleor", "vendure"].map((name) => [
      `docs/connect/${name}.md`,
      { languages: ["json"], test: "server/src/connectors/rest/rest-lookup.test.ts" },
    ]),
  ),
  "docs/integration-tests.md": { languages: ["bash", "ts"], test: "cli/src/remote-work.test.ts" },
  "docs/plugins.md": { languages: ["ts"], test: "plugin/src/foreign-plugins.test.ts" },
  "plugin/README.md": { languages: ["ts"], test: "plugin/src/foreign-plugins.test.ts" },
  "docs/rating.md": { languages: ["json"], test: "server/src/carriers/rate-card/rating-doc.test.ts" },
  "docs/webhooks.md": { languages: ["ts", "python"], test: "server/src/features/webhooks/webhook-docs.test.ts" },
  "sdk/README.md": { languages: ["sh", "ts", "js"], test: "sdk/src/package.test.ts" },
};

/** Why a block is not run, if it says so: `not-run: reason`. */
export const reasonNotToRun = ({ note }: DocumentBlock): string | undefined => /^not-run: (.+)$/.exec(note)?.[1];
