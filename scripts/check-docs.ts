import { existsSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { actionCatalog } from "../server/src/features/operations/action-catalog.ts";
import { itemsPerTransaction } from "../server/src/features/rate-comparisons/execute-comparison.ts";
import { settingNames } from "../server/src/main/config.ts";
import type { DocumentBlock } from "../server/src/testing/document-blocks.ts";
import { blocksOf, runElsewhere, runLanguages } from "../server/src/testing/document-blocks.ts";

/** Every path and npm script that a .md file cites must exist, every block of code be run or say why not, every block of JSON be valid and read by a test, every setting be described, and the number of actions be right. Prints what is not so. */
const root = path.join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: object };

function listFiles(...patterns: string[]): string[] {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns], {
    cwd: root,
  });
  return listed.toString().split("\n").filter(Boolean);
}

/** Cited as examples of what a reader will have, not as files of this repository. */
const produced = [/^data\//, /^node_modules\//, /^bench\/results\//];
const pathShape = /^(?:\.\/)?[\w.@-]+(?:\/[\w.@<>*-]+)*\/?$/;
const knownEndings = /[^/]\.(ts|js|sql|md|json|yaml|yml|sh|toml)$/;

function citedPaths(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const looksLikeFile = (span: string): boolean =>
    pathShape.test(span) && (knownEndings.test(span) || (span.includes("/") && /^[a-z.][\w.-]*\//.test(span)));
  return [...links.filter((target) => !/^[a-z]+:/.test(target)), ...code.filter(looksLikeFile)];
}

/** What may stand after the language of a block that is run, by server/src/main/document-blocks.test.ts or a test of its own. */
const blockNote = /^(?:setup|answers: \d{3}(?: \d{3})*|not-run: .{10,})?$/;
const blockRule =
  "a block of code is run by a test; after its language may stand `setup`, `answers: <statuses of 400 and more>` or `not-run: <reason>`";

const jsonRule =
  "a block of json has a name after its language, by which a test reads it, such as `action` (server/src/main/document-json.test.ts)";

const testFiles = listFiles("*.test.ts", "*.journey.ts");
const tests = testFiles
  .filter((file) => existsSync(path.join(root, file)))
  .map((file) => readFileSync(path.join(root, file), "utf8"));

const isReadByTest = (file: string, name: string): boolean =>
  tests.some(
    (text) => text.includes(path.basename(file)) && [`"${name}"`, `json ${name}`].some((one) => text.includes(one)),
  );

/** What is wrong with a block of JSON, if anything. */
function findJsonProblem(file: string, { code, note }: DocumentBlock): string | undefined {
  try {
    JSON.parse(code);
  } catch (error) {
    return (error as Error).message;
  }
  const isReadWithoutName = runElsewhere[file]?.languages.includes("json") ?? false;
  return isReadWithoutName || (note !== "" && isReadByTest(file, note)) ? undefined : jsonRule;
}

const problems: string[] = [];
for (const file of listFiles("*.md")) {
  if (!existsSync(path.join(root, file))) continue;
  const text = readFileSync(path.join(root, file), "utf8");
  for (const cited of citedPaths(text)) {
    if (/[<>*]/.test(cited) || produced.some((pattern) => pattern.test(cited))) continue;
    // A path beside the checkout would exist on one machine and not on another.
    const candidates = [path.join(root, cited), path.join(root, path.dirname(file), cited)].filter((candidate) =>
      candidate.startsWith(root + path.sep),
    );
    if (!candidates.some((candidate) => existsSync(candidate))) problems.push(`${file}: ${cited} does not exist`);
  }
  for (const block of blocksOf(file)) {
    const { line, language, note } = block;
    if (runLanguages.includes(language) && !blockNote.test(note)) problems.push(`${file}:${line}: ${blockRule}`);
    const jsonProblem = language === "json" ? findJsonProblem(file, block) : undefined;
    if (jsonProblem !== undefined) problems.push(`${file}:${line}: ${jsonProblem}`);
  }
  for (const [, name] of text.matchAll(/npm run ([\w:-]+)/g)) {
    if (!Object.hasOwn(scripts, name!)) problems.push(`${file}: there is no npm script ${name}`);
  }
}

const contributing = readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8");
for (const [, names] of contributing.matchAll(/`npm (?:test|run test:\w+) -- ([^`]+)`/g)) {
  const unknown = names!
    .split(" ")
    .filter((name) => !/[<>]/.test(name) && !testFiles.some((file) => file.includes(name)));
  for (const name of unknown) problems.push(`CONTRIBUTING.md: no test file has ${name} in its path`);
}

const operate = readFileSync(path.join(root, "docs/operate.md"), "utf8");
const described = [...operate.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name!);
const settings = settingNames();
for (const name of settings) {
  if (!described.includes(name)) problems.push(`docs/operate.md: the setting ${name} has no row`);
}
for (const name of described) {
  if (!settings.includes(name)) problems.push(`docs/operate.md: there is no setting ${name}`);
}
const features = readFileSync(path.join(root, "docs/features.md"), "utf8");
if (!features.includes(`Operations: ${actionCatalog.length} actions`)) {
  problems.push(`docs/features.md: there are ${actionCatalog.length} actions, and it says another number`);
}
const architecture = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
const items = itemsPerTransaction.toLocaleString("en-US");
if (!architecture.includes(`prices ${items} items per transaction`)) {
  problems.push(`ARCHITECTURE.md: a comparison prices ${items} items per transaction, and it says another number`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
