import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import type { DocumentBlock } from "../testing/document-blocks.ts";
import { blocksOf, reasonNotToRun, runElsewhere, runLanguages } from "../testing/document-blocks.ts";
import type { Launched } from "../testing/launch-hub.ts";
import { launchHub, repository } from "../testing/launch-hub.ts";
import { readyDataDir } from "../testing/ready-data-dir.ts";

/** The blocks of code in the documents, run in their order against a hub as a reader has it, each document in a shell of its own. */
const run = promisify(execFile);
const tour = "docs/guides/tour.md";
const folder = mkdtempSync(path.join(tmpdir(), "hub-documents-"));
afterFile(() => rmSync(folder, { recursive: true }));

const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: repository,
});
const documents = tracked
  .toString()
  .split("\n")
  .filter((file) => file !== "" && existsSync(path.join(repository, file)));

function isRunHere(file: string, block: DocumentBlock): boolean {
  const hasOwnTest = runElsewhere[file]?.languages.includes(block.language) ?? false;
  return runLanguages.includes(block.language) && !hasOwnTest && reasonNotToRun(block) === undefined;
}
const runnable = documents
  .map((file) => ({ file, blocks: blocksOf(file).filter((block) => isRunHere(file, block)) }))
  .filter(({ blocks }) => blocks.length > 0);
const setup = blocksOf(tour).filter(({ note }) => note === "setup");

let hub: Launched;
beforeAll(async () => {
  const env = { HUB_ADMIN_PASSWORD: "five-minute-tour", HUB_RATE_LIMIT_PER_SECOND: "off", HUB_LOG_LEVEL: "warn" };
  hub = launchHub(await readyDataDir(), { env });
  afterFile(() => hub.stop());
  await hub.printed(/preview +http/, 120_000);
  symlinkSync(path.join(repository, "node_modules"), path.join(folder, "node_modules"));
  writeFileSync(path.join(folder, "package.json"), '{"type":"module"}');
});

/** Every request notes its status, so that a block with a request that fails cannot pass unnoticed. */
const noting = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@" 2>> "$STATUSES"; }\n`;

function commandFor({ language, code }: DocumentBlock, name: string): string {
  if (language === "bash" || language === "sh") return code;
  const isPython = language.startsWith("py");
  const file = path.join(folder, `${name}.${isPython ? "py" : language}`);
  writeFileSync(file, code);
  return isPython ? `python3 ${file}\n` : `${process.execPath} --conditions=hub-source ${file}\n`;
}

test.each(runnable)("the blocks of $file run", async ({ file, blocks }) => {
  const name = file.replaceAll(/\W/g, "-");
  const statuses = path.join(folder, `${name}.statuses`);
  const before = file === tour || file === "docs/guides/start.md" ? [] : setup;
  const all = [...before, ...blocks].map((block, at) => {
    const marker = `echo "block ${block.line}" >> "$STATUSES"\n`;
    return marker + commandFor(block, `${name}-${at}`);
  });
  const script = `set -euo pipefail\n${noting}${all.join("\n")}`
    .replaceAll("http://127.0.0.1:8080", hub.url)
    .replaceAll("http://127.0.0.1:8081", hub.previewUrl);
  const env = { PATH: `${path.dirname(process.execPath)}:${process.env["PATH"]}`, HOME: folder, STATUSES: statuses };
  await run("bash", ["-c", script], { cwd: folder, env, timeout: 170_000, maxBuffer: 50_000_000 });
  const failed = readFileSync(statuses, "utf8")
    .split(/^block /m)
    .slice(1 + before.length)
    .map((noted) =>
      noted
        .split("\n")
        .slice(1)
        .filter((status) => status >= "400")
        .join(" "),
    );
  // A request that is meant to fail is announced: `answers: 400 403`.
  expect(failed).toEqual(blocks.map(({ note }) => /^answers: (.+)$/.exec(note)?.[1] ?? ""));
});

test("there are blocks to run, and every test that runs others exists", () => {
  expect(runnable.length).toBeGreaterThan(8);
  expect(Object.values(runElsewhere).filter(({ test: file }) => !existsSync(path.join(repository, file)))).toEqual([]);
});
