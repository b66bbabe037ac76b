import { expect, test } from "vitest";
import { buildOneOfEverything } from "../testing/builders.ts";
import { allRoutes, exampleBody, pathOf } from "../testing/route-samples.ts";
import { startTestHub } from "../testing/test-hub.ts";

const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const mine = await buildOneOfEverything(org);

const columns = await hub.world.db.query<{ name: string }>(
  "select distinct column_name as name from information_schema.columns where table_schema = 'public'",
);
const storedNames = [...new Set(columns.flatMap(({ name }) => [name, toCamel(name)]))];

function toCamel(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function everything(): Promise<string> {
  const tables = [
    "organizations",
    "users",
    "api_keys",
    "condition_sets",
    "condition_set_values",
    "orders",
    "locations",
    "operation_pipelines",
    "operation_runs",
  ];
  const rows = [];
  for (const table of tables)
    rows.push(
      await hub.world.db.query(`select (to_jsonb(t) - 'last_used_at')::text as row from ${table} t order by 1`),
    );
  return JSON.stringify(rows);
}

const routes = allRoutes(hub.mounts).filter(({ route }) => route.body && route.scope !== "public");

test.each(routes)("$name accepts no stored field that it does not document", async (mounted) => {
  const documented = Object.keys((mounted.route.body as unknown as { properties: object }).properties);
  const hidden = storedNames.filter((name) => !documented.includes(name));
  const before = await everything();
  for (let from = 0; from < hidden.length; from += 40) {
    const batch = hidden.slice(from, from + 40);
    const body = { ...exampleBody(mounted.route), ...Object.fromEntries(batch.map((name) => [name, "x"])) };
    const client = mounted.route.scope === "organizations:write" || mounted.route.previewOnly ? hub.operator : org;
    const answer = await client.call(
      mounted.route.method,
      pathOf(mounted, (kind) => mine[kind]),
      body,
    );
    expect(answer.status).toBe(400);
    const named = answer.body.errors.map(({ pointer }: { pointer: string }) => pointer.slice(1));
    expect(named).toEqual(expect.arrayContaining(batch));
  }
  expect(await everything()).toBe(before);
});
