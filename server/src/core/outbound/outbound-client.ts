import type { Socket } from "node:net";
import { isIP } from "node:net";
import { Agent, buildConnector } from "undici";
import { tooLarge } from "./outbound-body.ts";
import { RemoteError } from "../remote-error.ts";
import { refusePlainText } from "./credential-address.ts";
import { bareHost, refuseAddress, resolveBySystem, safeAddresses } from "./outbound-guard.ts";
import type { Answer, ClientOptions, Connect, HttpClient, Plan } from "./outbound-request.ts";
import { cancelled, nameOf, runRequest } from "./outbound-request.ts";

const connectTimeoutMs = 5000;

/** The only module that makes outbound requests. Time, response size and destination are limited. */
export function openHttpClient(options: ClientOptions): HttpClient {
  const agent = options.resolve || options.connect ? createAgent(options) : sharedAgent(options);
  const exchange = async (plan: Plan, timeoutMs: number): Promise<Answer> => await send(agent, plan, timeoutMs);
  return { request: async (request) => await runRequest(exchange, options, request) };
}

async function send(agent: Agent, plan: Plan, timeoutMs: number): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let abort: ((reason: Error) => void) | undefined;
  let isOver = false;
  let received: Omit<Answer, "bytes"> | undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  /** Before the request was sent it cannot have taken effect. */
  const reach = (): { mayHaveHappened: boolean } => ({ mayHaveHappened: abort !== undefined && !plan.isSafe });
  const fail = (error: RemoteError): void => {
    if (isOver) return;
    isOver = true;
    reject(error);
    abort?.(error);
  };
  const cut = (keepBytes: number): void => {
    if (isOver) return;
    isOver = true;
    resolve({ ...received!, bytes: Buffer.concat(chunks).subarray(0, keepBytes) });
    abort?.(new Error("enough was read"));
  };
  const onAbort = (): void => fail(cancelled(reach().mayHaveHappened));
  const onTimeout = (): void =>
    fail(new RemoteError("timeout", `${nameOf(plan)} took too long.`, { retryable: true, ...reach() }));

  if (plan.signal?.aborted) throw cancelled(false);
  const timer = setTimeout(onTimeout, Math.max(timeoutMs, 0));
  plan.signal?.addEventListener("abort", onAbort, { once: true });
  const { origin, pathname, search } = plan.url;
  agent.dispatch(
    { origin, path: pathname + search, method: plan.method, headers: plan.headers, body: plan.body ?? null },
    {
      onRequestStart(controller) {
        if (!plan.isSafe && !plan.mayStart()) fail(tooLate(plan));
        if (isOver) controller.abort(new Error("the request was cancelled before it was sent"));
        else abort = (reason) => controller.abort(reason);
      },
      onResponseStart(_controller, status, headers) {
        if (status >= 200) received = { status, headers: joinHeaders(headers) };
        if (
          plan.keepBytes === undefined &&
          Number(headers["content-length"] ?? 0) > plan.maxBytes &&
          plan.method !== "HEAD"
        )
          fail(tooLarge(plan.maxBytes, reach()));
      },
      onResponseData(_controller, chunk) {
        size += chunk.length;
        if (plan.keepBytes !== undefined) {
          chunks.push(chunk);
          if (size > plan.keepBytes) cut(plan.keepBytes);
        } else if (size > plan.maxBytes) fail(tooLarge(plan.maxBytes, reach()));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        isOver = true;
        resolve({ ...received!, bytes: Buffer.concat(chunks) });
      },
      onResponseError(_controller, error) {
        fail(error instanceof RemoteError ? error : explainFailure(plan, error, reach()));
      },
    },
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    plan.signal?.removeEventListener("abort", onAbort);
  }
}

function tooLate(plan: Plan): RemoteError {
  return new RemoteError("too_late", `${nameOf(plan)} was not called: it is too late for that.`, { retryable: true });
}

function explainFailure(plan: Plan, cause: Error, reach: { mayHaveHappened: boolean }): RemoteError {
  const { code = cause.name } = cause as { code?: string };
  if (code === "UND_ERR_INVALID_ARG") return new RemoteError("invalid_request", cause.message, { cause });
  const message = `The connection to ${nameOf(plan)} broke (${code}).`;
  return new RemoteError("connection_lost", message, { retryable: true, ...reach, cause });
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name.toLowerCase()] = Array.isArray(value) ? value.join(", ") : value;
  }
  return joined;
}

type ConnectionRules = Pick<ClientOptions, "allowPrivate" | "credentialsFor" | "connections" | "resolve" | "connect">;

const agents = new Map<string, Agent>();

/**
 * Idle connections do not keep the process alive, so the client needs no close. Connections for requests without credentials are not
 * reused for requests with credentials, which have stricter TLS rules.
 */
function sharedAgent(options: ConnectionRules): Agent {
  const key = `${options.allowPrivate} ${options.credentialsFor !== undefined} ${options.connections ?? 0}`;
  let agent = agents.get(key);
  if (!agent) agents.set(key, (agent = createAgent(options)));
  return agent;
}

function createAgent(options: ConnectionRules): Agent {
  const open = options.connect ?? connectByNet();
  return new Agent({
    connections: options.connections ?? 32,
    // Shorter than what servers grant: a request on a connection that just closed fails without need.
    keepAliveTimeout: 4000,
    keepAliveMaxTimeout: 4000,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      openGuarded(target, options, open).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error as Error, null),
      );
    },
  });
}

async function openGuarded(
  { hostname, port, protocol }: buildConnector.Options,
  options: ConnectionRules,
  open: Connect,
): Promise<Socket> {
  const addresses = await safeAddresses(hostname, options.allowPrivate, options.resolve ?? resolveBySystem);
  if (options.credentialsFor !== undefined) refusePlainText(protocol, bareHost(hostname), addresses);
  let failure: unknown;
  for (const address of addresses) {
    try {
      const socket = await open({ address, port, protocol, hostname: bareHost(hostname) });
      try {
        if (socket.remoteAddress !== undefined)
          refuseAddress(socket.remoteAddress, bareHost(hostname), options.allowPrivate);
      } catch (error) {
        socket.destroy();
        throw error;
      }
      return socket;
    } catch (error) {
      if (error instanceof RemoteError) throw error;
      failure = error;
    }
  }
  const { code = "unknown reason" } = failure as { code?: string };
  const message = `No connection to ${hostname} (${code}).`;
  throw new RemoteError("connect_failed", message, { retryable: true, cause: failure });
}

function connectByNet(): Connect {
  const connector = buildConnector({ timeout: connectTimeoutMs });
  return async ({ address, port, protocol, hostname }) =>
    await new Promise((resolve, reject) => {
      // The certificate must be the name's, though the connection goes to the checked address.
      const host = isIP(hostname) === 0 ? { host: hostname } : {};
      connector({ hostname: address, ...host, protocol, port }, (error, socket) =>
        error ? reject(error) : resolve(socket),
      );
    });
}
