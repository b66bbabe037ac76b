import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import { lengthOf } from "./read-body.ts";
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

/**
 * A process that takes heavy requests at this socket, with this token. It is asked every second whether its event loop still
 * turns, whether or not a caller waits for it, and killed when it does not.
 */
export type HeavyProcess = {
  socketPath: string;
  token: string;
  hasEnded(): boolean;
  /** It was killed, or ran out of memory: its last request asked for too much. */
  wasOverworked(): boolean;
  /** Requests that it has not finished, also those whose callers have hung up; 0 when it has ended. */
  unfinished(): Promise<number>;
  /** At once, with all it is doing. */
  kill(): void;
  stop(): Promise<void>;
};

type HeavyOptions = { start(): Promise<HeavyProcess>; log: Pick<Logger, "warn"> };

const idleMs = 5 * 60_000;
const maxProcesses = 2;
const maxWaiting = 16;
/** Nothing that is allowed takes as long, even on a slow machine. */
const patienceMs = 120_000;
/** An organization whose work had to be killed waits this long: the next request would probably end the same way. */
const penaltyMs = 60_000;
/** How often a process is asked whether it has finished the work of a caller who has hung up. */
const pollMs = 100;

/** Who asks, as the other process is told. */
const callerHeader = "x-hub-caller";

function writeCaller({ expiresAt: _checkedAlready, ...principal }: Principal): string {
  return Buffer.from(JSON.stringify({ ...principal, scopes: [...principal.scopes] })).toString("base64url");
}

type WrittenPrincipal = Omit<Principal, "scopes" | "provedAt" | "expiresAt"> & { scopes: Scope[]; provedAt?: string };

/** In the other process: who was found to ask. Only the process that has started it knows the token. */
export function readPrincipal(headers: IncomingHttpHeaders, token: string): Principal {
  if (headers.authorization !== `Bearer ${token}`) throw new HubError("invalid_token");
  const text = Buffer.from(String(headers[callerHeader]), "base64url").toString();
  const { scopes, provedAt, ...caller } = JSON.parse(text) as WrittenPrincipal;
  const proof = provedAt === undefined ? {} : { provedAt: new Date(provedAt) };
  return { ...caller, ...proof, scopes: new Set(scopes) };
}

/** Room for one process. `unread`: answers that are made while they are read. */
type Slot = { process?: Promise<HeavyProcess> | undefined; isBusy: boolean; unread: number; idle?: NodeJS.Timeout };

export function createHeavyWork({ start, log }: HeavyOptions): HeavyWork {
  const turns = createTurns({ places: maxProcesses, perLane: () => 1, maxWaiting, patienceMs: 20_000 });
  const slots = Array.from({ length: maxProcesses }, (): Slot => ({ isBusy: false, unread: 0 }));
  /** Organizations whose work was killed, and until when they wait. */
  const penalties = new Map<string, number>();

  /** A running process first; one that others still read from last, since it may have to be killed. */
  function takeSlot(): Slot {
    const rank = ({ process, unread }: Slot): number => (unread > 0 ? 2 : process ? 0 : 1);
    const [slot] = slots.filter(({ isBusy }) => !isBusy).toSorted((a, b) => rank(a) - rank(b));
    slot!.isBusy = true;
    clearTimeout(slot!.idle);
    return slot!;
  }

  async function reach(slot: Slot): Promise<HeavyProcess> {
    const found = await slot.process?.catch(() => undefined);
    if (found && !found.hasEnded()) return found;
    slot.process = start();
    return await slot.process;
  }

  /** One that has just died may not be known to be gone yet. Nothing was sent to it, so that another one can be asked. */
  async function askAgainIfGone<T>(slot: Slot, askOne: () => Promise<T>): Promise<T> {
    try {
      return await askOne();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ECONNREFUSED" && code !== "ENOENT") throw error;
      slot.process = undefined;
      return await askOne();
    }
  }

  async function end(slot: Slot): Promise<void> {
    const ending = slot.process;
    slot.process = undefined;
    await (await ending?.catch(() => undefined))?.stop();
  }

  function release(slot: Slot): void {
    slot.isBusy = false;
    endWhenIdle(slot);
  }

  function endWhenIdle(slot: Slot): void {
    clearTimeout(slot.idle);
    if (!slot.isBusy && slot.unread === 0) slot.idle = setTimeout(() => void end(slot), idleMs).unref();
  }

  /** Of a request whose caller has hung up: the process may go on with it. */
  async function whenFinished(slot: Slot): Promise<void> {
    const process = await slot.process?.catch(() => undefined);
    while (process && !process.hasEnded() && (await process.unfinished()) > slot.unread) await delay(pollMs);
  }

  /** Whether the process of this slot was killed over the request it had. */
  async function wasOverworked(slot: Slot): Promise<boolean> {
    return (await slot.process?.catch(() => undefined))?.wasOverworked() ?? false;
  }

  function refuseIfPenalized(orgId: string): void {
    const leftMs = (penalties.get(orgId) ?? 0) - performance.now();
    if (leftMs <= 0) {
      penalties.delete(orgId);
      return;
    }
    const retryAfterSeconds = Math.ceil(leftMs / 1_000);
    const message = `A request of your organization took too much time or memory and was stopped. Large requests are accepted again in ${retryAfterSeconds} s.`;
    throw new HubError("overloaded", message, { retryAfterSeconds });
  }

  /** The slot is free again when the process has finished the request, whether or not its caller has waited for that. */
  async function finish(slot: Slot, orgId: string): Promise<boolean> {
    await whenFinished(slot);
    const isKilled = await wasOverworked(slot);
    if (isKilled) penalties.set(orgId, performance.now() + penaltyMs);
    return isKilled;
  }

  return {
    async forward(request, reply) {
      const principal = request.principal!;
      const { orgId } = principal;
      refuseIfPenalized(orgId);
      const turn = await turns.take(orgId, (leave) => reply.raw.once("close", leave));
      if ("refused" in turn) {
        if (turn.refused === "left") throw hungUp();
        throw new HubError("overloaded", "Too much heavy work of yours is waiting.", { retryAfterSeconds: 5 });
      }
      try {
        // Its work may have been killed while this one waited.
        refuseIfPenalized(orgId);
      } catch (error) {
        turn.end();
        throw error;
      }
      const slot = takeSlot();
      // Of the work, not of its caller: it stays when the caller hangs up.
      const patience = setTimeout(() => void slot.process?.then(({ kill }) => kill()).catch(() => {}), patienceMs);
      const free = (): void => {
        clearTimeout(patience);
        release(slot);
        turn.end();
      };
      try {
        const answer = await askAgainIfGone(slot, async () => {
          const process = await reach(slot);
          if (reply.raw.destroyed) throw hungUp();
          return await ask(process, request, principal, reply);
        });
        slot.unread++;
        answer.once("close", () => {
          slot.unread--;
          endWhenIdle(slot);
        });
        // Its answer is made by now. How fast that is read is no reason to keep others waiting.
        free();
        return reply.code(answer.statusCode!).headers(passedOn(answer)).send(answer);
      } catch (error) {
        const finished = finish(slot, orgId).finally(free);
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
    stop: async () => void (await Promise.all(slots.map(end))),
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
