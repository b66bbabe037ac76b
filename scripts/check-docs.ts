import { existsSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { actionCatalog } from "../server/src/features/operations/action-catalog.ts";
import { itemsPerTransaction } from "../server/src/features/rate-comparisons/execute-comparison.ts";
import { settingNames } from "../server/src/main/config.ts";

/** Every path and npm script that a .md file cites must exist, every setting must be described, and the number of actions must be right. Prints what is not so. */
const root = path.join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: object };
const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], { cwd: root });

/** Cited as examples of what a reader will have, not as files of this repository. */
const produced = [/^data\//, /^node_modules\//, /^bench\/results\//];
const pathShape = /^(?:\.\/)?[\w.@-]+(?:\/[\w.@<>*-]+)*\/?$/;
const knownEndings = /\.(ts|js|sql|md|json|yaml|yml|sh|toml)$/;

function citedPaths(text: string): string[] {
  const links = [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
  const looksLikeFile = (span: string): boolean =>
    pathShape.test(span) && (knownEndings.test(span) || (span.includes("/") && /^[a-z.][\w.-]*\//.test(span)));
  return [...links.filter((target) => !/^[a-z]+:/.test(target)), ...code.filter(looksLikeFile)];
}

const problems: string[] = [];
for (const file of tracked.toString().split("\n").filter(Boolean)) {
  if (!existsSync(path.join(root, file))) continue;
  const text = readFileSync(path.join(root, file), "utf8");
  for (const cited of citedPaths(text)) {
    if (/[<>*]/.test(cited) || produced.some((pattern) => pattern.test(cited))) continue;
    const candidates = [path.join(root, cited), path.join(root, path.dirname(file), cited)];
    if (!candidates.some((candidate) => existsSync(candidate))) problems.push(`${file}: ${cited} does not exist`);
  }
  for (const [, name] of text.matchAll(/npm run ([\w:-]+)/g)) {
    if (!Object.hasOwn(scripts, name!)) problems.push(`${file}: there is no npm script ${name}`);
  }
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
const readme = readFileSync(path.join(root, "README.md"), "utf8");
if (!readme.includes(`Operations: ${actionCatalog.length} actions`)) {
  problems.push(`README.md: there are ${actionCatalog.length} actions, and it says another number`);
}
const architecture = readFileSync(path.join(root, "ARCHITECTURE.md"), "utf8");
const items = itemsPerTransaction.toLocaleString("en-US");
if (!architecture.includes(`prices ${items} items per transaction`)) {
  problems.push(`ARCHITECTURE.md: a comparison prices ${items} items per transaction, and it says another number`);
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
