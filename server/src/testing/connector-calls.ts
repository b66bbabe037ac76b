import type {
  Call,
  Connector,
  ConnectorTask,
  Page,
  PullTask,
  PulledRecord,
  PushTask,
  Sent,
  Settings,
} from "../connectors/connector.ts";
import { RemoteError } from "../core/remote-error.ts";
import type { ClientOptions } from "../core/outbound/outbound-request.ts";
import { createHttpClient } from "../core/outbound/outbound.ts";

let clients = 0;

/** Arguments that the task engine passes to a task. */
export function callFor(given: Partial<Call> & { client?: Partial<ClientOptions> }): Call {
  const { client, ...call } = given;
  return {
    settings: {},
    credentials: {},
    input: {},
    http: createHttpClient({ allowPrivate: true, breakerKey: `call-${++clients}`, ...client }),
    signal: new AbortController().signal,
    timeZone: () => Promise.resolve("UTC"),
    accessToken: () => Promise.reject(new Error("this connector does not authenticate")),
    addressOf: (host) => Promise.resolve(host),
    isPreview: false,
    now: () => new Date(),
    effectKey: "effect-1",
    progress: () => {},
    log: () => {},
    ...call,
  };
}

type TaskOf<Mode extends ConnectorTask["mode"]> = Extract<ConnectorTask, { mode: Mode }>;

export function taskOf<Mode extends ConnectorTask["mode"]>(
  connector: Connector,
  mode: Mode,
  name: string,
  settings: Settings = {},
): TaskOf<Mode> {
  const task = connector.tasks(settings).find((candidate) => candidate.name === name && candidate.mode === mode);
  if (!task) throw new Error(`${connector.name} has no ${mode} ${name}`);
  return task as TaskOf<Mode>;
}

/** Reads all pages after a cursor; `limit` stops early, as a crash would. */
export async function pullAll(task: PullTask, call: Call, cursor?: unknown, limit = Infinity): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of task.pull(call, cursor)) {
    pages.push(page);
    if (pages.length >= limit) break;
  }
  return pages;
}

/** Stores pages as a hub does: one record per external ID, and never an older state over a newer one. */
export function storeRecords(store: Map<string, PulledRecord>, pages: Page[]): void {
  for (const record of pages.flatMap(({ records }) => records)) {
    const kept = store.get(record.externalId);
    if (!kept || (record.updatedAt ?? "") >= (kept.updatedAt ?? "")) store.set(record.externalId, record);
  }
}

const maxTries = 8;

/** Imports as a hub does: stores each page with its cursor and resumes after retryable failures. */
export async function importAll(
  task: PullTask,
  call: Call,
  store: Map<string, PulledRecord>,
  from?: unknown,
): Promise<{ cursor: unknown; failures: string[] }> {
  const failures: string[] = [];
  let cursor = from;
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    try {
      for await (const page of task.pull(call, cursor)) {
        storeRecords(store, [page]);
        // Cursors are stored as JSON.
        cursor = JSON.parse(JSON.stringify(page.cursor));
      }
      return { cursor, failures };
    } catch (error) {
      if (!(error instanceof RemoteError) || !error.retryable) throw error;
      failures.push(error.code);
    }
  }
  throw new Error(`did not finish: ${failures.join(", ")}`);
}

/** Pushes as a hub does: after an unknown outcome, looks the effect up before sending again, and stops if there is no lookup. */
export async function sendOnce(
  task: PushTask,
  call: Call,
  record: Record<string, unknown>,
  key: string,
): Promise<Sent | "unknown"> {
  let mayHaveHappened = false;
  for (let attempt = 1; attempt <= maxTries; attempt++) {
    try {
      const found = mayHaveHappened ? await task.find?.(call, record, key) : undefined;
      if (found && found !== "in part") return found;
      mayHaveHappened = false;
      return await task.send(call, record, key);
    } catch (error) {
      if (!(error instanceof RemoteError)) throw error;
      if (error.mayHaveHappened) {
        if (!task.find && !task.idempotent) return "unknown";
        mayHaveHappened = true;
      } else if (!error.retryable) throw error;
    }
  }
  throw new Error("did not finish");
}
