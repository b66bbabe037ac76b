import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { errorTable } from "./core/errors.ts";
import { readMigrations } from "./db/read-migrations.ts";
import { featureEdges, furtherFronts, layers } from "./testing/import-rules.ts";
import { tableOwner } from "./testing/table-owners.ts";

const root = import.meta.dirname;

type Import = { from: string; to: string };

const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => file.endsWith(".ts"));
const sources = files.filter((file) => !file.endsWith(".test.ts") && !file.startsWith("testing/"));

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/(?:from|import\(?)\s*"([^"]+)"/g)].map(([, target]) => ({
    from: file,
    to: target!.startsWith(".") ? path.join(path.dirname(file), target!) : target!,
  }));
}

function layerOf(file: string): string {
  const [folder, rest] = file.split("/", 2);
  return rest === undefined ? "context" : folder!;
}

function violations(check: (found: Import) => boolean): string[] {
  return sources
    .flatMap(importsOf)
    .filter(check)
    .map(({ from, to }) => `${from} -> ${to}`);
}

const isOurs = (file: string): boolean => file.endsWith(".ts");

test("imports go one way: a folder imports itself and the folders to its left", () => {
  expect(
    violations(({ from, to }) => {
      const [layer, target] = [layerOf(from), layerOf(to)];
      return isOurs(to) && !to.startsWith("..") && layer !== target && !layers[layer]!.includes(target);
    }),
  ).toEqual([]);
});

test("every folder is in the list of layers", () => {
  expect(sources.map(layerOf).filter((layer) => !(layer in layers))).toEqual([]);
});

/** The front file, a wire shape, or declared above. */
function isFront(feature: string, file: string): boolean {
  const isShape = file.endsWith(".schemas.ts") && !file.includes("/");
  return file === `${feature}.ts` || isShape || furtherFronts.includes(`${feature}/${file}`);
}

test("features import each other only along the declared list, and only front files and schemas", () => {
  expect(
    violations(({ from, to }) => {
      const [, feature = "", ...restOfFrom] = from.split("/");
      const [layer, other = "", ...file] = to.split("/");
      if (layerOf(from) !== "features" || restOfFrom.length === 0 || layer !== "features" || other === feature)
        return false;
      return !isFront(other, file.join("/")) || !(featureEdges[feature] ?? []).includes(other);
    }),
  ).toEqual([]);
});

test("folders above features import only their front files, schemas and routes", () => {
  expect(
    violations(({ from, to }) => {
      const [layer, feature = "", ...file] = to.split("/");
      if (layerOf(from) === "features" || layer !== "features") return false;
      return !isFront(feature, file.join("/")) && file.join("/") !== `${feature}.routes.ts`;
    }),
  ).toEqual([]);
});

test("every further front exists and is imported by another feature", () => {
  const called = new Set(
    sources
      .flatMap(importsOf)
      .filter(({ from, to }) => to.startsWith("features/") && from.split("/")[1] !== to.split("/")[1])
      .map(({ to }) => to.slice("features/".length)),
  );
  expect(furtherFronts.filter((front) => !called.has(front))).toEqual([]);
});

/** The carriers that come from rate cards, which the seam itself knows. */
const cardFolders = new Set(["demo", "rate-card", "zones", "seam"]);

/** A file of a carrier imports neither its own folder nor the seam, nor a package. */
function isStray({ from, to }: Import): boolean {
  const [layer, folder = "", file] = from.split("/");
  if (layer !== "carriers" || file === undefined || cardFolders.has(folder)) return false;
  return isOurs(to) && !to.startsWith(`carriers/${folder}/`) && !to.startsWith("carriers/seam/");
}

test("a carrier imports its own folder and the seam, so that it could be a package of its own", () => {
  expect(violations(isStray)).toEqual([]);
  const from = "carriers/somewhere/somewhere.ts";
  const strays = [
    "core/money.ts",
    "carriers/rate-card/quote.ts",
    "carriers/seam/http.ts",
    "carriers/somewhere/rates.ts",
  ];
  expect(strays.filter((to) => isStray({ from, to }))).toEqual(["core/money.ts", "carriers/rate-card/quote.ts"]);
  expect(isStray({ from: "carriers/installed-carriers.ts", to: "carriers/demo/demo-carrier.ts" })).toBe(false);
});

test("the declared list of features has no cycle", () => {
  const visit = (feature: string, seen: string[]): void => {
    expect(seen, [...seen, feature].join(" -> ")).not.toContain(feature);
    for (const next of featureEdges[feature] ?? []) visit(next, [...seen, feature]);
  };
  for (const feature of Object.keys(featureEdges)) visit(feature, []);
});

