import { beforeAll, expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { cloneDatabase } from "../testing/test-database.ts";
import { rest } from "../connectors/rest/rest.ts";
import { findErrorsIn } from "../core/validation.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./database.ts";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./read-migrations.ts";

const [orgId, bridgeId, orderId] = [1, 2, 3].map((n) => `00000000-0000-7000-8000-00000000000${n}`);
let db: Database;

const oldTask = {
  name: "orders.export",
  mode: "push",
  request: {
    path: "/orders/{record.number}",
    query: { at: "{settings.site}-{input.id}" },
    body: {
      all: "{record}",
      sku: "{record.lines.0.parts.12.sku}",
      graphql: "{ orders { id } }",
      none: null,
      many: ["{effectKey}"],
    },
  },
  externalId: "id",
  sendsAgainWhen: "changed",
  find: {
    request: { path: "/find", query: { q: "{record.number}" } },
    externalId: "[0].id",
    failsWhen: { condition: {}, message: "m" },
  },
  update: { request: { path: "/orders/{sent.externalId}" } },
  failsWhen: { condition: { path: "errors", op: "not_empty" }, message: "errors[0]" },
};
const oldPull = {
  name: "orders.import",
  mode: "pull",
  request: { path: "/orders" },
  yields: "orders",
  records: "data",
  externalId: "id",
  updatedAt: "updated_at",
  total: "meta.total",
  result: "data",
  since: { param: "since" },
  paging: { kind: "cursor", start: 0, size: 5, sizeParam: "n", next: "next" },
};
const oldSettings = {
  baseUrl: "https://erp.example.com",
  headers: { "X-Site": "{settings.site}" },
  variables: { site: "a" },
  auth: {
    kind: "oauth2",
    name: "X-Token",
    grant: "refresh_token",
    clientAuth: "body",
    tokenUrl: "https://erp.example.com/token",
  },
  webhook: { signature: "standard", header: "X-S", records: "data", task: "orders.import" },
  overlapMinutes: 7,
  tasks: [oldTask, oldPull],
};

beforeAll(async () => {
  const cloned = await cloneDatabase();
  db = openDatabase({ connection: cloned.connection, maxConnections: 2, onError: () => {} });
  afterFile(async () => {
    await db.close();
    await cloned.drop();
  });
  await db.query("drop schema public cascade");
  await db.query("create schema public");
  const migrations = await readMigrations();
  await migrate(
    cloned.connection,
    db,
    migrations.filter(({ version }) => version < 52),
  );
  await db.query("insert into organizations (id, name, created_at, updated_at) values ($1, 'O', now(), now())", [
    orgId,
  ]);
  await db.query(
    `insert into bridges (id, org_id, name, connector, settings, last_error, created_at, updated_at)
     values ($1, $2, 'ERP', 'rest', $3, '{"code": "paging_repeats", "message": "m"}', now(), now())`,
    [bridgeId, orgId, JSON.stringify(oldSettings)],
  );
  await db.query(
    `insert into order_changes (id, org_id, order_id, kind, actor, changes, version, occurred_at)
     values ($1, $2, $1, 'patched', '{}', '[{"path": "/a", "from": 1, "to": 2}, {"path": "/b", "from": 1, "to": 2, "kept": true}]', 1, now())`,
    [orderId, orgId],
  );
  await db.query(
    `insert into import_presets (id, org_id, name, settings, version, created_at, updated_at)
     values ($1, $2, 'P', '{"decimalSign": ",", "mapping": {"decimalSign": "number"}}', 1, now(), now())`,
    [orderId, orgId],
  );
  await db.query(
    `insert into bridge_notices (id, org_id, bridge_id, notice_id, topic, payload, received_at)
     values ($1, $2, $3, 'n-1', 't', '{}', now())`,
    [orderId, orgId, bridgeId],
  );
  await migrate(cloned.connection, db, migrations);
});

test("settings of a rest bridge get the new names and placeholders, and the connector accepts them", async () => {
  const [{ settings, last_error: lastError } = never()] = await db.query<Record<string, Record<string, unknown>>>(
    "select settings, last_error from bridges",
  );
  expect(lastError).toEqual({ code: "pagination_loop", message: "m" });
  expect(settings).toEqual({
    baseUrl: "https://erp.example.com",
    headers: { "X-Site": "{{settings.site}}" },
    variables: { site: "a" },
    auth: {
      kind: "oauth2",
      paramName: "X-Token",
      grantType: "refresh_token",
      clientAuth: "client_secret_post",
      tokenUrl: "https://erp.example.com/token",
    },
    webhook: { signatureScheme: "standard", signatureHeader: "X-S", recordsPath: "data", taskName: "orders.import" },
    lookbackMinutes: 7,
    tasks: [
      {
        name: "orders.export",
        mode: "push",
        request: {
          path: "/orders/{{record.number}}",
          query: { at: "{{settings.site}}-{{input.id}}" },
          body: {
            all: "{{record}}",
            sku: "{{record.lines[0].parts[12].sku}}",
            graphql: "{ orders { id } }",
            none: null,
            many: ["{{effectKey}}"],
          },
        },
        externalIdPath: "id",
        resendPolicy: "on_change",
        lookup: {
          request: { path: "/find", query: { q: "{{record.number}}" } },
          externalIdPath: "[0].id",
          failsWhen: { condition: {}, messagePath: "m" },
        },
        update: { request: { path: "/orders/{{existing.externalId}}" } },
        failsWhen: { condition: { path: "errors", op: "not_empty" }, messagePath: "errors[0]" },
      },
      {
        name: "orders.import",
        mode: "pull",
        request: { path: "/orders" },
        recordType: "orders",
        recordsPath: "data",
        externalIdPath: "id",
        updatedAtPath: "updated_at",
        totalPath: "meta.total",
        resultPath: "data",
        updatedSince: { param: "since" },
        pagination: { kind: "cursor", firstPage: 0, pageSize: 5, pageSizeParam: "n", nextCursorPath: "next" },
      },
    ],
  });
  expect(findErrorsIn(rest.settings, settings)).toEqual([]);
});

test("timeline entries, import presets and inbound webhooks keep their content under the new names", async () => {
  expect(await db.query("select kind, changes from order_changes")).toEqual([
    {
      kind: "updated",
      changes: [
        { path: "/a", from: 1, to: 2 },
        { path: "/b", from: 1, to: 2, keptLocal: true },
      ],
    },
  ]);
  expect(await db.query("select settings from import_presets")).toEqual([
    { settings: { decimalSeparator: ",", mapping: { decimalSign: "number" } } },
  ]);
  expect(await db.query("select webhook_id from inbound_webhooks")).toEqual([{ webhook_id: "n-1" }]);
});

function never(): never {
  throw new Error("The bridge is missing.");
}
