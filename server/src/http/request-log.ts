import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";

export type RequestLog = {
  note(request: FastifyRequest, reply: FastifyReply): void;
  /** One that nothing is known of but how it ended. */
  noteRefused(status: number): void;
  stop(): void;
};

/** Of requests that were refused so many a second get a line of their own: whoever is refused could fill a disk else. */
const refusalsPerSecond = 20;
const sumUpMs = 1_000;

/** Changes, failures and slow requests are worth a line; the many successful reads only when debugging. */
export function createRequestLog(log: Pick<Logger, "warn" | "info" | "debug" | "isLevelEnabled">): RequestLog {
  let written = 0;
  /** By status: those without a line. */
  let unwritten = new Map<number, number>();
  const timer = setInterval(sumUp, sumUpMs).unref();

  function sumUp(): void {
    written = 0;
    if (unwritten.size === 0) return;
    log.warn({ byStatus: Object.fromEntries(unwritten) }, "more requests were refused");
    unwritten = new Map();
  }

  const countOnly = (status: number): void => void unwritten.set(status, (unwritten.get(status) ?? 0) + 1);

  return {
    noteRefused: countOnly,
    note(request, reply) {
      const { statusCode: status } = reply;
      // A mistake of ours always has its line.
      if (status >= 400 && status !== 500 && ++written > refusalsPerSecond) {
        return countOnly(status);
      }
      const durationMs = Math.round(request.streamedAfterMs ?? reply.elapsedTime);
      const isQuiet = request.method === "GET" && status < 400 && durationMs < 1_000;
      if (isQuiet && !log.isLevelEnabled("debug")) return;
      const level = status >= 500 ? "warn" : isQuiet ? "debug" : "info";
      log[level](
        {
          requestId: request.id,
          method: request.method,
          route: request.routeOptions.url,
          status,
          durationMs,
          orgId: request.principal?.orgId,
        },
        "request",
      );
    },
    stop() {
      clearInterval(timer);
      sumUp();
    },
  };
}
