import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { makeFolder, runHub, signIn, startHubProcess } from "../testing/hub-process.ts";
import { openApiCheckOf } from "../testing/openapi-check.ts";
import type { TestClient } from "../testing/test-client.ts";
import { createClient } from "../testing/test-client.ts";

/**
 * A backup that the last hub before the baseline schema made: an organization in which one of nearly everything was created, run,
 * undone, bought and left pending through its API. Its names of fields, codes and events are those of that time.
 */
const backup = path.join(import.meta.dirname, "../testing/fixtures/schema-48.hubbackup");
const env = {
  HUB_SECRET_KEY: "a-secret-key-of-the-test-0123456789abcdef",
  HUB_PREVIEW_PORT: "off",
  HUB_PRIVATE_ADDRESSES: "allow",
  HUB_LOG_LEVEL: "warn",
};
const admin = { email: "admin@example.com", password: "correct horse battery" };

let client: TestClient;
let restored: Awaited<ReturnType<typeof runHub>>;

beforeAll(async () => {
  const dataDir = path.join(await makeFolder(), "data");
  restored = await runHub(["restore", backup], { dataDir, env });
  const hub = await startHubProcess({ dataDir, env });
  const { token } = await signIn(hub.url, admin);
  client = createClient(hub.url, token, () => openApiCheckOf("upgraded", hub.url));
});

type Page = { data: { id: string }[] };

describe("a database of the hub before the baseline", () => {
  test("is restored with all its rows and upgraded at the next start", async () => {
    expect(restored).toMatchObject({ code: 0, stderr: "" });
    const { body } = await client.get("/audit/verification");
    expect(body).toMatchObject({ ok: true });
    expect(body.entries).toBeGreaterThanOrEqual(94);
  });

  // Every answer is held against the OpenAPI document: a stored value that was renamed in the code alone fails there.
  test("responds to every GET route as documented", async () => {
    const { paths } = (await client.get("!/openapi.json")).body as { paths: Record<string, { get?: object }> };
    const readable = Object.keys(paths).filter((at) => paths[at]!.get && !/\/(watch|stream)$/.test(at));
    const found = new Set<string>();
    for (const template of readable) {
      for (const at of await expand(template)) {
        const { status } = await client.get(`!${at}`);
        expect([200, 400, 404, 409], at).toContain(status);
        if (status === 200) found.add(template.replace("/api/v1/", ""));
      }
    }
    // Records of these kinds are in the backup: had a route found none of them, it would have been checked by nothing.
    expect(filled.filter((template) => !found.has(template))).toEqual([]);
  });
});

const filled = [
  "automations/{id}",
  "bridges/{id}",
  "carrier-accounts/{id}",
  "exceptions/{id}",
  "import-presets/{id}",
  "operations/pipelines/{id}",
  "operations/runs/{id}/results",
  "orders/{id}/timeline",
  "pickups/{id}",
  "rate-comparisons/{id}/items",
  "rate-comparisons/{id}/summary",
  "schedules/{id}",
  "shipments/labels/{id}",
  "shipments/{id}",
  "tasks/executions/{id}",
  "transformations/{id}",
  "views/{id}",
  "webhooks/{id}/deliveries/{deliveryId}",
];

const listed = new Map<string, Promise<string[]>>();

/** The paths of a template, with the ids of all records in the list before each parameter. */
async function expand(template: string): Promise<string[]> {
  const [head, ...tails] = template.split(/\/\{\w+\}/);
  let paths = [head!];
  for (const tail of tails) {
    const ids = await Promise.all(paths.map((list) => listed.getOrInsertComputed(list, () => listIds(list))));
    paths = paths.flatMap((list, index) => ids[index]!.map((id) => `${list}/${id}${tail}`));
  }
  return paths;
}

async function listIds(list: string): Promise<string[]> {
  const { status, body } = await client.get(`!${list}?limit=100`);
  return status === 200 ? (body as Page).data.map(({ id }) => id) : [];
}
