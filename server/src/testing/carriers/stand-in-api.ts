import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export type CarrierRequest = {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body as JSON. Throws a SyntaxError if it is not. */
  json(): unknown;
};

/** `body`: text and bytes are sent as they are, anything else as JSON. */
export type CarrierReply = { status: number; headers?: Record<string, string>; body?: unknown };

/**
 * Faults of the connection, the same for every carrier. `_before`: instead of the effect, `_after`: the effect has happened and its
 * response is lost.
 */
const faultKinds = [
  "rate_limit",
  "rate_limit_without_header",
  "html",
  "error_before",
  "error_after",
  "cut_before",
  "cut_after",
  "hang_before",
  "hang_after",
  "garbled",
] as const;
type FaultKind = (typeof faultKinds)[number];

/** Faults that only one carrier has, such as a missing negotiated price, have a name of their own and are read with `takeFault`. */
export type Fault = { kind: string; operation?: string; times: number };

export type Operation = {
  /** What the request does: rate, buy, void. Faults are injected by this name. */
  name: string;
  method: string;
  path: RegExp;
  answer(request: CarrierRequest, match: RegExpExecArray, standIn: StandIn): CarrierReply | Promise<CarrierReply>;
};

/** One effect: a label that was paid for, a driver that was sent. One line of the journal. */
export type JournalEntry = { kind: string } & Record<string, unknown>;

export type CarrierApi = {
  operations: Operation[];
  /** The carrier's own form of an error. */
  notFound(request: CarrierRequest): CarrierReply;
  rateLimited(): CarrierReply;
  broken(): CarrierReply;
  /** Answers requests without valid credentials; undefined lets the request pass. Called before each operation. */
  authorize(request: CarrierRequest, operation: Operation, standIn: StandIn): CarrierReply | undefined;
};

export type StandIn = {
  url: string;
  /** "POST /v2/shipments", in order of arrival, with the operation. */
  requests: { operation: string; method: string; url: string; body: string }[];
  inject(kind: string, more?: { operation?: string; times?: number }): void;
  calm(): void;
  /** Uses up one injected fault of this kind; for faults of one carrier. */
  takeFault(kind: string, operation?: string): boolean;
  /** Written to disk before the response is sent, so that a killed stand-in has it after its restart. */
  record(entry: JournalEntry): void;
  journal(kind?: string): JournalEntry[];
  close(): Promise<void>;
};

/**
 * Serves a carrier's API on loopback. What it sold stands in the journal on disk: a stand-in that is started again on the same file
 * goes on with it.
 */
export async function startStandIn(
  api: CarrierApi,
  { journalFile, port = 0 }: { journalFile?: string | undefined; port?: number } = {},
): Promise<StandIn> {
  const entries: JournalEntry[] =
    journalFile && existsSync(journalFile)
      ? readFileSync(journalFile, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as JournalEntry)
      : [];
  const faults: Fault[] = [];
  const requests: StandIn["requests"] = [];

  const take = (operation: string, isWanted: (kind: string) => boolean): string | undefined => {
    const at = faults.findIndex((one) => isWanted(one.kind) && (one.operation ?? operation) === operation);
    if (at < 0) return undefined;
    const fault = faults[at]!;
    if (--fault.times <= 0) faults.splice(at, 1);
    return fault.kind;
  };

  const server = createServer((incoming, response) => void answer(incoming, response));
  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    const { method = "GET", headers } = incoming;
    const url = new URL(incoming.url!, standIn.url);
    const request: CarrierRequest = { method, url, headers, body, json: () => JSON.parse(body.toString("utf8")) };
    if (method === "POST" && url.pathname === "/stand-in/faults") return write(response, steer(request));
    const operation = api.operations.find((one) => one.method === method && one.path.test(url.pathname));
    requests.push({ operation: operation?.name ?? "unknown", method, url: incoming.url!, body: body.toString("utf8") });
    if (!operation) return write(response, api.notFound(request));
    const fault = take(operation.name, isConnectionFault) as FaultKind | undefined;
    if (fault === "hang_before") return;
    if (fault === "cut_before") return void incoming.socket.destroy();
    if (fault === "rate_limit") {
      const limited = api.rateLimited();
      return write(response, { ...limited, headers: { "retry-after": "1", ...limited.headers } });
    }
    if (fault === "rate_limit_without_header") return write(response, api.rateLimited());
    if (fault === "html") {
      const page = "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>";
      return write(response, { status: 502, headers: { "content-type": "text/html" }, body: page });
    }
    if (fault === "error_before") return write(response, api.broken());
    const reply =
      api.authorize(request, operation, standIn) ??
      (await operation.answer(request, operation.path.exec(url.pathname)!, standIn));
    if (fault === "error_after") return write(response, api.broken());
    if (fault === "cut_after") return void incoming.socket.destroy();
    if (fault === "hang_after") return;
    if (fault === "garbled") {
      return write(response, { status: 200, headers: { "content-type": "application/json" }, body: '{"id": "shp_' });
    }
    write(response, reply);
  }

  /** Injects the fault of the body. For stand-ins in a process of their own; these requests are not part of `requests`. */
  function steer(request: CarrierRequest): CarrierReply {
    const fault = readFault(request);
    if (typeof fault === "string") return { status: 400, body: { message: fault } };
    standIn.inject(fault.kind, fault);
    return { status: 204 };
  }
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));

  const standIn: StandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    inject: (kind, { operation, times = 1 } = {}) => void faults.push({ kind, times, ...(operation && { operation }) }),
    calm: () => void faults.splice(0),
    takeFault: (kind, operation = "") => take(operation, (one) => one === kind) !== undefined,
    record(entry) {
      if (journalFile) appendFileSync(journalFile, `${JSON.stringify(entry)}\n`);
      entries.push(entry);
    },
    journal: (kind) => entries.filter((entry) => kind === undefined || entry.kind === kind),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return standIn;
}

/** What is wrong with the body, or its fault. */
function readFault(request: CarrierRequest): Fault | string {
  let given: unknown;
  try {
    given = request.json();
  } catch {
    return "The body is not JSON.";
  }
  if (typeof given !== "object" || given === null) return "The body must be an object with kind, operation and times.";
  const { kind, operation, times = 1 } = given as Record<keyof Fault, unknown>;
  if (typeof kind !== "string") return "kind must be the name of a fault.";
  if (operation !== undefined && typeof operation !== "string") return "operation must be the name of an operation.";
  if (typeof times !== "number" || !Number.isInteger(times) || times < 1)
    return "times must be a whole number above 0.";
  return { kind, times, ...(operation !== undefined && { operation }) };
}

const isConnectionFault = (kind: string): boolean => (faultKinds as readonly string[]).includes(kind);

function write(response: ServerResponse, { status, headers = {}, body }: CarrierReply): void {
  if (body === undefined) return void response.writeHead(status, headers).end();
  if (typeof body === "string" || Buffer.isBuffer(body)) return void response.writeHead(status, headers).end(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
