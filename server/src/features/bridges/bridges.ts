import type { Connector, Settings } from "../../connectors/connector.ts";
import { connectorPlugins } from "../../connectors/connector-plugins.ts";
import { findConnector, installedConnectors as connectors } from "../../connectors/installed-connectors.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import { alternatives } from "../../core/nearest.ts";
import { leavesStoredBehind, plainTextProblem } from "../../core/outbound/credential-address.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { maskFailure, maySeePersonalData } from "../../core/mask-person.ts";
import { orNotFound } from "../../core/resources.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { Bridge, BridgePatch, BridgeQuery, BridgeRequest } from "./bridges.schemas.ts";
import type { BridgeRow } from "./bridges.store.ts";
import * as store from "./bridges.store.ts";
import { mergeCredentials, sealCredentials } from "./bridge-credentials.ts";
import { removeToken } from "./bridge-tokens.store.ts";
import type { OpenBridge } from "./bridge-tasks.ts";
import { tryOpenBridge, unknownBridge } from "./bridge-tasks.ts";

export { listTasks } from "./bridge-tasks.ts";
export { testBridge } from "./test-bridge.ts";
export type { BridgeOutcome } from "./bridges.store.ts";
export { findBridgesAcrossOrgs, noteOutcomes } from "./bridges.store.ts";

export async function listBridges(ctx: Ctx, query: BridgeQuery): Promise<Page<Bridge>> {
  return mapPage(await store.listBridges(ctx.db, ctx.orgId, query), (row) => presentBridge(ctx, row));
}

export async function getBridge(ctx: Ctx, id: string): Promise<Bridge> {
  return presentBridge(ctx, await loadBridge(ctx.db, ctx, id));
}

export async function loadBridge(db: Queryable, ctx: Ctx, id: string): Promise<BridgeRow> {
  return orNotFound("bridge", await store.findBridge(db, ctx.orgId, id));
}

/** All bridges whose credentials can be decrypted, with access to their tasks. */
export async function listOpenBridges(ctx: Ctx): Promise<OpenBridge[]> {
  const rows = await store.listAllBridges(ctx.db, ctx.orgId);
  return rows.flatMap((row) => tryOpenBridge(ctx, row) ?? []);
}

/** The IDs that are bridges of the organization. */
export async function findBridgeIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findBridgeIds(db, orgId, ids));
}

export function listConnectors() {
  const data = connectors.map(({ name, title, description, settings, credentials, isOffline = false, tasks }) => ({
    name,
    title,
    description,
    plugin: connectorPlugins.originOf(name),
    settingsSchema: settings,
    credentialsSchema: credentials,
    isOffline,
    tasks: tasks({}).map((task) => ({
      name: task.name,
      title: task.title,
      description: task.description,
      mode: task.mode,
    })),
  }));
  return { data };
}

export async function createBridge(ctx: Ctx, request: BridgeRequest): Promise<Bridge> {
  return await change(ctx, async (tx) => presentBridge(ctx, await addBridge(tx, ctx, request)));
}

/** In a transaction of the caller. */
export async function addBridge(tx: Tx, ctx: Ctx, request: BridgeRequest): Promise<BridgeRow> {
  const connector = requireConnector(request.connector);
  const settings = { ...request.settings };
  const credentials = { ...request.credentials };
  const wrong = findSettingErrors(ctx, connector, settings);
  const isSecret = Object.keys(credentials).length > 0;
  checkConfiguration(ctx, connector, { settings, wrong, credentials, isSecret });
  const id = ctx.newId();
  const row = await refuseTakenName(
    store.insertBridge(tx, ctx.orgId, {
      id,
      name: request.name,
      connector: connector.name,
      settings,
      sealed_credentials: sealCredentials(ctx, id, credentials),
      is_active: request.isActive ?? true,
      concurrency: request.concurrency ?? null,
      number_prefix: request.orderNumberPrefix ?? null,
      at: ctx.clock.now(),
    }),
  );
  const { name, version } = row;
  const data = { name, connector: row.connector, isActive: row.is_active, version };
  recordEvent(tx, ctx, { type: "bridge.created", objectId: id, data });
  return row;
}

/** Adds the demo bridge unless there is one. */
export async function addDemoBridge(tx: Tx, ctx: Ctx): Promise<void> {
  const bridges = await store.listAllBridges(tx, ctx.orgId);
  if (bridges.every(({ connector }) => connector !== "demo"))
    await addBridge(tx, ctx, { name: "Demo", connector: "demo" });
}

