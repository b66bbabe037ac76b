import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../../server/src/testing/after-file.ts";
import { installPackages } from "../../server/src/testing/install-packages.ts";

/** Clients that generators of others make from the OpenAPI document. */
const root = path.join(import.meta.dirname, "../..");
const folder = mkdtempSync(path.join(tmpdir(), "foreign-clients-"));
afterFile(() => rmSync(folder, { recursive: true }));
const run = promisify(execFile);

const packages = ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0", "@hey-api/openapi-ts@0.99.0"];
/** Later versions of the packages that these ask for may break them. */
const publishedBefore = "2026-10-01";

const document = path.join(root, "docs/openapi.json");
const actions = `[{ type: "add_tags", params: { tags: ["vip"] } }, { type: "archive" }]`;
const onEvent = `
  if (event.type === "order.updated") return event.data.changed;
  return [];
}
`;

type Generator = { name: string; command: readonly string[]; program: string };
const generators: readonly Generator[] = [
  {
    name: "openapi-typescript",
    command: ["openapi-typescript/bin/cli.js", document, "-o", "openapi-typescript.ts"],
    program: `
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi-typescript.ts";

const hub = createClient<paths>({ baseUrl: "http://127.0.0.1:8080", headers: { authorization: "Bearer ooh_live_x" } });

export async function preflightAndRun(): Promise<string> {
  const { data: report, error } = await hub.POST("/api/v1/operations/preflight", {
    body: { filter: { tagsAny: ["vip"] }, actions: ${actions} },
  });
  if (report === undefined) throw new Error(error.code);
  const { data: pipeline } = await hub.POST("/api/v1/operations/pipelines", {
    body: { name: "Tag and archive", actions: ${actions} },
  });
  const { data: run } = await hub.POST("/api/v1/operations/run", {
    body: { selection_id: report.selection_id!, actions: ${actions}, preflight_token: report.preflight_token },
  });
  return [report.verdict, pipeline?.name, run?.status].join();
}

export function changedBy(event: components["schemas"]["Event"]): string[] {${onEvent}`,
  },
  {
    name: "@hey-api/openapi-ts",
    command: ["@hey-api/openapi-ts/bin/run.js", "-i", document, "-o", "hey-api"],
    program: `
import { createClient } from "./hey-api/client/index.ts";
import type { Event } from "./hey-api/index.ts";
import { operationsPipelinesCreate, operationsPreflight, operationsRun } from "./hey-api/index.ts";

const client = createClient({ baseUrl: "http://127.0.0.1:8080", auth: "ooh_live_x" });

export async function preflightAndRun(): Promise<string> {
  const { data: report, error } = await operationsPreflight({
    client,
    body: { filter: { tagsAny: ["vip"] }, actions: ${actions} },
  });
  if (report === undefined) throw new Error(error.code);
  const { data: pipeline } = await operationsPipelinesCreate({
    client,
    body: { name: "Tag and archive", actions: ${actions} },
  });
  const { data: run } = await operationsRun({
    client,
    body: { selection_id: report.selection_id!, actions: ${actions}, preflight_token: report.preflight_token },
  });
  return [report.verdict, pipeline?.name, run?.status].join();
}

export function changedBy(event: Event): string[] {${onEvent}`,
  },
];

/** The program with one mistake, and how many errors it has: actions are passed to three calls. */
const mistakes: readonly { name: string; from: string; to: string; errors: number }[] = [
  { name: "wrong-type", from: `"add_tags"`, to: `"add_tag"`, errors: 3 },
  { name: "wrong-params", from: `{ tags: ["vip"] }`, to: `{ reason: "other" }`, errors: 3 },
  { name: "no-params", from: `, params: { tags: ["vip"] }`, to: "", errors: 3 },
  { name: "wrong-event", from: `"order.updated"`, to: `"order.created"`, errors: 1 },
];

/** Without a registry there are no generators. */
let missing: string | undefined;
beforeAll(async () => {
  missing = await installPackages(folder, packages, publishedBefore);
}, 1_000_000);

test.for(generators)(
  "a client of $name compiles under strict; wrong actions and event data do not",
  { timeout: 240_000 },
  async ({ command, program }, { skip }) => {
    if (missing) skip(missing);
    const [generator, ...args] = command;
    await run(process.execPath, [path.join(folder, "node_modules", generator!), ...args], { cwd: folder });
    const programs = [{ name: "right", errors: 0, code: program }].concat(
      mistakes.map(({ name, from, to, errors }) => ({ name, errors, code: program.replaceAll(from, to) })),
    );
    for (const { name, code } of programs) writeFileSync(path.join(folder, `${name}.ts`), code);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    const options = [
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "esnext",
      "--allowImportingTsExtensions",
    ];
    const surroundings = ["--moduleResolution", "bundler", "--lib", "es2022,dom,dom.iterable", "--types", ""];
    const { stdout } = await run(
      process.execPath,
      [tsc, ...options, ...surroundings, ...programs.map(({ name }) => `${name}.ts`)],
      { cwd: folder },
    ).catch((error: { stdout: string }) => error);
    const errors = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error /gm)].map(([, file]) => file);
    const counted = programs.map(({ name }) => [name, errors.filter((file) => file === `${name}.ts`).length]);
    expect(counted, stdout).toEqual(programs.map(({ name, errors: expected }) => [name, expected]));
    // Nor are there any in what was generated.
    expect(errors.filter((file) => !programs.some(({ name }) => file === `${name}.ts`))).toEqual([]);
  },
);
