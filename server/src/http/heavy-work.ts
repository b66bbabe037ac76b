import { request as httpRequest } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import { lengthOf } from "./read-body.ts";
import { createTurns } from "./turns.ts";

/**
 * What would hold the event loop for long (large bodies, trials of mappings, preflights of thousands of orders) is done by a
 * process of its own, which has the same routes on the same database: it may take all its memory and die of it, or take too
 * long and be ended, and nobody else notices. It is started with the first of such requests and ends when there were none
 * for a while.
 */
export type HeavyWork = {
  forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
  stop(): Promise<void>;
};

/** A process that takes heavy requests at this socket, from whoever knows the token. */
export type HeavyProcess = {
  socketPath: string;
  token: string;
  hasEnded(): boolean;
  /** At once, with all it is doing. */
  kill(): void;
  stop(): Promise<void>;
};

type HeavyOptions = { start(): Promise<HeavyProcess>; log: Pick<Logger, "warn"> };

const idleMs = 5 * 60_000;
const maxAtOnce = 2;
/** Nothing that is allowed takes as long, even on a slow machine. */
const patienceMs = 120_000;

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

export function createHeavyWork({ start, log }: HeavyOptions): HeavyWork {
  const turns = createTurns({ places: maxAtOnce, perLane: () => 1, maxWaiting: 8, patienceMs: 20_000 });
  let running: Promise<HeavyProcess> | undefined;
  let idle: NodeJS.Timeout | undefined;
  /** Answers that are being made while they are read. */
  let unread = 0;

  async function reach(): Promise<HeavyProcess> {
    clearTimeout(idle);
    const found = await running?.catch(() => undefined);
    if (found && !found.hasEnded()) return found;
    running = start();
    return await running;
  }

  /** One that has just died may not be known to be gone yet. Nothing was sent to it, so that another one can be asked. */
  async function askAgainIfGone<T>(askOne: () => Promise<T>): Promise<T> {
    try {
      return await askOne();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ECONNREFUSED" && code !== "ENOENT") throw error;
      running = undefined;
      return await askOne();
    }
  }

  async function end(): Promise<void> {
    const ending = running;
    running = undefined;
    await (await ending?.catch(() => undefined))?.stop();
  }

  function endWhenIdle(): void {
    clearTimeout(idle);
    if (turns.working() === 0 && unread === 0) idle = setTimeout(() => void end(), idleMs).unref();
  }

  return {
    async forward(request, reply) {
      const principal = request.principal!;
      const turn = await turns.take(principal.orgId, (leave) => reply.raw.once("close", leave));
      if ("refused" in turn) {
        if (turn.refused === "left") throw hungUp();
        throw new HubError("overloaded", "Too much heavy work of yours is waiting.", { retryAfterSeconds: 5 });
      }
      try {
        const answer = await askAgainIfGone(async () => {
          const process = await reach();
          if (reply.raw.destroyed) throw hungUp();
          return await ask(process, request, principal, reply);
        });
        unread++;
        answer.once("close", () => {
          unread--;
          endWhenIdle();
        });
        return reply.code(answer.statusCode!).headers(passedOn(answer)).send(answer);
      } catch (error) {
        // There is nobody to tell, and nothing is wrong with the work.
        if (reply.raw.destroyed) throw hungUp();
        log.warn({ err: error, requestId: request.id }, "heavy work was not done");
        throw new HubError(
          "overloaded",
          "The work was given up: it may need too much memory, or be beside such work.",
          {
            retryAfterSeconds: 5,
          },
        );
      } finally {
        // Its answer is made by now. How fast that is read is no reason to keep others waiting.
        turn.end();
        endWhenIdle();
      }
    },
    stop: end,
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
  { socketPath, token, kill }: HeavyProcess,
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
        clearTimeout(patience);
        reply.raw.off("close", abandon);
        resolve(answer);
      },
    );
    const patience = setTimeout(kill, patienceMs);
    call.on("error", (error) => {
      clearTimeout(patience);
      reject(error);
    });
    // Nobody reads it any more: nothing more is made. Once there is an answer, whoever sends it on sees to that.
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
