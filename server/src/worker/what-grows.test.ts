import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { RetainedKind } from "../context.ts";
import { settingNames } from "../main/config.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { chores } from "./chores.ts";
import { removals } from "./retention.ts";

/**
 * Why a table does not grow without limit. `kept`: rows are removed after the time in a setting. `chore`: after a fixed time.
 * `cascades`: with the row they refer to. `deletedIn`: with another record, by a statement in that file. `bound`: the table has a
 * maximum size, or is what people use the hub for.
 */
type Bound =
  | { kept: RetainedKind }
  | { chore: string }
  | { cascades: string }
  | { deletedIn: string }
  | { bound: string };

const byPeople = { bound: "one row for each record that a user has created; nothing adds rows automatically" };
const theRecords = { bound: "what people keep the hub for; never removed by its age" };
const withOrders = { deletedIn: "features/orders/orders.store.ts" };

const bounds: Record<string, Bound> = {
  api_keys: byPeople,
  audit_heads: { bound: "one row for each organization" },
  automation_invocations: { kept: "invocations" },
  automation_object_counts: { kept: "invocations" },
  automation_pipelines: { cascades: "automations" },
  automation_stops: { kept: "invocations" },
  automation_waits: { bound: "one row for each automation and order; a wait has an end" },
  automations: byPeople,
  bridge_cursors: { bound: "one row for each task of a bridge" },
  inbound_webhooks: { chore: "old inbound webhooks" },
  bridge_tokens: { bound: "one row for each bridge" },
  bridges: byPeople,
  carrier_account_tokens: { cascades: "carrier_accounts" },
  carrier_accounts: byPeople,
  carrier_inbound_webhooks: { chore: "old carrier webhooks" },
  carrier_webhooks: { cascades: "carrier_accounts" },
  condition_set_uses: { bound: "one row for each place that names a set" },
  condition_set_values: { bound: "100,000 for each set" },
  condition_sets: byPeople,
  events: { bound: "the audit log is never shortened: it would no longer prove anything" },
  event_items: { bound: "as the audit log, of which it is an index" },
  exception_comments: { cascades: "exceptions" },
  exceptions: { kept: "exceptions" },
  hub_state: { bound: "a few rows in all" },
  idempotency_keys: { deletedIn: "http/idempotency.store.ts" },
  invitations: { chore: "old links" },
  invoice_audits: { cascades: "invoices" },
  invoice_findings: { cascades: "invoices" },
  invoice_lines: { cascades: "invoices" },
  invoice_parcels: { cascades: "invoices" },
  invoices: theRecords,
  locations: byPeople,
  mails: { bound: "a row is deleted when its mail was sent or given up" },
  notification_cursors: { bound: "one row for each organization" },
  notification_settings: { cascades: "users" },
  notifications: { chore: "old notifications" },
  operation_pipelines: byPeople,
  operation_preflight_batches: { cascades: "operation_preflights" },
  operation_preflights: { cascades: "operation_selections" },
  operation_results: { kept: "runs" },
  operation_run_batches: { cascades: "operation_runs" },
  operation_runs: { kept: "runs" },
  operation_selection_batches: { cascades: "operation_selections" },
  operation_selections: { chore: "expired selections" },
  operation_values: { deletedIn: "features/operations/run/operation-values.store.ts" },
  order_changes: withOrders,
  order_counts: { chore: "order counts" },
  order_facets: withOrders,
  order_number_counters: { bound: "one row for each organization" },
  order_search: withOrders,
  order_sources: withOrders,
  order_tags: withOrders,
  orders: theRecords,
  organization_domains: byPeople,
  organizations: byPeople,
  packing_scans: { cascades: "packing_sessions" },
  packing_sessions: { cascades: "orders" },
  password_reset_requests: { chore: "password resets" },
  password_resets: { chore: "old links" },
  pickups: { kept: "pickups" },
  print_settings: { bound: "one row for each organization" },
  rate_cards: byPeople,
  rate_comparisons: { kept: "comparisons" },
  rate_item_kinds: { deletedIn: "features/rate-comparisons/rate-results.store.ts" },
  rate_items: { deletedIn: "features/rate-comparisons/rate-items.store.ts" },
  rate_price_columns: { cascades: "rate_comparisons" },
  rate_scenarios: { cascades: "rate_comparisons" },
  rate_targets: { cascades: "rate_comparisons" },
  rate_results: { deletedIn: "features/rate-comparisons/rate-results.store.ts" },
  refresh_tokens: { chore: "expired sessions" },
  import_presets: byPeople,
  removals: { chore: "retention" },
  request_log: { kept: "requests" },
  saved_views: byPeople,
  schedules: byPeople,
  schema_migrations: { bound: "one row for each migration" },
  secret_keys: { bound: "one row for each secret key that is in use" },
  shipment_counts: { bound: "one row for each status" },
  shipment_day_sums: { bound: "one row for each day" },
  shipment_sums: { bound: "one row for each quarter of an hour" },
  shipment_label_adjustments: { cascades: "shipment_labels" },
  shipment_label_files: { cascades: "shipment_labels" },
  shipment_manifests: {
    bound: "one for each account, place and day; the files go after HUB_LABEL_FILE_RETENTION_DAYS",
  },
  shipment_labels: { bound: "what people keep the hub for; what is printed goes after HUB_LABEL_FILE_RETENTION_DAYS" },
  shipments: theRecords,
  sign_in_attempts: { chore: "failed sign-ins" },
  stock_levels: { bound: "one row for each SKU at a location; a complete pull deletes what is no longer listed" },
  stock_reservations: { chore: "ended reservations" },
  task_effects: { bound: "one row for each fact that was sent: without it, it would be sent again" },
  task_executions: { kept: "executions" },
  task_logs: { cascades: "task_executions" },
  task_samples: { chore: "old samples" },
  transformation_versions: byPeople,
  transformations: byPeople,
  unsent_shipments: { cascades: "orders" },
  unsealed_events: { bound: "sealed, and so emptied, a moment later" },
  user_preferences: { bound: "one row for each user" },
  user_recovery_codes: { bound: "ten for each user" },
  user_sessions: { chore: "expired sessions" },
  user_totp: { bound: "one row for each user" },
  users: byPeople,
  webhook_attempts: { cascades: "webhook_deliveries" },
  webhook_deliveries: { kept: "deliveries" },
  webhook_resends: { deletedIn: "features/webhooks/deliver/plan-deliveries.store.ts" },
  webhooks: byPeople,
  zone_charts: byPeople,
};

