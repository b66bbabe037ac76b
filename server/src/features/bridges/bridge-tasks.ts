import path from "node:path";
import type { Call, Connector, ConnectorTask } from "../../connectors/connector.ts";
import type { ReadWebhook } from "../../connectors/inbound-webhook.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { findConnector } from "../../connectors/installed-connectors.ts";
import { badField, errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";
import { refuseUnlistedHost, resolveBySystem, safeAddresses } from "../../core/outbound/outbound-guard.ts";
import { createHttpClient } from "../../core/outbound/outbound.ts";
import { secretErrors } from "../../core/mask-secrets.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import { cleanText } from "../../core/strict-json.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { SentRequest } from "../../route.ts";
import { createSignalledCache } from "../../db/signalled-cache.ts";
import { findOutboundHosts, findTimeZone } from "../organizations/organizations.ts";
import { requireOutbound } from "../outbound-pause/outbound-pause.ts";
import type { HttpClient } from "../../core/outbound/outbound-request.ts";
import { openCredentials } from "./bridge-credentials.ts";
import { findAccessToken } from "./bridge-tokens.ts";
import type { BridgeRow } from "./bridges.store.ts";
import * as store from "./bridges.store.ts";
import { findInputErrors, inputSchemaOf } from "./task-input.ts";

export { findInputErrors, inputSchemaOf } from "./task-input.ts";

/** A bridge with its connector. */
export type OpenBridge = { row: BridgeRow; connector: Connector; tasks: ConnectorTask[] };

export function openBridge(row: BridgeRow): OpenBridge {
  const connector = findConnector(row.connector);
  if (!connector) {
    throw new HubError("invalid_state", `The connector ${row.connector} of ${row.name} is not installed in this hub.`);
  }
  return { row, connector, tasks: connector.tasks(row.settings) };
}

/** Undefined if it cannot be opened: one bridge must not block the executions of all others. */
export function tryOpenBridge({ log }: Pick<World, "log">, row: BridgeRow): OpenBridge | undefined {
  try {
    return openBridge(row);
  } catch (error) {
    log.error({ err: error, bridgeId: row.id }, "a bridge cannot be opened");
    return undefined;
  }
}

const known = perWorld((world) =>
  createSignalledCache<OpenBridge>(
    world.signals,
    "bridge",
    async (id) => {
      const [row] = await store.findBridgesAcrossOrgs(world.db, [id]);
      return row && tryOpenBridge(world, row);
    },
    ({ row }) => row.id,
  ),
);

/** Cached across organizations and invalidated by signals, since every execution reads its bridge. */
export async function findKnownBridge(world: World, id: string): Promise<OpenBridge | undefined> {
  return await known(world).get(id.toLowerCase());
}

export function findTask({ tasks }: OpenBridge, name: string): ConnectorTask | undefined {
  return tasks.find((task) => task.name === name);
}

/** Identifies the external system: another one is read from the start. */
export function siteOf({ connector, row }: OpenBridge): string {
  return JSON.stringify((connector.site ?? []).map((name) => row.settings[name] ?? null));
}

/** Maximum concurrent executions across all nodes. */
export function concurrencyOf(bridge: OpenBridge | undefined): number {
  return bridge ? (bridge.row.concurrency ?? bridge.connector.concurrency) : 1;
}

export async function listTasks(ctx: Ctx, id: string) {
  const row = orNotFound("bridge", await store.findBridge(ctx.db, ctx.orgId, id));
  const data = openBridge(row).tasks.map((task) => ({
    name: task.name,
    title: task.title,
    description: task.description,
    mode: task.mode,
    idempotent: task.idempotent,
    timeoutSeconds: task.timeoutMs / 1000,
    inputSchema: inputSchemaOf(task),
    outputSchema: task.output,
  }));
  return { data };
}

export type TaskRequest = {
  bridgeId: string;
  taskName: string;
  input: Record<string, unknown>;
  /** The input was stored earlier and may not meet the current rules. */
  isStored?: boolean;
};

/** All checks before a task is queued: bridge, task and input. */
export async function requireTask(
  ctx: Ctx,
  { bridgeId, taskName, input, isStored = false }: TaskRequest,
): Promise<{ bridge: OpenBridge; task: ConnectorTask }> {
  const bridge = await findKnownBridge(ctx, bridgeId);
  if (bridge?.row.org_id !== ctx.orgId) throw unknownBridge();
  const task = findTask(bridge, taskName);
  if (!task) {
    const allowed = bridge.tasks.map(({ name }) => name);
    const more = alternatives(taskName, allowed);
    throw badField("/taskName", "unknown_task", `The bridge ${bridge.row.name} has no task ${taskName}.`, more);
  }
  refuseUnusable(ctx, bridge);
  const missing = missingScope(ctx, task);
  if (missing) {
    const extra = { required: [missing], granted: [...ctx.principal.scopes] };
    throw new HubError("insufficient_scope", `${taskName} requires the scope ${missing}.`, { extra });
  }
  const errors = [...findInputErrors(task, input), ...(isStored ? [] : errorsAt("/input", secretErrors(input)))];
  if (errors.length > 0) throw validationFailed(errors);
  return { bridge, task };
}

/** The scope that the caller lacks for this task, besides `tasks:execute`. */
export function missingScope({ principal }: Pick<Ctx, "principal">, task: ConnectorTask): Scope | undefined {
  const { requiredScope } = task;
  return requiredScope === undefined || hasScope(principal.scopes, requiredScope) ? undefined : requiredScope;
}

/** For a bridge ID in a request body. */
export function unknownBridge(): HubError {
  const message = "This organization has no such bridge.";
  return new HubError("bridge_not_found", message, {
    errors: [{ pointer: "/bridgeId", code: "bridge_not_found", message }],
  });
}

export function refuseUnusable(world: World, bridge: OpenBridge): void {
  const reason = findUnusable(world, bridge);
  if (reason) throw reason;
}

/** Why no task can run on this bridge now. */
export function findUnusable(world: World, bridge: OpenBridge): HubError | undefined {
  if (!bridge.row.is_active) {
    return new HubError("bridge_inactive", `The bridge ${bridge.row.name} is inactive. Activate it first.`);
  }
  return findPreviewRefusal(world, bridge);
}

/** For requests that call the external system directly; queued executions wait until outbound work resumes. */
export function refuseCalls(world: World, bridge: OpenBridge): void {
  const reason = findPreviewRefusal(world, bridge);
  if (reason) throw reason;
  if (!bridge.connector.isOffline) requireOutbound(world);
}

/** Prevents preview data from reaching real systems. */
function findPreviewRefusal(world: World, { connector, row }: OpenBridge): HubError | undefined {
  const isSafe = connector.isOffline || connector.isSafeInPreview || world.settings.outbound.allowFromPreview;
  if (world.environment === "live" || isSafe) return undefined;
  const message = `Outbound requests are disabled in preview, and ${row.name} is a ${connector.name} bridge.`;
  return new HubError("outbound_disabled_in_preview", `${message} Use the demo bridge, or set HUB_PREVIEW_OUTBOUND.`);
}

export type CallOptions = Pick<Call, "input" | "signal" | "effectKey" | "progress" | "log" | "isSample"> & {
  /** Whether a request with side effects may still start. */
  mayStart?: () => boolean;
};

/** The call context of a task, with an HTTP client for this bridge only. */
export function createCall(world: World, { row, connector }: OpenBridge, options: CallOptions): Call {
  const { mayStart, ...rest } = options;
  const { signal } = options;
  const { allowPrivate, filesRoot, mailServer } = world.settings.outbound;
  const credentials = openCredentials(world, row);
  const addresses = (connector.sendsTo?.(row.settings) ?? []).map(({ url }) => url);
  const client = createHttpClient({
    allowPrivate,
    breakerKey: `${world.environment}:${row.id}`,
    findAllowedHosts: () => findOutboundHosts(world, row.org_id),
    credentialsFor: Object.keys(credentials).length === 0 || addresses.length === 0 ? undefined : addresses,
  });
  const http: HttpClient = {
    request: (request) => client.request({ signal, ...request, ...(mayStart ? { mayStart } : {}) }),
  };
  return {
    ...rest,
    // Organizations must not access each other's files.
    ...(filesRoot === undefined ? {} : { filesRoot: path.join(filesRoot, row.org_id) }),
    ...(mailServer === undefined ? {} : { mailServer }),
    settings: row.settings,
    credentials,
    http,
    isPreview: world.environment === "preview",
    async addressOf(host, { isOperators = false } = {}) {
      if (!isOperators) refuseUnlistedHost({ hostname: host }, await findOutboundHosts(world, row.org_id));
      const [address] = await safeAddresses(host, allowPrivate || isOperators, resolveBySystem);
      if (mayStart && !mayStart()) throw tooLate(host);
      return address!;
    },
    async accessToken(refused) {
      const request = connector.signIn?.(row.settings, credentials);
      if (!request) throw new RemoteError("authentication_failed", "This bridge does not use OAuth.");
      return await findAccessToken(world, { row, request, client: credentials, http, signal }, refused);
    },
    now: () => world.clock.now(),
    timeZone: () => findTimeZone(world, row.org_id),
  };
}

function tooLate(host: string): RemoteError {
  return new RemoteError("too_late", `${host} was not called: it is too late for that.`, { retryable: true });
}

/** Verifies and reads an unauthenticated webhook request. */
export function readWebhook(world: World, { row, connector }: OpenBridge, { headers, body }: SentRequest): ReadWebhook {
  if (!connector.readWebhook) return "off";
  try {
    const credentials = openCredentials(world, row);
    return connector.readWebhook({ headers, body, settings: row.settings, credentials, now: world.clock.real() });
  } catch (error) {
    // A secret that cannot be decrypted verifies nothing.
    if (error instanceof RemoteError) return "off";
    throw error;
  }
}

/** The response of a defect has no details; they are logged. */
export function describeAndLog({ log }: World, bridgeId: string, error: unknown, signal: AbortSignal): TaskFailure {
  const failure = describeFailure(error, signal);
  if (failure.code === "task_error") log.error({ err: error, bridgeId }, "task threw an unexpected error");
  return failure;
}

export type TaskFailure = {
  code: string;
  message: string;
  retryable: boolean;
  retryAfterMs?: number | undefined;
  mayHaveHappened?: boolean;
};

/** Converts an error to a failure with an actionable message; unexpected errors are defects without details. */
export function describeFailure(error: unknown, signal?: AbortSignal): TaskFailure {
  if (signal?.aborted && (signal.reason as Error | undefined)?.name === "TimeoutError") {
    return { code: "timed_out", message: "The external system did not respond in time.", retryable: true };
  }
  if (error instanceof RemoteError) {
    const { code, retryable, retryAfterMs, mayHaveHappened } = error;
    // Quoted responses may contain characters that PostgreSQL cannot store.
    return {
      code,
      message: cleanText(error.message),
      retryable,
      retryAfterMs,
      ...(mayHaveHappened && { mayHaveHappened }),
    };
  }
  return { code: "task_error", message: "The task failed because of an internal error.", retryable: false };
}
