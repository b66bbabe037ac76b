import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import type { HubError } from "../core/errors.ts";
import type { Admission } from "./admission.ts";
import type { Recognised } from "./let-in.ts";
import type { Metrics } from "./metrics-registry.ts";
import type { Mount } from "./mount.ts";
import { formatFor } from "./mount.ts";
import { problemHeaders, toProblem } from "./problem.ts";
import { newRequestId } from "./request-id.ts";
import type { RequestLog } from "./request-log.ts";

type GateOptions = {
  admission: Pick<Admission, "whyNot" | "whyNotStrangers">;
  recognised: Pick<Recognised, "orgOf" | "takesNotices">;
  mounts: Mount[];
  /** Of every answer. */
  headers: Readonly<Record<string, string>>;
  metrics: Pick<Metrics, "refused">;
  requestLog: Pick<RequestLog, "noteRefused">;
};

/** Whoever is refused waits at least so long for it, and longer the more of theirs are waiting: nobody is refused more often. */
const hold = { leastMs: 500, mostMs: 5_000, perSecond: 40 };
/** Each takes some memory. More than that are told at once, and have to connect again. */
const maxHeld = 2_000;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Whoever asks for more than their share is told so here, before the framework has looked at the request: routes, hooks and the
 * making of an error cost several times as much as the refusal itself, and a thousand of those a second would slow down
 * everybody else. What is not surely refused goes on as ever.
 */
export function putGateBefore(server: Server, options: GateOptions): void {
  const { admission, recognised, mounts, headers, metrics, requestLog } = options;
  const [goOn, ...others] = server.listeners("request") as Listener[];
  if (!goOn || others.length > 0) throw new Error("the gate has to stand before one listener");
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
      socket.resume();
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

  function whyNot(url: string, { authorization, cookie }: IncomingHttpHeaders): Refusal | undefined {
    const orgId = recognised.orgOf({ authorization });
    if (orgId !== undefined) return refusalOf(orgId, admission.whyNot(orgId));
    // Whoever says who they are is asked who that is.
    if (authorization !== undefined || cookie !== undefined) return undefined;
    const bridgeId = noticePath.exec(url)?.[1];
    const isExpected = bridgeId !== undefined && recognised.takesNotices(bridgeId);
    return isExpected ? undefined : refusalOf("strangers", admission.whyNotStrangers());
  }

  server.removeListener("request", goOn);
  server.on("request", (request, response) => {
    // Health, readiness and metrics answer always.
    const isOurs = mounts.some(({ prefix }) => request.url!.startsWith(prefix));
    const refusal = isOurs ? whyNot(request.url!, request.headers) : undefined;
    if (refusal) refuseLater(refusal, request, response);
    else goOn(request, response);
  });
}

/** `lane`: whose, an organization's or all strangers'. */
type Refusal = { error: HubError; lane: string };

const refusalOf = (lane: string, error: HubError | undefined): Refusal | undefined => error && { error, lane };

const noticePath = /\/bridges\/([^/?]+)\/notices$/;
const idGoesHere = "req_goes_here";
