import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Readers, Recorded } from "../server/src/carriers/seam/testing/recorded.ts";
import { RemoteError } from "../server/src/core/remote-error.ts";

/**
 * Runs the readers of a carrier's adapter over every recorded response in a folder and prints what was read or why not.
 * `node scripts/hold-carrier.ts <carrier> <folder>`. The file name begins with the kind: rate, buy, track, void, pickup, error ...
 * An adapter has its readers in <carrier>-readers.ts, with `kindOf` for samples that are named by a request, such as POST /v2/shipments.
 */
type Sample = Recorded & { name: string };
type Adapter = { readers: Readers; kindOf?: (name: string) => string | undefined };
type Outcome = "read" | "rejection" | "empty" | "skipped" | "failed";

const [carrier, folder] = process.argv.slice(2);
const source = path.join(import.meta.dirname, "../server/src/carriers", carrier ?? "-", `${carrier}-readers.ts`);
if (carrier === undefined || folder === undefined || !existsSync(source) || !existsSync(folder)) {
  console.error("Usage: node scripts/hold-carrier.ts <carrier with a readers file> <folder of recorded responses>");
  process.exit(2);
}
const { readers, kindOf } = (await import(source)) as Adapter;
const counts: Record<Outcome, number> = { read: 0, rejection: 0, empty: 0, skipped: 0, failed: 0 };
const files = readdirSync(folder).toSorted();
for (const file of files) {
  const samples = samplesOf(file, readFileSync(path.join(folder, file), "utf8"));
  for (const sample of samples) {
    const { outcome, words } = hold(file, sample);
    counts[outcome]++;
    const name = sample.name === file ? file : `${file}: ${sample.name}`;
    console.log(`${outcome.padEnd(9)} ${name}\n          ${words}`);
  }
}
const { read, rejection, empty, skipped, failed } = counts;
console.log(
  `${carrier}: ${files.length} files, ${read + rejection + empty + failed} responses: ${read} read, ${rejection} rejections, ` +
    `${empty} without content, ${failed} failed; ${skipped} skipped (requests, or no reader for the kind)`,
);
process.exitCode = failed > 0 ? 1 : 0;

function hold(file: string, sample: Sample): { outcome: Outcome; words: string } {
  const kind = kindOfSample(file, sample);
  const reader = kind === undefined ? undefined : readers[kind];
  if (!reader) return { outcome: "skipped", words: "no reader" };
  try {
    const result = reader(sample);
    const isEmpty = result === undefined || result === null || (Array.isArray(result) && result.length === 0);
    return { outcome: isEmpty ? "empty" : "read", words: `${kind}: ${shorten(result)}` };
  } catch (error) {
    if (error instanceof RemoteError)
      return { outcome: "rejection", words: `${kind}: ${error.code}: ${error.message}${flags(error)}` };
    return { outcome: "failed", words: `${kind}: ${String(error)}` };
  }
}

function flags({ retryable, mayHaveHappened }: RemoteError): string {
  return `${retryable ? " [retryable]" : ""}${mayHaveHappened ? " [may have happened]" : ""}`;
}

function kindOfSample(file: string, { name, status }: Sample): string | undefined {
  if (/request(-|\.|$)/i.test(name) && name === file) return undefined;
  if (status >= 400) return "error";
  const known = kindOf?.(name);
  if (known !== undefined || name !== file) return known;
  const bare = file.replace(/^(karrio|sdk|sample|api-examples|openapi-examples)-/, "");
  return Object.keys(readers)
    .filter((kind) => bare.startsWith(kind))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** A file holds one body, or several: exchanges with their requests, calls of a mock, or examples by operation or by name. */
function samplesOf(file: string, text: string): Sample[] {
  const body = parse(text);
  const status = /^(\w+-)?error|-error/.test(file) ? 400 : 200;
  const whole = [{ name: file, status, body }];
  if (!isObject(body)) return whole;
  if (Array.isArray(body.exchanges)) return body.exchanges.filter(isObject).map(exchanged);
  if (Array.isArray(body.calls)) return body.calls.filter(isObject).map(mocked);
  const entries = Object.entries(body);
  if (entries.every(([name]) => /^(GET|POST|PUT|PATCH|DELETE) /.test(name))) return entries.flatMap(operation);
  if (file.startsWith("docs-responses")) return entries.map(([name, sample]) => ({ name, status: 200, body: sample }));
  return whole;
}

function exchanged({ request, response }: Record<string, unknown>): Sample {
  const { method, url } = isObject(request) ? request : {};
  const { status, body } = isObject(response) ? response : {};
  return { name: `${String(method)} ${pathOf(url)}`, status: Number(status), body };
}

function mocked({ method, url, response }: Record<string, unknown>): Sample {
  const name = `${String(method).replace("Once", "").toUpperCase()} ${pathOf(url)}`;
  if (isObject(response) && typeof response.status === "number" && "body" in response)
    return { name, status: response.status, body: response.body };
  return { name, status: 200, body: response };
}

/** `PUT /v1/labels/1/void 404` with a body, or an operation of an OpenAPI document with its examples. */
function operation([name, value]: [string, unknown]): Sample[] {
  const responses = isObject(value) ? value.responses : undefined;
  if (!isObject(responses))
    return [{ name: name.replace(/ \d{3}$/, ""), status: Number(/ (\d{3})$/.exec(name)?.[1] ?? 200), body: value }];
  return Object.entries(responses).flatMap(([status, response]) => {
    const examples = isObject(response) && isObject(response.examples) ? Object.values(response.examples) : [];
    return examples.map((body) => ({ name, status: Number(status) || 200, body }));
  });
}

function pathOf(url: unknown): string {
  const { pathname, search } = new URL(String(url), "https://carrier.example");
  return `${pathname}${search}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) && member.type === "Buffer" && Array.isArray(member.data)
      ? `<${member.data.length} bytes>`
      : member,
  );
  return (text ?? "nothing").slice(0, 240);
}
