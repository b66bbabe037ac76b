import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { asAgent } from "../core/actor.ts";
import type { World } from "../context.ts";
import { authenticate } from "../features/auth/auth.ts";
import { findCarrierWebhookOwner } from "../features/carrier-webhooks/carrier-webhooks.ts";
import { findInboundWebhookOwner } from "../features/tasks/tasks.ts";
import type { Route } from "../route.ts";
import { liveType } from "../route.ts";
import type { Admission, AdmittedRequest } from "./admission.ts";
import type { Offload } from "./offload.ts";
import { readPrincipal } from "./offload.ts";
import { offloadThresholdOf } from "./offload-threshold.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { requireAgentAccess, requireScope, requireStepUp } from "./require-access.ts";
import { credentialOf, refuseForeignPage } from "./session-cookie.ts";
import { createVerifiedCredentials } from "./verified-credentials.ts";

type HookOptions = {
  admission: Admission;
  limit: RateLimiter;
  offload?: Offload;
  innerToken?: string;
  /** Proves that a request comes from a tool of MCP in this process. */
  mcpToken: string;
};

/** Carries `mcpToken`. */
export const mcpHeader = "x-hub-mcp";

export type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Decides from the head of a request, before its body is read: who calls, whether they may, and whether there is room. */
export function createAdmissionHook(world: World, { admission, limit, offload, innerToken, mcpToken }: HookOptions) {
  const verified = createVerifiedCredentials();

  /** Already authenticated by the HTTP process that forwards the request. */
  function admitForwarded(request: FastifyRequest, reply: FastifyReply, token: string): void {
    request.admitted = admission.admit({ kind: "verified", address: request.ip }, reply.raw);
    request.principal = readPrincipal(request.headers, token);
    request.admitted.assignOrganization(request.principal.orgId);
  }

  /**
   * Inbound webhooks have no token. Once one with a valid signature was received, later ones to the same bridge or carrier account count
   * for its organization, whatever address they come from: a shop has few addresses and much traffic. All others are anonymous.
   */
  async function admitInboundWebhook(
    request: FastifyRequest,
    reply: FastifyReply,
    { name }: Route,
  ): Promise<AdmittedRequest> {
    const { ip: address } = request;
    const { id } = request.params as { id: string };
    reply.raw.once("finish", () => {
      if (reply.statusCode === 200) verified.addReceiver(id);
    });
    const findOwner = name === carrierWebhooks ? findCarrierWebhookOwner : findInboundWebhookOwner;
    const orgId = verified.hasReceiver(id) ? await findOwner(world, id) : undefined;
    if (orgId === undefined) limit.anonymous(address, `${name} `);
    else limit.inboundWebhook(orgId);
    const source = orgId === undefined ? ({ kind: "anonymous", address } as const) : undefined;
    return admission.admit(source ?? { kind: "inbound webhook", orgId: orgId! }, reply.raw);
  }

  async function admitCaller(request: FastifyRequest, reply: FastifyReply, route: Route): Promise<AdmittedRequest> {
    const { ip: address } = request;
    const credential = credentialOf(request, world.environment);
    if (credential.cookie !== undefined && route.method !== "GET")
      refuseForeignPage(request, { mayBeNoBrowser: false });
    const isVerified = verified.has(credential);
    const admitted = admission.admit({ kind: isVerified ? "verified" : "unverified", address }, reply.raw);
    request.admitted = admitted;
    const principal = isVerified
      ? await authenticate(world, credential)
      : await verified.verify(credential, async () => {
          limit.anonymous(address);
          return await admitted.run(() => authenticate(world, credential));
        });
    const isThroughMcp = request.headers[mcpHeader] === mcpToken;
    admitted.assignOrganization(principal.orgId);
    request.principal = isThroughMcp ? asAgent(principal) : principal;
    request.credential = credential;
    limit.authenticated(principal, reply);
    requireScope(route, principal);
    requireAgentAccess(route, principal, isThroughMcp);
    requireStepUp(route, principal, world.clock.real());
    return admitted;
  }

  /** A large or costly request is left unparsed for a worker process. */
  function prepareOffload(request: FastifyRequest, route: Route): void {
    if (!offload) return;
    // An export takes as much of the event loop as a hundred short responses.
    if (isExport(route)) request.isOffloaded = admission.isBusy();
    if (route.method === "GET") return;
    request.offloadFrom = offloadThresholdOf(route);
    request.isOffloaded = request.offloadFrom.bytes === 0;
  }

  return (route: Route, bodyLimit: number): Hook =>
    leavingIfRejected(async (request, reply) => {
      const { headers } = request;
      if (innerToken !== undefined) return admitForwarded(request, reply, innerToken);
      if (route.takesAnyBody) {
        request.admitted = await admitInboundWebhook(request, reply, route);
        request.admitted.reserve("bodies", bytesToReserve(headers, bodyLimit));
        return;
      }
      if (route.setsCookie) refuseForeignPage(request, { mayBeNoBrowser: true });
      if (route.scope === "public") {
        limit.anonymous(request.ip);
        request.admitted = admission.admit({ kind: "anonymous", address: request.ip }, reply.raw);
        return;
      }
      const admitted = await admitCaller(request, reply, route);
      if (isExport(route)) admitted.reserve("exports", 1);
      if (route.method !== "GET") admitted.reserve("bodies", bytesToReserve(headers, bodyLimit));
      prepareOffload(request, route);
    });
}

const carrierWebhooks = "carrierAccounts.inboundWebhooks.receive";

const isExport = ({ answerType }: Route): boolean => typeof answerType === "string" && answerType !== liveType;

function leavingIfRejected(admit: Hook): Hook {
  return async (request, reply) => {
    try {
      await admit(request, reply);
    } catch (error) {
      request.admitted?.leave();
      throw error;
    }
  };
}

/** The size of a chunked or compressed body is not known in advance: as much as the route allows. */
function bytesToReserve(headers: IncomingHttpHeaders, limit: number): number {
  const isKnown = headers["transfer-encoding"] === undefined && headers["content-encoding"] === undefined;
  return isKnown ? Math.min(Number(headers["content-length"] ?? 0), limit) : limit;
}
