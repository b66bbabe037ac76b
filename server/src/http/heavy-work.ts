import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import { lengthOf } from "./read-body.ts";
import type { HeavyProcess, ProcessSlot } from "./heavy-slots.ts";
import { createProcessSlots } from "./heavy-slots.ts";
import type { Turn } from "./turns.ts";
import { createTurns } from "./turns.ts";

/**
 * Work that would hold the event loop for long (large bodies, long lists, trials of mappings, preflights of thousands of orders)
 * is done by other processes, which have the same routes on the same database. A process does one request at a time, and an
 * organization has one process at a time: a request that takes all the memory or never ends costs its own caller, and no other
 * organization. Processes are started on demand and end when there was no such request for a while.
 */
export type HeavyWork = {
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  stop(): Promise<void>;
};

type HeavyOptions = { start(): Promise<HeavyProcess>; log: Pick<Logger, "warn"> };

const maxProcesses = 2;
const maxWaiting = 16;
/** Nothing that is allowed takes as long, even on a slow machine. */
const patienceMs = 120_000;
/** An organization whose work had to be killed waits this long: the next request would probably end the same way. */
const penaltyMs = 60_000;

/** Who asks, as the other process is told. */
const callerHeader = "x-hub-caller";

function writeCaller({ expiresAt: _checkedAlready, ...principal }: Principal): string {
  return Buffer.from(JSON.stringify({ ...principal, scopes: [...principal.scopes] })).toString("base64url");
}

type WrittenPrincipal = Omit<Principal, "scopes" | "authenticatedAt" | "expiresAt"> & {
  scopes: Scope[];
  authenticatedAt?: string;
};

/** In the other process: who was found to ask. Only the process that has started it knows the token. */
export function readPrincipal(headers: IncomingHttpHeaders, token: string): Principal {
  if (headers.authorization !== `Bearer ${token}`) throw new HubError("invalid_token");
  const text = Buffer.from(String(headers[callerHeader]), "base64url").toString();
  const { scopes, authenticatedAt, ...caller } = JSON.parse(text) as WrittenPrincipal;
  const proof = authenticatedAt === undefined ? {} : { authenticatedAt: new Date(authenticatedAt) };
  return { ...caller, ...proof, scopes: new Set(scopes) };
}

export function createHeavyWork({ start, log }: HeavyOptions): HeavyWork {
  const turns = createTurns({ places: maxProcesses, perLane: () => 1, maxWaiting, patienceMs: 20_000 });
  const slots = createProcessSlots(maxProcesses, start);
  const penalties = createPenalties();

  async function takeTurn(orgId: string, reply: FastifyReply): Promise<Turn> {
    penalties.refuse(orgId);
    const turn = await turns.take(orgId, (leave) => reply.raw.once("close", leave));
    if ("refused" in turn) {
      if (turn.refused === "left") throw hungUp();
      throw new HubError("overloaded", "Too much heavy work of yours is waiting.", { retryAfterSeconds: 5 });
    }
    try {
      // Its work may have been killed while this one waited.
      penalties.refuse(orgId);
    } catch (error) {
      turn.end();
      throw error;
    }
    return turn;
  }

  return {
    async forward(request, reply) {
      const principal = request.principal!;
      const { orgId } = principal;
      const turn = await takeTurn(orgId, reply);
      const slot = slots.take();
      // Of the work, not of its caller: it stays when the caller hangs up.
      const patience = setTimeout(slot.kill, patienceMs);
      const free = (): void => {
        clearTimeout(patience);
        slot.release();
        turn.end();
      };
      try {
        const answer = await askAgainIfGone(slot, async () => {
          const process = await slot.reach();
          if (reply.raw.destroyed) throw hungUp();
          return await ask(process, request, principal, reply);
        });
        slot.noteUnread();
        answer.once("close", slot.noteRead);
        // Its answer is made by now. How fast that is read is no reason to keep others waiting.
        free();
        return reply.code(answer.statusCode!).headers(passedOn(answer)).send(answer);
      } catch (error) {
        // The process may go on with it when the caller has hung up: only then is the slot free again.
        const finished = penalties.noteIfKilled(orgId, slot.wasKilledOver()).finally(free);
        if (error instanceof HubError) throw error;
        // The caller is gone, and nothing is wrong with the work.
        if (reply.raw.destroyed) throw hungUp();
        log.warn({ err: error, requestId: request.id }, "heavy work was not done");
        const isKilled = await finished;
        const message = isKilled
          ? "The request took too much time or memory and was stopped. Send less at once."
          : "The process that worked on the request has ended. Try again.";
        throw new HubError("overloaded", message, { retryAfterSeconds: isKilled ? penaltyMs / 1_000 : 5 });
      }
    },
    stop: slots.stop,
  };
}

/** One that has just died may not be known to be gone yet. Nothing was sent to it, so that another one can be asked. */
async function askAgainIfGone<T>(slot: ProcessSlot, askOne: () => Promise<T>): Promise<T> {
  try {
    return await askOne();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ECONNREFUSED" && code !== "ENOENT") throw error;
    slot.forget();
    return await askOne();
  }
}

/** Organizations whose work was killed, and until when they wait. */
function createPenalties() {
  const ends = new Map<string, number>();
  return {
    async noteIfKilled(orgId: string, killed: Promise<boolean>): Promise<boolean> {
      const isKilled = await killed;
      if (isKilled) ends.set(orgId, performance.now() + penaltyMs);
      return isKilled;
    },
    refuse(orgId: string): void {
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

const hungUp = (): HubError => new HubError("request_timeout", "The caller has hung up.");

/** Headers of a request that verbs and parsers read. */
const sentOn = [
  "accept",
  "accept-encoding",
  "content-type",
  "idempotency-key",
  "if-match",
  "prefer",
  "user-agent",
  "x-organization-id",
];

function ask(
  { socketPath, token }: HeavyProcess,
  request: FastifyRequest,
  principal: Principal,
  reply: FastifyReply,
): Promise<IncomingMessage> {
  const headers: Record<string, string | string[]> = {
    authorization: `Bearer ${token}`,
    [callerHeader]: writeCaller(principal),
    "x-request-id": request.id,
  };
  for (const name of sentOn) if (request.headers[name] !== undefined) headers[name] = request.headers[name];
  const body = request.sentBody;
  if (body) headers["content-length"] = String(lengthOf(body));
  return new Promise((resolve, reject) => {
    const call = httpRequest(
      { socketPath, method: request.method, path: request.raw.url!, headers, agent: false },
      (answer) => {
        reply.raw.off("close", abandon);
        resolve(answer);
      },
    );
    call.on("error", reject);
    // The caller has hung up: nothing more of the answer is made. Once there is an answer, the reply that sends it on sees to that.
    const abandon = (): void => void call.destroy();
    reply.raw.once("close", abandon);
    // One after the other, as they are taken.
    if (body) Readable.from(body).pipe(call);
    else call.end();
  });
}

const ofTheConnection = new Set(["connection", "keep-alive", "transfer-encoding", "date"]);

function passedOn({ headers }: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined && !ofTheConnection.has(entry[0]),
    ),
  );
}
