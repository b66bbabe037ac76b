import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HubError } from "../core/errors.ts";
import { problemHeaders, toProblem } from "../http/problem.ts";
import { newRequestId } from "../http/request-id.ts";
import { canShare, explainListening, refuseTaken } from "./doors.ts";

/** A port that answers while the surface behind it is not up yet: a migration may take many minutes. */
export type HeldPort = { port: number; release(): Promise<void> };

type HeldPortOptions = {
  host: string;
  port: number;
  /** The setting that a message about a taken port names. */
  setting: string;
  checks(): Record<string, string>;
};

export async function holdPort({ host, port, setting, checks }: HeldPortOptions): Promise<HeldPort> {
  const server = createServer((request, response) => answer(request, response, checks()));
  try {
    if (canShare && port !== 0) await refuseTaken(host, port);
    server.listen({ host, port, reusePort: canShare });
    await once(server, "listening");
  } catch (error) {
    throw explainListening(error, { host, port, setting });
  }
  const { port: taken } = server.address() as AddressInfo;
  let released: Promise<unknown> | undefined;
  return {
    port: taken,
    async release() {
      released ??= new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      await released;
    },
  };
}

/** `/healthz` is well, so that no liveness probe ends the process; everything else has to wait. */
function answer(request: IncomingMessage, response: ServerResponse, checks: Record<string, string>): void {
  request.resume();
  const path = (request.url ?? "/").split("?", 1)[0];
  if (path === "/healthz") return send(response, 200, { status: "ok" });
  if (path === "/readyz") return send(response, 503, { status: "not_ready", checks }, { "retry-after": "1" });
  const refusal = new HubError("not_ready", describe(checks), { retryAfterSeconds: 5 });
  const headers = { ...problemHeaders(refusal), "content-type": "application/problem+json" };
  send(response, 503, toProblem(refusal, newRequestId(request)), headers);
}

function describe({ database, migration, progress }: Record<string, string>): string {
  if (database !== "migrating") return "The hub is starting.";
  return `The hub is migrating its database: ${progress} migrations${migration === undefined ? "" : `, now ${migration}`}.`;
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  // The surface that takes over has connections of its own.
  response.writeHead(status, { "content-type": "application/json", connection: "close", ...headers });
  response.end(JSON.stringify(body));
}
