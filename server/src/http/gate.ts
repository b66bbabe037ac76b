import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { HubError } from "../core/errors.ts";
import type { Environment } from "../context.ts";
import type { Admission } from "./admission.ts";
import type { Recognised } from "./let-in.ts";
import type { Metrics } from "./metrics-registry.ts";
import type { Mount } from "./mount.ts";
import { formatFor } from "./mount.ts";
import { problemHeaders, toProblem } from "./problem.ts";
import { newRequestId } from "./request-id.ts";
import type { RequestLog } from "./request-log.ts";
import { possibleSessions } from "./session-cookie.ts";

type GateOptions = {
  admission: Pick<Admission, "whyNot" | "whyNotStrangers" | "delayOf">;
  recognised: Pick<Recognised, "orgOf" | "takesNotices">;
  environment: Environment;
  mounts: Mount[];
  /** Of every answer. */
  headers: Readonly<Record<string, string>>;
  metrics: Pick<Metrics, "refused">;
  requestLog: Pick<RequestLog, "noteRefused">;
};

/** Whoever is refused waits at least so long for it, and longer the more of theirs are waiting: nobody is refused more often. */
const hold = { leastMs: 500, mostMs: 5_000, perSecond: 40, fewInLane: 20 };
/** Each takes some memory. More than that are told at once, and have to connect again. */
const maxHeld = 2_000;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Whoever asks for more than their share is told so here, before the framework has looked at the request: routes, hooks and the
 * making of an error cost several times as much as the refusal itself, and a thousand of those a second would slow down
 * everybody else. What is not surely refused goes on as ever.
 */
export function putGateBefore(server: Server, options: GateOptions): void {
  const { admission, recognised, environment, mounts, headers, metrics, requestLog } = options;
  const [goOn, ...others] = server.listeners("request") as Listener[];
  if (!goOn || others.length > 0) throw new Error("the gate has to stand before one listener");
  const guarded = [...mounts.map(({ prefix }) => prefix), ...largePages];
  const written = new Map<string, (requestId: string) => string>();
  let held = 0;
  const heldOf = new Map<string, number>();

  /**
   * Refusals are cheap, but not so cheap that anybody should have thousands of them a second: whoever asks for too much
   * waits for the answer, and nothing more is read from them meanwhile.
   */
  function refuseLater({ error, lane }: Refusal, request: IncomingMessage, response: ServerResponse): void {
    if (held >= maxHeld) {
      response.setHeader("connection", "close");
      return refuse(error, request, response);
    }
    const inLane = count(lane, 1);
    const { socket } = request;
    // Not right now: the parser would go on when it comes to the end of this request.
    process.nextTick(() => socket.pause());
    const ms = Math.min(hold.mostMs, Math.max(hold.leastMs, (inLane / hold.perSecond) * 1000));
    setTimeout(() => {
      count(lane, -1);
      // What has come on the connection meanwhile would be refused as well: one by one, each as costly as this.
      if (inLane > hold.fewInLane) response.setHeader("connection", "close");
      else socket.resume();
      refuse(error, request, response);
    }, ms);
  }

  function count(lane: string, by: 1 | -1): number {
    const inLane = (heldOf.get(lane) ?? 0) + by;
    if (inLane === 0) heldOf.delete(lane);
    else heldOf.set(lane, inLane);
    held += by;
    return inLane;
  }

  function refuse(error: HubError, request: IncomingMessage, response: ServerResponse): void {
    const format = formatFor(mounts, request.url!);
    // The texts differ in the id only.
    const write = written.getOrInsertComputed(`${format.errorType} ${error.message}`, () => {
      const parts = JSON.stringify(format.error(toProblem(error, idGoesHere))).split(idGoesHere);
      return (requestId) => parts.join(requestId);
    });
    const requestId = newRequestId(request);
    const body = write(requestId);
    response.writeHead(error.status, {
      ...headers,
      ...problemHeaders(error),
      "x-request-id": requestId,
      "content-type": format.errorType,
      "content-length": Buffer.byteLength(body),
    });
    response.end(request.method === "HEAD" ? undefined : body);
    if (error.status === 503) metrics.refused(error.code);
    requestLog.noteRefused(error.status);
  }

  /** How long it has to wait before anything is done for it, or why nothing will be. */
  function lookAt(url: string, { authorization, cookie }: IncomingHttpHeaders): number | Refusal {
    const sessions = authorization === undefined && cookie !== undefined ? possibleSessions(cookie, environment) : [];
    const credentials =
      authorization === undefined ? sessions.map((session) => ({ cookie: session })) : [{ authorization }];
    const orgId = credentials.map((credential) => recognised.orgOf(credential)).find((found) => found !== undefined);
    if (orgId !== undefined) return refusalOf(orgId, admission.whyNot(orgId)) ?? 0;
    const bridgeId = noticePath.exec(url)?.[1];
    if (bridgeId !== undefined && recognised.takesNotices(bridgeId)) return 0;
    // Whoever says who they are is asked who that is.
    const says = credentials.length > 0;
    const error = says ? undefined : admission.whyNotStrangers();
    const waitMs = error ?? admission.delayOf(says ? "unproven" : "strangers");
    return typeof waitMs === "number" ? waitMs : { error: waitMs, lane: "strangers" };
  }

  function goOnLater(waitMs: number, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    process.nextTick(() => socket.pause());
    setTimeout(() => {
      // Nobody would hear any more that it has closed, and its place would be taken for good.
      if (socket.destroyed) return;
      socket.resume();
      goOn!(request, response);
    }, waitMs);
  }

  server.removeListener("request", goOn);
  server.on("request", (request, response) => {
    // Health, readiness and metrics answer always.
    const isOurs = guarded.some((prefix) => request.url!.startsWith(prefix));
    const found = isOurs ? lookAt(request.url!, request.headers) : 0;
    if (typeof found !== "number") refuseLater(found, request, response);
    else if (found > 0) goOnLater(found, request, response);
    else goOn(request, response);
  });
}

/** `lane`: whose, an organization's or all strangers'. */
type Refusal = { error: HubError; lane: string };

const refusalOf = (lane: string, error: HubError | undefined): Refusal | undefined => error && { error, lane };

/** The reference is some megabytes of script. */
const largePages = ["/docs", "/openapi.json"];

const noticePath = /\/bridges\/([^/?]+)\/inbound-webhooks$/;
const idGoesHere = "req_goes_here";