test("there are no import cycles", () => {
  const edges = new Map(files.map((file) => [file, importsOf(file).flatMap(({ to }) => (isOurs(to) ? [to] : []))]));
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, trail: string[]): void => {
    if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
    if (done.has(file) || trail.includes(file)) return;
    for (const next of edges.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

const mayTouchSql = (file: string): boolean => file.endsWith(".store.ts") || /^(db|queue|events)\//.test(file);

test("only stores, db, queue and events contain SQL", () => {
  const speaking = sources.filter((file) => /\.query[<(]/.test(readFileSync(path.join(root, file), "utf8")));
  expect(speaking.filter((file) => !mayTouchSql(file))).toEqual([]);
  const driver = violations(({ from, to }) => to === "pg" && !mayTouchSql(from));
  // Types of a connection are passed on by main; the driver itself is not used there.
  const isTypeOnly = (found: string): boolean =>
    /import type \{[^}]*\} from "pg"/.test(readFileSync(path.join(root, found.split(" -> ")[0]!), "utf8"));
  expect(driver.filter((found) => !isTypeOnly(found))).toEqual([]);
});

/** Their functions also await other statements, so they are async. */
const awaitingQueuers = ["db/signals.ts", "events/sealer.ts"];

test("only functions that return void queue statements, so that no caller awaits them", () => {
  const isTopLevel = /^(?:export )?(?:async )?function \w+[\s\S]*?\)(?:: ([^{]+?))? \{$/gm;
  const strays = sources
    .filter((file) => file !== "db/transaction.ts" && !awaitingQueuers.includes(file))
    .flatMap((file) => {
      const text = readFileSync(path.join(root, file), "utf8");
      const signatures = [...text.matchAll(isTopLevel)];
      return [...text.matchAll(/\btx\.queue\(/g)].flatMap(({ index }) => {
        const [signature, returns] = signatures.findLast((found) => found.index < index) ?? [];
        return mayTouchSql(file) && returns === "void" ? [] : [`${file}: ${signature?.split("(")[0]}`];
      });
    });
  expect(strays).toEqual([]);
});

/** Every feature may read its organization and the audit log. */
const readByAll = ["organizations", "organization_domains", "events"];

function touchedTables(file: string): { table: string; folder: string; isWrite: boolean; file: string }[] {
  const text = readFileSync(path.join(root, file), "utf8");
  const [layer, feature] = file.split("/") as [string, string];
  const folder = layer === "features" ? feature : layer;
  return [...text.matchAll(/\b(into|update|delete from|table: "|from|join) ?(\w+)\b/g)]
    .filter(([, , table]) => tableOwner.has(table!))
    .map(([, verb, table]) => ({ table: table!, folder, isWrite: verb !== "from" && verb !== "join", file }));
}

test("a table is written by the folder that owns it, and read along the declared list of features", () => {
  // Seals the columns of others anew, whatever is in them; their owners are named in its list.
  const resealing = "db/sealed-columns.ts";
  const strays = sources
    .filter((file) => mayTouchSql(file) && file !== resealing)
    .flatMap(touchedTables)
    .filter(({ table, folder, isWrite }) => {
      const owner = tableOwner.get(table)!;
      if (owner === folder) return false;
      return isWrite || !(readByAll.includes(table) || (featureEdges[folder] ?? []).includes(owner));
    })
    .map(({ table, file, isWrite }) => `${file} ${isWrite ? "writes" : "reads"} ${table}`);
  expect([...new Set(strays)]).toEqual([]);
});

test("every table has an owner", async () => {
  const statements = (await readMigrations()).map(({ sql }) => sql).join("\n");
  // Dropped, or made under another name first.
  const gone = /^drop table (\w+)|^alter table (\w+) rename to/gm;
  const dropped = new Set([...statements.matchAll(gone)].map(([, table, renamed]) => table ?? renamed));
  const tables = [...statements.matchAll(/^create table (\w+)/gm)].flatMap(([, table]) => table!);
  expect(tables.filter((table) => !dropped.has(table) && !tableOwner.has(table))).toEqual([]);
});

/** Triggers are invisible to a reader of the code, so each one is declared here with the folder that owns its effect. */
const triggerOwners: Record<string, string> = {
  events_append_only: "events",
  events_not_truncated: "events",
  // Shipments keep a copy of the order number, to be found by it. Orders cannot call shipments, which call orders.
  orders_renamed: "shipments",
  unsealed_events_append_only: "events",
  unsealed_events_not_truncated: "events",
};

test("every trigger has an owner", async () => {
  const statements = (await readMigrations()).map(({ sql }) => sql).join("\n");
  const triggers = new Set<string>();
  for (const [, verb, name] of statements.matchAll(/^(create|drop) trigger (\w+)/gm)) {
    if (verb === "create") triggers.add(name!);
    else triggers.delete(name!);
  }
  expect([...triggers].toSorted()).toEqual(Object.keys(triggerOwners));
});

test("only main/config.ts reads the environment and only core/outbound/outbound-client.ts makes outbound requests", () => {
  const textOf = (file: string): string => readFileSync(path.join(root, file), "utf8");
  expect(sources.filter((file) => /process\.env/.test(textOf(file)))).toEqual(["main/config.ts"]);
  expect(sources.filter((file) => canCallOut(textOf(file))).toSorted()).toEqual([
    "core/outbound/outbound-client.ts",
    // Reaches worker processes of the hub, by a local socket.
    "http/offload.ts",
  ]);
});

/** Imports more than types and `createServer` from a module that can send requests. */
function canCallOut(text: string): boolean {
  const imports = text.matchAll(/^import (?!type )([^;]*?) from "(?:undici|node:https?)";/gm);
  const loads = /\bfetch\(|\b(?:import|require)\("(?:undici|node:https?)"\)/;
  return loads.test(text) || [...imports].some(([, names]) => names !== "{ createServer }");
}

/**
 * What a request changes commits with the answer that is kept for its Idempotency-Key, by `change()`. These have
 * their own transactions for the given reason.
 */
const ownTransactions: Record<string, string> = {
  "auth/auth.ts": "routes that take no key",
  "auth/oidc-sign-in.ts": "routes that take no key",
  "bridge-removal/bridge-removal.ts": "of DELETE, which takes no key",
  "operations/operations.ts": "keeps an answer in it, and another one when the run has ended",
  "carrier-accounts/carrier-requests.ts": "what a carrier says on the way to something else",
  "carrier-accounts/webhook-subscriptions.ts": "the secret, before the carrier gets it; leased work",
  "orders/create-orders.ts": "numbers, which may be lost",
  "automations/fire-automations.ts": "leased work",
  "automations/leased-automation.ts": "leased work",
  "invoices/audit/execute-audit.ts": "leased work",
  "operations/run/apply-batch.ts": "leased work",
  "labels/carrier-voids.ts": "a chore of the worker",
  "rate-comparisons/execute-comparison.ts": "leased work",
  "shipments/tracking/poll-carriers.ts": "leased work",
  "webhooks/deliver/plan-deliveries.ts": "leased work",
};

test("the changes of a request are committed with its response", () => {
  const found = sources.filter(
    (file) =>
      file.startsWith("features/") && /\bctx\.db\.transaction\(/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(found.map((file) => file.slice("features/".length)).toSorted()).toEqual(
    Object.keys(ownTransactions).toSorted(),
  );
});

test("only tests import testing", () => {
  expect(violations(({ to }) => to.startsWith("testing/") || to === "vitest")).toEqual([]);
});

test("file names are unique, so that a name in a stack trace identifies the file", () => {
  // The seam is what a carrier in a package of its own would import: its names are for that reader.
  const names = files.filter((file) => !file.startsWith("carriers/seam/")).map((file) => path.basename(file));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.filter((name) => /^(index|utils|helpers|types|common)\.ts$/.test(name))).toEqual([]);
});

test("World has at most ten members", () => {
  const text = readFileSync(path.join(root, "context.ts"), "utf8");
  const body = /export type World = \{([^}]*)\}/.exec(text)![1]!;
  expect(body.match(/^ {2}\w+(\(.*\))?:/gm)!.length).toBeLessThanOrEqual(10);
});

test("every documented error code is used", () => {
  const text = sources
    .filter((file) => file !== "core/errors.ts")
    .map((file) => readFileSync(path.join(root, file), "utf8"))
    .join("\n");
  // What is not found is named by its kind.
  const isAnswered = (code: string): boolean =>
    [code, code.replace(/_not_found$/, "")].some((name) => text.includes(`"${name}"`));
  expect(Object.keys(errorTable).filter((code) => !isAnswered(code))).toEqual([]);
});

test("migrations are numbered without gaps from the baseline on", async () => {
  const [baseline, ...later] = await readMigrations();
  expect(baseline!.isBaseline).toBe(true);
  expect(later.map(({ version }) => version)).toEqual(later.map((_, index) => baseline!.version + 1 + index));
});