export async function updateBridge(ctx: Ctx, id: string, patch: BridgePatch, ifMatch: IfMatch): Promise<Bridge> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    const row = await lockBridge(tx, ctx, id);
    checkVersion(row, ifMatch);
    const settings = (
      patch.settings === undefined ? row.settings : mergePatch(row.settings, patch.settings)
    ) as BridgeRow["settings"];
    const connector = requireConnector(row.connector);
    const wrong = findSettingErrors(ctx, connector, settings);
    const hasStored = row.sealed_credentials !== null;
    const [before, after] = [addressesOf(connector, row.settings), addressesOf(connector, settings)];
    const isElsewhere =
      wrong.length === 0 && leavesStoredBehind({ hasStored, before, after, given: patch.credentials });
    const credentials = mergeCredentials(ctx, row, patch.credentials, isElsewhere);
    const isReconfigured = patch.settings !== undefined || patch.credentials !== undefined;
    // Bridges created before this rule can still be renamed and deactivated.
    const isSecret = isReconfigured && (credentials ? Object.keys(credentials).length > 0 : hasStored);
    checkConfiguration(ctx, connector, { settings, wrong, credentials, isSecret });
    const updated = await refuseTakenName(
      store.updateBridge(
        tx,
        ctx.orgId,
        {
          ...row,
          name: patch.name ?? row.name,
          settings,
          sealed_credentials:
            credentials === undefined ? row.sealed_credentials : sealCredentials(ctx, id, credentials),
          is_active: patch.isActive ?? row.is_active,
          concurrency: patch.concurrency === undefined ? row.concurrency : patch.concurrency,
          number_prefix: patch.orderNumberPrefix === undefined ? row.number_prefix : patch.orderNumberPrefix,
          at: ctx.clock.now(),
        },
        isReconfigured,
      ),
    );
    await ctx.signals.publish(tx, "bridge", id);
    const { credentials: secret, ...shown } = patch;
    const hidden = secret === undefined ? {} : { credentialsReplaced: true };
    const data = { ...shown, ...hidden, version: updated.version };
    recordEvent(tx, ctx, { type: "bridge.updated", objectId: id, data });
    return presentBridge(ctx, updated);
  });
}

export type EndedUses = { pausedSchedules?: number; deactivatedTransformations?: number; cancelledExecutions?: number };

/** The caller has checked that the bridge may be deleted, and locked `row`. */
export async function removeBridge(tx: Tx, ctx: Ctx, row: BridgeRow, ended: EndedUses): Promise<void> {
  await store.removeBridge(tx, ctx.orgId, row.id, ctx.clock.now());
  await removeToken(tx, ctx.orgId, row.id);
  await ctx.signals.publish(tx, "bridge", row.id);
  const { id, name, version } = row;
  recordEvent(tx, ctx, { type: "bridge.deleted", objectId: id, data: { name, version, ...ended } });
}

/**
 * Prevents the deletion of the bridge until the transaction ends, for records that refer to it. Call it before other locks, since
 * a deletion locks the bridge first.
 */
export async function holdBridge(tx: Tx, ctx: Ctx, id: string): Promise<void> {
  if (!(await store.holdBridge(tx, ctx.orgId, id))) throw unknownBridge();
}

function requireConnector(name: string): Connector {
  const connector = findConnector(name);
  if (connector) return connector;
  const allowed = connectors.map((known) => known.name);
  const more = alternatives(name, allowed);
  throw badField("/connector", "unknown_connector", `The connector ${name} does not exist.`, more);
}

function findSettingErrors(ctx: Ctx, connector: Connector, settings: Settings): FieldError[] {
  const misshapen = findErrorsIn(connector.settings, settings);
  return misshapen.length > 0 ? misshapen : (connector.check?.(settings, ctx.settings.outbound) ?? []);
}

type Configuration = {
  settings: Settings;
  /** Errors in the settings. */
  wrong: FieldError[];
  credentials: Record<string, unknown> | undefined;
  isSecret: boolean;
};

function findCredentialErrors(
  connector: Connector,
  credentials: Record<string, unknown>,
  settings: Settings,
): FieldError[] {
  const misshapen = findErrorsIn(connector.credentials, credentials);
  const isNone = Object.keys(credentials).length === 0;
  return misshapen.length > 0 || isNone ? misshapen : (connector.checkCredentials?.(credentials, settings) ?? []);
}

function addressesOf(connector: Connector, settings: Settings): string[] {
  return (connector.sendsTo?.(settings) ?? []).map(({ url }) => url);
}

/** Unchanged credentials were checked when they were stored. */
function checkConfiguration(ctx: Ctx, connector: Connector, given: Configuration): void {
  const { settings, wrong, credentials, isSecret } = given;
  const addresses = isSecret && wrong.length === 0 ? (connector.sendsTo?.(settings) ?? []) : [];
  const errors = [
    ...errorsAt("/settings", wrong),
    ...addresses.flatMap(({ at, url }): FieldError[] => {
      const message = plainTextProblem(url, ctx.settings.outbound.allowPrivate);
      return message === undefined ? [] : [{ pointer: `/settings${at}`, code: "https_required", message }];
    }),
    ...errorsAt("/credentials", credentials ? findCredentialErrors(connector, credentials, settings) : []),
  ];
  if (errors.length > 0) throw validationFailed(errors);
}

export async function lockBridge(tx: Tx, ctx: Ctx, id: string): Promise<BridgeRow> {
  return orNotFound("bridge", await store.lockBridge(tx, ctx.orgId, id));
}

function refuseTakenName(saved: Promise<BridgeRow>): Promise<BridgeRow> {
  return refuseDuplicate(saved, "bridges_name_key", () => new HubError("name_taken", "Another bridge has this name."));
}

export function presentBridge(ctx: Ctx, row: BridgeRow): Bridge {
  const failures = row.consecutive_failures;
  const hasRun = row.last_success_at !== null || row.last_failure_at !== null;
  return {
    id: row.id,
    name: row.name,
    connector: row.connector,
    settings: row.settings,
    hasCredentials: row.sealed_credentials !== null,
    isActive: row.is_active,
    concurrency: row.concurrency,
    orderNumberPrefix: row.number_prefix,
    health: {
      status: failures > 0 ? "failing" : hasRun ? "healthy" : "unknown",
      consecutiveFailures: failures,
      lastSuccessAt: row.last_success_at?.toISOString() ?? null,
      lastFailureAt: row.last_failure_at?.toISOString() ?? null,
      lastError: row.last_error && (maySeePersonalData(ctx) ? row.last_error : maskFailure(row.last_error)),
    },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