const hub = await startTestHub();
const root = path.join(import.meta.dirname, "..");

test("every table has a limit or a reason to have none (reliability R9)", async () => {
  const rows = await hub.world.db.query<{ name: string }>(
    "select relname as name from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace",
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(bounds).toSorted());
});

test("every listed limit exists in the code (reliability R9)", async () => {
  const cascading = await hub.world.db.query<{ name: string }>(
    `select conrelid::regclass || ' ' || confrelid::regclass as name from pg_constraint where contype = 'f' and confdeltype = 'c'`,
  );
  const isThere = ([table, bound]: [string, Bound]): boolean => {
    if ("kept" in bound) return bound.kept in removals;
    if ("chore" in bound) return chores.some(({ name }) => name === bound.chore);
    if ("cascades" in bound) return cascading.some(({ name }) => name === `${table} ${bound.cascades}`);
    if ("bound" in bound) return bound.bound !== "";
    const file = path.join(root, bound.deletedIn);
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    // Some files delete from several tables by one statement.
    return (
      text.includes(`delete from ${table}`) || (text.includes("delete from ${table}") && text.includes(`"${table}"`))
    );
  };
  expect(Object.entries(bounds).filter((entry) => !isThere(entry))).toEqual([]);
});

test("every kind of record with retention has a setting, and the manual describes it (reliability R9)", () => {
  const manual = readFileSync(path.join(root, "../../docs/operate.md"), "utf8");
  const nameOf = (setting: string): string => `HUB_${setting}_RETENTION_DAYS`;
  const named: Record<keyof typeof removals, string> = {
    runs: "RUN",
    executions: "EXECUTION",
    exceptions: "EXCEPTION",
    comparisons: "RATE_COMPARISON",
    pickups: "PICKUP",
    labelFiles: "LABEL_FILE",
    deliveries: "DELIVERY",
    deliveryResponses: "DELIVERY_RESPONSE",
    invocations: "INVOCATION",
    requests: "REQUEST_LOG",
  };
  const wanted = Object.values(named).map(nameOf);
  const isOfFeed = (name: string): boolean => name === nameOf("EVENT");
  expect(
    settingNames()
      .filter((name) => name.endsWith("_RETENTION_DAYS") && !isOfFeed(name))
      .toSorted(),
  ).toEqual(wanted.toSorted());
  const kept = manual.slice(manual.indexOf("## Retention"));
  expect(wanted.filter((name) => !kept.includes(`\`${name}\``))).toEqual([]);
});
