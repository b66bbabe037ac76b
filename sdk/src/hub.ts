import type { HubApi } from "./api-methods.ts";
import { methods } from "./api-methods.ts";
import type { OperationRun } from "./api-types.ts";
import type { ClientOptions, HubClient } from "./client.ts";
import { createClient } from "./client.ts";
import type { StreamMessage } from "./event-stream.ts";
import { followEvents, followRecord } from "./live-streams.ts";
import type { Query } from "./pages.ts";
import { pagedList } from "./pages.ts";

export type * from "./api-types.ts";
export type { HubApi } from "./api-methods.ts";
export type { CallOptions, Exchange } from "./client.ts";
export type { PagedList } from "./pages.ts";
export { HubApiError, HubConnectionError } from "./problem.ts";
export { verifyWebhook, WebhookVerificationError } from "./webhooks.ts";

export type HubOptions = Omit<ClientOptions, "baseUrl" | "headers"> & {
  /** `ooh_live_…` or `ooh_test_…`. Omit it in a page of the hub, where the session cookie authenticates. */
  apiKey?: string;
  /** Origin of the hub, such as https://hub.example.com. */
  url?: string;
  headers?: Record<string, string>;
};

type WaitOptions = { signal?: AbortSignal; onProgress?(run: OperationRun): void };

/** Untyped view of the client: the types of `HubApi` are generated from the same table as the calls. */
type AnyClient = {
  call(key: string, input: object): Promise<unknown>;
  stream(key: string, input: object): AsyncGenerator<StreamMessage>;
};
type Method = (...args: unknown[]) => unknown;
type Options = { signal?: AbortSignal; query?: Query };

const defaultUrl = "http://127.0.0.1:8080";

/** Every operation under its name: `hub.orders.list()`, `hub.operations.runs.get(id)`. */
class HubClientBase {
  /** Calls by method and path, uploads of files, and raw streams. */
  readonly client: HubClient;

  constructor({ apiKey, url = defaultUrl, headers = {}, ...options }: HubOptions = {}) {
    const authorization: Record<string, string> = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const baseUrl = url.replace(/\/+$/, "");
    this.client = createClient({ ...options, baseUrl, headers: { ...authorization, ...headers } });
    const client = this.client as unknown as AnyClient;
    for (const [name, operation] of Object.entries(methods)) place(this, name.split("."), methodOf(client, operation));
  }

  /** Resolves with the run once it has finished, whether its orders succeeded or failed. */
  async waitForRun(run: string | { id: string }, { signal, onProgress }: WaitOptions = {}): Promise<OperationRun> {
    const id = typeof run === "string" ? run : run.id;
    const client = this.client as unknown as AnyClient;
    const key = "GET /api/v1/operations/runs/{id}";
    const open = () => client.stream(`${key}/watch`, { path: { id }, signal });
    for await (const state of followRecord(open, signal)) onProgress?.(state as OperationRun);
    return await this.client.call(key, { path: { id }, ...(signal ? { signal } : {}) });
  }
}

// The members are placed by the constructor; a class cannot declare members from a mapped type.
export const Hub = HubClientBase as new (options?: HubOptions) => HubClientBase & HubApi;
export type Hub = HubClientBase & HubApi;

/** A method may also hold others: `orders.import` and `orders.import.watch`. */
function place(root: object, [name = "", ...rest]: string[], method: Method): void {
  const members = root as Record<string, object>;
  if (rest.length > 0) return place((members[name] ??= {}), rest, method);
  members[name] = Object.assign(method, members[name]);
}

function methodOf(client: AnyClient, operation: string): Method {
  const [kind = "", method = "", template = ""] = operation.split(" ");
  const key = `${method} ${template}`;
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  return (...args) => {
    const path = Object.fromEntries(names.map((name, at) => [name, idOf(args[at], name, key)]));
    const [first, second] = args.slice(names.length) as [Query | undefined, Options | undefined];
    if (kind === "none") return client.call(key, { path, ...first });
    if (kind === "body") return client.call(key, { path, body: first, ...second });
    const { signal } = (kind === "watch" ? (first as Options | undefined) : second) ?? {};
    const query = kind === "watch" ? {} : (first ?? {});
    const read = (one: Query): Promise<unknown> => client.call(key, { ...second, path, query: one });
    if (kind === "list") return pagedList(query, read);
    if (kind === "query") return read(query);
    const { after, ...others } = query;
    const open = (last: string | undefined) => client.stream(key, { path, query: others, after: last, signal });
    return kind === "follow" ? followEvents(open, after as string | undefined, signal) : followRecord(open, signal);
  };
}

/** An omitted ID would otherwise be sent as "undefined". */
function idOf(value: unknown, name: string, key: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new TypeError(`${key} requires ${name}, a text that is not empty.`);
}
