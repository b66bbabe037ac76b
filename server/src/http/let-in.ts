import { hash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "../core/actor.ts";
import { HubError } from "../core/errors.ts";
import type { World } from "../context.ts";
import type { Credential } from "../features/auth/auth.ts";
import { authenticate } from "../features/auth/auth.ts";
import { findInboundWebhookOwner } from "../features/tasks/tasks.ts";
import type { Route } from "../route.ts";
import { liveType } from "../route.ts";
import type { Admission, Visit } from "./admission.ts";
import { workBoundsOf } from "./count-work.ts";
import { requireScope, requireStepUp } from "./handle-request.ts";
import type { HeavyWork } from "./heavy-work.ts";
import { readPrincipal } from "./heavy-work.ts";
import type { RateLimiter } from "./rate-limit.ts";
import { credentialOf, refuseForeignPage } from "./session-cookie.ts";

type DoorOptions = {
  admission: Admission;
  recognised: Recognised;
  limit: RateLimiter;
  heavy?: HeavyWork;
  innerToken?: string;
};

/** What is found out about a request from its head, before anything of its body is read: who asks, and whether they may. */
export function createDoor(world: World, { admission, recognised, limit, heavy, innerToken }: DoorOptions) {
  /**
   * A notice has no token. Where one was signed as it should be a while ago, the next ones count for the organization that they are
   * for, whatever address they come from: a shop has few addresses and much to say. All others are strangers.
   */
  async function letNoticeIn(request: FastifyRequest, reply: FastifyReply, { name }: Route): Promise<Visit> {
    const { ip: address } = request;
    const { id } = request.params as { id: string };
    reply.raw.once("finish", () => {
      if (reply.statusCode === 200) recognised.noteNotice(id);
    });
    const owner = recognised.takesNotices(id) ? await findInboundWebhookOwner(world, id) : undefined;
    if (owner === undefined) limit.strangers(address, `${name} `);
    else limit.notices(owner);
    return admission.arrive(owner === undefined ? { address, as: "stranger" } : { noticeFor: owner }, reply.raw);
  }

  return (route: Route, bodyLimit: number) =>
    leavingIfRefused(async (request, reply) => {
      const { headers, ip: address } = request;
      if (innerToken !== undefined) {
        request.visit = admission.arrive({ address, as: "recognised" }, reply.raw);
        request.principal = readPrincipal(headers, innerToken);
        request.visit.belongTo(request.principal.orgId);
        return;
      }
      if (route.takesAnyBody) {
        request.visit = await letNoticeIn(request, reply, route);
        request.visit.hold("bodies", bytesToHold(headers, bodyLimit));
        return;
      }
      const isPublic = route.scope === "public";
      const credential = isPublic ? {} : credentialOf(request, world.environment);
      if (route.setsCookie) refuseForeignPage(request, { mayBeNoBrowser: true });
      const mayChange = route.method !== "GET";
      if (credential.cookie !== undefined && mayChange) refuseForeignPage(request, { mayBeNoBrowser: false });
      const isRecognised = recognised.orgOf(credential) !== undefined;
      if (isPublic) limit.strangers(address);
      const as = isPublic ? "stranger" : isRecognised ? "recognised" : "unproven";
      const visit = admission.arrive({ address, as }, reply.raw);
      request.visit = visit;
      if (isPublic) return;
      const whoAsks = (): Promise<Principal> => authenticate(world, credential);
      const principal = await (isRecognised
        ? whoAsks()
        : recognised.find(credential, async () => {
            limit.strangers(address);
            return await visit.work(whoAsks);
          }));
      visit.belongTo(principal.orgId);
      request.principal = principal;
      request.credential = credential;
      limit.known(principal, reply);
      requireScope(route, principal);
      requireStepUp(route, principal, world.clock.real());
      if (typeof route.answerType === "string" && route.answerType !== liveType) {
        visit.hold("exports", 1);
        // Making one takes as much of the event loop as a hundred short answers.
        request.isHeavy = heavy !== undefined && admission.isStrained(principal.orgId);
      }
      if (route.method === "GET") return;
      visit.hold("bodies", bytesToHold(headers, bodyLimit));
      if (!heavy) return;
      request.heavyFrom = workBoundsOf(route, admission.isStrained(principal.orgId));
      // Also without a body.
      request.isHeavy = request.heavyFrom.bytes === 0;
    });
}

type Enter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

function leavingIfRefused(enter: Enter): Enter {
  return async (request, reply) => {
    try {
      await enter(request, reply);
    } catch (error) {
      request.visit?.leave();
      throw error;
    }
  };
}

/** What is sent in pieces or compressed may be as large as allowed. */
function bytesToHold(headers: IncomingHttpHeaders, limit: number): number {
  const isKnown = headers["transfer-encoding"] === undefined && headers["content-encoding"] === undefined;
  return isKnown ? Math.min(Number(headers["content-length"] ?? 0), limit) : limit;
}

const maxRecognised = 10_000;

export type Recognised = ReturnType<typeof createRecognised>;

/**
 * Authorization headers and cookies that were good a while ago, and whose they were. Whether they still are is asked each time; but
 * who sends one need not stand in line with strangers for it.
 */
export function createRecognised() {
  const orgs = new Map<string, string>();
  /** Bridges. */
  const noticed = new Set<string>();
  /** Of those that are being looked at: many requests at once with a new token stand in line once. */
  const looks = new Map<string, Promise<Principal>>();
  /** Each request is asked about twice in a row. */
  let last = { given: "", digest: hash("sha256", "", "base64") };
  function digest({ authorization, cookie }: Credential): string {
    const given = authorization ?? (cookie === undefined ? "" : `cookie ${cookie}`);
    if (last.given !== given) last = { given, digest: hash("sha256", given, "base64") };
    return last.digest;
  }

  async function look(key: string, whoAsks: () => Promise<Principal>): Promise<Principal> {
    try {
      const principal = await whoAsks();
      orgs.set(key, principal.orgId);
      if (orgs.size > maxRecognised) orgs.delete(orgs.keys().next().value!);
      return principal;
    } finally {
      looks.delete(key);
    }
  }

  async function find(credential: Credential, whoAsks: () => Promise<Principal>): Promise<Principal> {
    const key = digest(credential);
    const looking = looks.get(key);
    if (!looking) {
      const own = look(key, whoAsks);
      looks.set(key, own);
      return await own;
    }
    try {
      return await looking;
    } catch (error) {
      // That the other one hung up, or waited too long, says nothing about the token.
      if (error instanceof HubError && error.status === 401) throw error;
      return await find(credential, whoAsks);
    }
  }

  return {
    find,
    /** A notice to this bridge was signed as it should be. */
    noteNotice(bridgeId: string): void {
      noticed.add(bridgeId.toLowerCase());
      if (noticed.size > maxRecognised) noticed.delete(noticed.keys().next().value!);
    },
    takesNotices: (bridgeId: string): boolean => noticed.has(bridgeId.toLowerCase()),
    /** Whose it was. */
    orgOf: (credential: Credential): string | undefined =>
      (credential.authorization ?? credential.cookie) === undefined ? undefined : orgs.get(digest(credential)),
  };
}
