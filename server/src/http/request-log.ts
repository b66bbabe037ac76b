import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";

export type RequestLog = {
  note(request: FastifyRequest, reply: FastifyReply): void;
  stop(): void;
};

/** Rejected requests with a log line of their own, per second: otherwise a rejected client could fill the disk. */
const refusalsPerSecond = 20;
const sumUpMs = 1_000;

/** Logs changes, failures and slow requests; successful reads only at level debug. */
export function createRequestLog(log: Pick<Logger, "warn" | "info" | "debug" | "isLevelEnabled">): RequestLog {
  let written = 0;
  /** Counts without a line, by status. */
  let unwritten = new Map<number, number>();
  const timer = setInterval(sumUp, sumUpMs).unref();

  function sumUp(): void {
    written = 0;
    if (unwritten.size === 0) return;
    log.warn({ byStatus: Object.fromEntries(unwritten) }, "more requests were rejected");
    unwritten = new Map();
  }

  const countOnly = (status: number): void => void unwritten.set(status, (unwritten.get(status) ?? 0) + 1);

  return {
    note(request, reply) {
      const { statusCode: status } = reply;
      // Internal errors are always logged.
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
