import { once } from "node:events";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HubError } from "../core/errors.ts";
import { httpServerOptions } from "../http/http-server.ts";
import { problemHeaders, toProblem } from "../http/problem.ts";
import { newRequestId } from "../http/request-id.ts";

/** A listening port. Until the surface behind it is ready (a migration may take minutes) it answers 503 with the progress. */
export type PortListener = {
  server: Server;
  /** Before the surface is ready, unless another process serves the same port. */
  listen(): Promise<void>;
  url(): string;
  /** From now on the surface answers. */
  handOver(handler: RequestListener): void;
  /** Ends it if the surface was never ready. */
  abandon(): Promise<void>;
};

type PortOptions = {
  host: string;
  port: number;
  /** The setting that a message about a taken port names. */
  setting: string;
  startChecks(): Record<string, string>;
};

export function createPortListener({ host, port, setting, startChecks }: PortOptions): PortListener {
  const answerStarting = (request: IncomingMessage, response: ServerResponse): void =>
    answer(request, response, startChecks());
  const server = createServer(httpServerOptions, answerStarting);
  let isHandedOver = false;
  return {
    server,
    async listen() {
      try {
        server.listen({ host, port });
        await once(server, "listening");
      } catch (error) {
        throw explainListening(error, { host, port, setting });
      }
    },
    url() {
      const { port: bound } = server.address() as AddressInfo;
      return `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
    },
    handOver(handler) {
      isHandedOver = true;
      server.off("request", answerStarting);
      server.on("request", handler);
    },
    async abandon() {
      if (isHandedOver) return;
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function explainListening(
  error: unknown,
  { host, port, setting }: { host: string; port: number; setting: string },
): unknown {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Set ${setting} to another one.`,
    EACCES: `Port ${port} on ${host} needs more rights than this user has. Set ${setting} to another one.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
    ENOTFOUND: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
  };
  const message = advice[(error as NodeJS.ErrnoException).code ?? ""];
  return message === undefined ? error : new Error(message, { cause: error });
}

/** `/healthz` is 200, so that no liveness probe ends the process; everything else has to wait. */
function answer(request: IncomingMessage, response: ServerResponse, checks: Record<string, string>): void {
  request.resume();
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path === "/healthz") return send(response, 200, { status: "ok" });
  if (path === "/readyz") return send(response, 503, { status: "not_ready", checks }, { "retry-after": "1" });
  const notReady = new HubError("not_ready", describe(checks), { retryAfterSeconds: 5 });
  const headers = { ...problemHeaders(notReady), "content-type": "application/problem+json" };
  send(response, 503, toProblem(notReady, newRequestId(request)), headers);
}

function describe({ database, migration, progress }: Record<string, string>): string {
  if (database !== "migrating") return "The hub is starting.";
  return `The hub is migrating its database: ${progress} migrations${migration === undefined ? "" : `, now ${migration}`}.`;
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  response.end(JSON.stringify(body));
}
