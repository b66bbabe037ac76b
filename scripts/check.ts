import { spawn } from "node:child_process";
import path from "node:path";

/** `npm run check` and, with --fast, `npm run check:fast`: each step says what it checks and how long it took. All steps run, then the failed ones are listed. */
type Step = { checks: string; command: string; isSlow?: boolean };

const steps: readonly Step[] = [
  { checks: "format", command: "oxfmt --check" },
  { checks: "documents: links, settings, blocks of code", command: "node scripts/check-docs.ts" },
  { checks: "types of the server, scripts and tests", command: "tsc --noEmit" },
  { checks: "types of the console", command: "tsc --noEmit -p console" },
  { checks: "types of the SDK", command: "tsc --noEmit -p sdk" },
  { checks: "generated documents are fresh", command: "node scripts/generate-docs.ts --check" },
  { checks: "generated client is fresh", command: "node scripts/generate-sdk.ts --check" },
  { checks: "generated commands are fresh", command: "node scripts/generate-cli.ts --check" },
  { checks: "unused files, exports and packages", command: "knip --no-progress --no-config-hints", isSlow: true },
  { checks: "OpenAPI document, by Redocly and Spectral", command: "node scripts/lint-openapi.ts", isSlow: true },
  { checks: "lint, with types", command: "npm run --silent lint", isSlow: true },
];
const quickLint: Step = { checks: "lint, without types", command: "oxlint --deny-warnings" };

const isFast = process.argv.includes("--fast");
const chosen = isFast ? [quickLint, ...steps.filter(({ isSlow }) => !isSlow)] : steps;
const root = path.join(import.meta.dirname, "..");
const env = { ...process.env, PATH: `${path.join(root, "node_modules/.bin")}${path.delimiter}${process.env["PATH"]}` };

/** The output of a step is shown where it fails. */
async function runStep({ command }: Step): Promise<{ isOk: boolean; output: string }> {
  const [program = "", ...args] = command.split(" ");
  const child = spawn(program, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("error", reject).once("close", resolve);
  return { isOk: (await promise) === 0, output };
}

const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

const begun = performance.now();
const failed: Step[] = [];
for (const [at, step] of chosen.entries()) {
  process.stdout.write(`${at + 1}/${chosen.length} ${step.checks} ... `);
  const since = performance.now();
  const { isOk, output } = await runStep(step);
  console.log(`${isOk ? "ok" : "FAILED"} (${seconds(since)})`);
  if (isOk) continue;
  failed.push(step);
  console.log(`\n${output.trim()}\n`);
}
if (failed.length === 0) {
  const left = isFast ? "; npm run check also lints with types and looks for unused code" : "";
  console.log(`All ${chosen.length} checks passed in ${seconds(begun)}${left}.`);
} else {
  console.error(
    `${failed.length} of ${chosen.length} checks failed. To repeat one, with node_modules/.bin first on PATH:`,
  );
  for (const { command } of failed) console.error(`  ${command}`);
  process.exitCode = 1;
}
