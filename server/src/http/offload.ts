import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import { lengthOf } from "./read-body.ts";
import type { Slot } from "./request-queue.ts";
import { createRequestQueue } from "./request-queue.ts";
import type { WorkerProcess, WorkerSlot } from "./worker-slots.ts";
import { createWorkerSlots } from "./worker-slots.ts";

/**
 * Requests that would hold the event loop for long (large bodies, long lists, tests of mappings, preflights of thousands of
 * orders) are forwarded to worker processes, which have the same routes on the same database. A worker process runs one request
 * at a time, and an organization has one of them at a time: a request that exhausts the memory or never ends affects its own
 * caller, and no other organization. Worker processes are started on demand and end when they are idle.
 */
export type Offload = {
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  stop(): Promise<void>;
};

type OffloadOptions = { start(): Promise<WorkerProcess>; log: Pick<Logger, "warn"> };

const maxProcesses = 2;
const maxWaiting = 16;
/** No valid request takes as long, even on a slow machine. */
const maxRunMs = 120_000;
/** An organization whose request was killed has to wait: the next one would probably end the same way. */
const penaltyMs = 60_000;

/** The authenticated caller, for the worker process. */
const callerHeader = "x-hub-caller";

function writeCaller({ expiresAt: _checked, ...principal }: Principal): string {
  return Buffer.from(JSON.stringify({ ...principal, scopes: [...principal.scopes] })).toString("base64url");
}

type WrittenPrincipal = Omit<Principal, "scopes" | "authenticatedAt" | "expiresAt"> & {
  scopes: Scope[];
  authenticatedAt?: string;
};

/** In the worker process. Only the process that started it knows the token. */
export function readPrincipal(headers: IncomingHttpHeaders, token: string): Principal {
  if (headers.authorization !== `Bearer ${token}`) throw new HubError("invalid_token");
  const text = Buffer.from(String(headers[callerHeader]), "base64url").toString();
  const { scopes, authenticatedAt, ...caller } = JSON.parse(text) as WrittenPrincipal;
  const proof = authenticatedAt === undefined ? {} : { authenticatedAt: new Date(authenticatedAt) };
  return { ...caller, ...proof, scopes: new Set(scopes) };
}

export function createOffload({ start, log }: OffloadOptions): Offload {
  const queue = createRequestQueue({ slots: maxProcesses, perTenant: () => 1, maxWaiting, maxWaitMs: 20_000 });
  const workers = createWorkerSlots(maxProcesses, start);
  const penalties = createPenalties();

  async function acquireTurn(orgId: string, reply: FastifyReply): Promise<Slot> {
    penalties.check(orgId);
    const acquired = await queue.acquire(orgId, (leave) => reply.raw.once("close", leave));
    if ("rejected" in acquired) {
      if (acquired.rejected === "left") throw clientDisconnected();
      const detail = "Your organization has too many large requests waiting.";
      throw new HubError("overloaded", detail, { retryAfterSeconds: 5 });
    }
    try {
      // A request of the same organization may have been killed meanwhile.
      penalties.check(orgId);
    } catch (error) {
      acquired.release();
      throw error;
    }
    return acquired;
  }

  return {
    async forward(request, reply) {
      const principal = request.principal!;
      const { orgId } = principal;
      const turn = await acquireTurn(orgId, reply);
      const worker = workers.take();
      // Not cleared when the client disconnects: the work goes on.
      const timeout = setTimeout(worker.kill, maxRunMs);
      const free = (): void => {
        clearTimeout(timeout);
        worker.release();
        turn.release();
      };
      try {
        const response = await retryIfGone(worker, async () => {
          const process = await worker.connect();
          if (reply.raw.destroyed) throw clientDisconnected();
          return await forwardTo(process, request, principal, reply);
        });
        worker.responseStarted();
        response.once("close", worker.responseEnded);
        // The response is complete or streaming: a slow reader must not keep others waiting.
        free();
        return reply.code(response.statusCode!).headers(forwardedHeaders(response)).send(response);
      } catch (error) {
        // After a disconnect the process may go on: the worker is free when it has finished.
        const finished = penalties.addIfKilled(orgId, worker.wasKilled()).finally(free);
        if (error instanceof HubError) throw error;
        if (reply.raw.destroyed) throw clientDisconnected();
        log.warn({ err: error, requestId: request.id }, "an offloaded request failed");
        const isKilled = await finished;
        const message = isKilled
          ? "The request took too much time or memory and was stopped. Send less at once."
          : "The worker process of the request ended. Try again.";
        throw new HubError("overloaded", message, { retryAfterSeconds: isKilled ? penaltyMs / 1_000 : 5 });
      }
    },
    stop: workers.stop,
  };
}

/** A process that has just died may not be known to be gone yet. Nothing was sent to it, so another one can be used. */
async function retryIfGone<T>(worker: WorkerSlot, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ECONNREFUSED" && code !== "ENOENT") throw error;
    worker.forget();
    return await attempt();
  }
}

/** Organizations whose request was killed, and until when they have to wait. */
function createPenalties() {
  const ends = new Map<string, number>();
  return {
    async addIfKilled(orgId: string, killed: Promise<boolean>): Promise<boolean> {
      const isKilled = await killed;
      if (isKilled) ends.set(orgId, performance.now() + penaltyMs);
      return isKilled;
    },
    check(orgId: string): void {
      const leftMs = (ends.get(orgId) ?? 0) - performance.now();
      if (leftMs <= 0) {
        ends.delete(orgId);
        return;
      }
      const retryAfterSeconds = Math.ceil(leftMs / 1_000);
      const message = `A request of your organization took too much time or memory and was stopped. Large requests are accepted again in ${retryAfterSeconds} s.`;
      throw new HubError("overloaded", message, { retryAfterSeconds });
    },
  };
}

const clientDisconnected = (): HubError => new HubError("request_timeout", "The client disconnected.");

/** Request headers that verbs and parsers read. */
const requestHeaders = [
  "accept",
  "accept-encoding",
  "content-type",
  "idempotency-key",
  "if-match",
  "prefer",
  "user-agent",
  "x-organization-id",
];

function forwardTo(
  { socketPath, token }: WorkerProcess,
  request: FastifyRequest,
  principal: Principal,
  reply: FastifyReply,
): Promise<IncomingMessage> {
  const headers: Record<string, string | string[]> = {
    authorization: `Bearer ${token}`,
    [callerHeader]: writeCaller(principal),
    "x-request-id": request.id,
  };
  for (const name of requestHeaders) if (request.headers[name] !== undefined) headers[name] = request.headers[name];
  const body = request.sentBody;
  if (body) headers["content-length"] = String(lengthOf(body));
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { socketPath, method: request.method, path: request.raw.url!, headers, agent: false },
      (response) => {
        reply.raw.off("close", abandon);
        resolve(response);
      },
    );
    call.on("error", reject);
    // A disconnected client needs no response. Once there is one, the reply that streams it handles that.
    const abandon = (): void => void call.destroy();
    reply.raw.once("close", abandon);
    if (body) Readable.from(body).pipe(call);
    else call.end();
  });
}

const hopByHopHeaders = new Set(["connection", "keep-alive", "transfer-encoding", "date"]);

function forwardedHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !hopByHopHeaders.has(entry[0]),
    ),
  );
}
