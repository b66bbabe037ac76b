import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { ResourceKind } from "../core/resources.ts";
import { buildOneOfEverything } from "../testing/builders.ts";
import { allRoutes, exampleBody, idSlots, pathOf, withSlot } from "../testing/route-samples.ts";
import type { Answer } from "../testing/test-client.ts";
import { startTestHub } from "../testing/test-hub.ts";

const unknownId = (): string => randomUUID();
// Nothing moves by itself here: every row that changes was changed by a request. Without the second line behind the filters
// of the statements, which would hide that one of them is missing.
const hub = await startTestHub({ taskSlots: 0, rowSecurity: false });
// The newcomer only looks, so that nothing is about what it has asked for before.
const [owner, stranger, newcomer] = [await hub.org(), await hub.org(), await hub.org()];
const theirs = await buildOneOfEverything(owner);
const newcomers = await buildOneOfEverything(newcomer);
const routes = allRoutes(hub.mounts);
const kinds = Object.keys(theirs) as ResourceKind[];

/** Two responses must not reveal whether the id exists: equal in everything but the ids of the request. */
function masked(answer: Answer): unknown {
  const text = answer.text.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "ID").replaceAll(/req_\w+/g, "REQ");
  return { status: answer.status, text: text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME") };
}

const tables = await hub.world.db.query<{ name: string }>(
  `select table_name as name from information_schema.columns
   where column_name = 'org_id' and table_schema = 'public' and table_name not in ('events', 'event_items', 'unsealed_events', 'audit_heads', 'request_log') order by 1`,
);
// What changes by itself: when a key was last used, that an event is sealed, where the log ends, and what was asked for. \`recorded_events\` has them all, sealed or not.
const row = "(to_jsonb(t) - '{last_used_at}'::text[])::text";
const everyTable = [
  ...tables.map(({ name }) => `select '${name}' as name, ${row} as row from ${name} t where org_id = $1`),
  "select 'condition_set_values', to_jsonb(v)::text from condition_set_values v where set_id = $2",
].join(" union all ");

/** Everything that belongs to the owner, as the database has it. */
async function ownersRows(): Promise<unknown[]> {
  return await hub.world.db.query(`select * from (${everyTable}) of_all order by 1, 2`, [
    owner.id,
    theirs.condition_set,
  ]);
}

describe("records of another organization look exactly like records that never existed", () => {
  test.each(routes.filter(({ route }) => route.ids))("in the path of $name", async (mounted) => {
    const before = await ownersRows();
    const call = (idOf: (kind: ResourceKind) => string) =>
      stranger.call(mounted.route.method, pathOf(mounted, idOf), exampleBody(mounted.route));
    const foreign = await call((kind) => theirs[kind]);
    const unknown = await call(() => randomUUID());
    expect(foreign.status).toBe(404);
    expect(masked(foreign)).toEqual(masked(unknown));
    expect(await ownersRows()).toEqual(before);
  });

  test.each(routes.filter(({ route }) => idSlots(route.query).length > 0))("in the query of $name", async (mounted) => {
    for (const [parameter] of idSlots(mounted.route.query)) {
      const call = (id: string) => newcomer.get(`${pathOf(mounted, (kind) => newcomers[kind])}?${parameter}=${id}`);
      for (const kind of kinds) expect(masked(await call(theirs[kind]))).toEqual(masked(await call(randomUUID())));
    }
  });

  test.each(routes.filter(({ route }) => idSlots(route.body).length > 0))("in the body of $name", async (mounted) => {
    const before = await ownersRows();
    const mine = await buildOneOfEverything(stranger);
    for (const slot of idSlots(mounted.route.body)) {
      const call = (id: string) =>
        stranger.call(
          mounted.route.method,
          pathOf(mounted, (kind) => mine[kind]),
          withSlot(exampleBody(mounted.route), slot, id),
        );
      for (const kind of kinds) expect(masked(await call(theirs[kind]))).toEqual(masked(await call(randomUUID())));
    }
    expect(await ownersRows()).toEqual(before);
  });

  test.each(routes.filter(({ route }) => route.method === "GET" && !route.ids))(
    "in the list of $name",
    async (mounted) => {
      const { text } = await stranger.get(pathOf(mounted, unknownId));
      for (const kind of kinds) expect(text).not.toContain(theirs[kind]);
    },
  );
});

test("the owner still has all records afterwards", async () => {
  for (const path of [
    `/condition-sets/${theirs.condition_set}`,
    `/users/${theirs.user}`,
    `/organizations/${owner.id}`,
  ]) {
    expect((await owner.get(path)).status).toBe(200);
  }
});
