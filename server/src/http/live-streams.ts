import type { ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../core/actor.ts";
import { callerKey } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { World } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";
import { authenticate } from "../features/auth/auth.ts";
import type { Live, LiveReader } from "../route.ts";
import { liveType } from "../route.ts";

/**
 * Server-sent events that go on for hours. A stream costs a socket and little else, so it is not counted as an open request;
 * streams have limits of their own, and each ends when the token that opened it does.
 */
export type LiveStreams = {
  open(call: Call, live: Live): FastifyReply;
  count(): number;
  /** Ends all of them, and opens no more. */
  stop(): void;
};

type Call = {
  request: FastifyRequest;
  reply: FastifyReply;
  toText(data: unknown): string;
};

type Stream = { principal: Principal; credential: Credential; end(): void };

const maxStreams = { caller: 10, organization: 100, node: 1_000 };
const reasons = {
  caller: "You have 10 open streams.",
  organization: "Your organization has 100 open streams.",
  node: "The hub has reached its limit of open streams.",
};
/** A client that leaves more than this unread is too slow, or gone. */
const maxUnsentBytes = 256 * 1024;
const expiryCheckMs = 1_000;

export function createLiveStreams(world: World): LiveStreams {
  const streams = new Set<Stream>();
  const max = { ...maxStreams, node: world.settings.maxStreams ?? maxStreams.node };
  let isStopped = false;
  // By the clock of the hub, which tests and the preview can move.
  const expiry = setInterval(() => {
    const now = world.clock.real();
    for (const stream of streams) if (stream.principal.expiresAt && stream.principal.expiresAt <= now) stream.end();
  }, expiryCheckMs).unref();

  function recheck(isAffected: (stream: Stream) => boolean): void {
    const affected = [...streams].filter(isAffected);
    // The cache of principals is cleared by the same signal, possibly after this listener.
    if (affected.length > 0)
      setImmediate(() => void Promise.all(affected.map((stream) => endUnlessAllowed(world, stream))));
  }
  const isOf = (id: string) => (stream: Stream) =>
    stream.principal.actor.type !== "system" && stream.principal.actor.id === id;
  const subscriptions = [
    world.signals.subscribe("api_key", (id) => recheck(isOf(id))),
    world.signals.subscribe("user", (id) => recheck(isOf(id))),
    world.signals.subscribe("organization", (id) => recheck(({ principal }) => principal.orgId === id)),
    world.signals.subscribe("reset", endAll),
  ];
  world.signals.onGap(() => recheck(() => true));

  function endAll(): void {
    for (const stream of streams) stream.end();
  }

  function rejectTooMany({ actor, orgId }: Principal): void {
    const count = (isCounted: (stream: Stream) => boolean): number => [...streams].filter(isCounted).length;
    const key = callerKey(actor);
    const open = {
      caller: count(({ principal }) => callerKey(principal.actor) === key),
      organization: count(({ principal }) => principal.orgId === orgId),
      node: streams.size,
    };
    for (const scope of ["caller", "organization", "node"] as const) {
      if (open[scope] < max[scope]) continue;
      throw new HubError("too_many_streams", `${reasons[scope]} Close one first.`, { retryAfterSeconds: 5 });
    }
  }

  return {
    open({ request, reply, toText }, live) {
      if (isStopped) throw new HubError("not_ready", "The hub is shutting down.", { retryAfterSeconds: 1 });
      const principal = request.principal!;
      rejectTooMany(principal);
      reply.headers({
        "content-type": `${liveType}; charset=utf-8`,
        "cache-control": "no-store, no-transform",
        // For proxies that buffer a response before they pass it on.
        "x-accel-buffering": "no",
        connection: "close",
      });
      if (request.method === "HEAD") return reply.send("");
      reply.hijack();
      request.streamedAfterMs = reply.elapsedTime;
      const response = reply.raw;
      const ending = new AbortController();
      const stream: Stream = {
        principal,
        credential: request.credential!,
        end() {
          ending.abort();
          // A client that does not read would not read the end either.
          if (response.writableLength > 0) response.destroy();
          else response.end();
        },
      };
      streams.add(stream);
      response.once("close", () => {
        streams.delete(stream);
        ending.abort();
      });
      request.admitted?.leave();
      for (const [name, value] of Object.entries(reply.getHeaders())) {
        if (value !== undefined) response.setHeader(name, value);
      }
      response.writeHead(200);
      live
        .follow(readerOf(response, ending.signal, toText))
        .catch((error: unknown) => {
          if (!ending.signal.aborted) world.log.warn({ err: error, requestId: request.id }, "a stream was interrupted");
        })
        // Complete: the client reads it to its end.
        .finally(() => response.end());
      return reply;
    },
    count: () => streams.size,
    stop() {
      isStopped = true;
      clearInterval(expiry);
      for (const unsubscribe of subscriptions.splice(0)) unsubscribe();
      endAll();
    },
  };
}

function readerOf(response: ServerResponse, ended: AbortSignal, toText: Call["toText"]): LiveReader {
  return {
    ended,
    toText,
    async send(text) {
      if (ended.aborted || response.write(text)) return;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          response.off("drain", go);
          ended.removeEventListener("abort", go);
          resolve();
        };
        response.on("drain", go);
        ended.addEventListener("abort", go);
      });
    },
    push(text) {
      if (ended.aborted) return;
      response.write(text);
      if (response.writableLength > maxUnsentBytes) response.destroy();
    },
  };
}

/** The token may have been revoked, or permit something else by now: the client learns that when it reconnects. */
async function endUnlessAllowed(world: World, stream: Stream): Promise<void> {
  try {
    const now = await authenticate(world, stream.credential);
    if (!isSame(now, stream.principal)) stream.end();
  } catch (error) {
    // Nothing is known about the token while the database or the issuer is unreachable.
    if (error instanceof HubError && error.status < 500) stream.end();
  }
}

function isSame(now: Principal, before: Principal): boolean {
  return (
    now.orgId === before.orgId &&
    now.mustEnrollTotp === before.mustEnrollTotp &&
    now.scopes.size === before.scopes.size &&
    now.scopes.isSubsetOf(before.scopes)
  );
}
