import { HubError } from "../core/errors.ts";
import type { EventLoopDelay } from "./event-loop-delay.ts";
import { watchEventLoopDelay } from "./event-loop-delay.ts";
import type { FairShares } from "./fair-shares.ts";
import { createFairShares, maxTimesFree } from "./fair-shares.ts";
import type { RequestQueue, Slot } from "./request-queue.ts";
import { createRequestQueue } from "./request-queue.ts";

/**
 * Admission control. A request is open from its head until its response has been sent, and holds a slot only while the hub
 * works on it: a slow sender or reader costs a socket, not a slot. Anonymous callers have a small part of both to themselves.
 */
export type Admission = {
  /** Counts the request as open until its response is closed, or rejects it with 503 or 429. */
  admit(source: RequestSource, response: { on(event: "close", listener: () => void): unknown }): AdmittedRequest;
  /** The event loop is late: work that another process can do should go there. */
  isBusy(): boolean;
  openRequests(): number;
  stop(): void;
};

/**
 * `anonymous`: no credential. `unverified`: a credential that this process has not seen to be valid yet. An inbound webhook
 * counts for the organization in whose bridge's URL it arrives; its signature is checked when the body is complete.
 */
export type RequestSource =
  | { kind: "anonymous" | "unverified" | "verified"; address: string }
  | { kind: "inbound webhook"; orgId: string };

export type AdmittedRequest = {
  /** The caller was authenticated: from now on the request counts for this organization. */
  assignOrganization(orgId: string): void;
  /** Reserves an amount of a limited resource until the response has been sent, or rejects the request. */
  reserve(resource: Resource, amount: number): void;
  /** Waits for a slot, and releases it when the task has ended. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** Within a task: releases the slot during a wait that needs nothing of the hub. */
  releaseSlotWhile<T>(wait: () => Promise<T>): Promise<T>;
  /**
   * Ends the count early: for a rejected request, whose response may have to wait for an earlier one on the same connection
   * (a client could fill all room with pipelined rejections), and for a response that goes on as a stream.
   */
  leave(): void;
};

export type AdmissionLimits = {
  maxOpenRequests: number;
  /** Concurrent requests: fewer than there are database connections. */
  slots: number;
  /** Above this delay of the event loop, organizations may have fewer requests waiting. */
  maxEventLoopDelayMs: number;
};

const rejectionTexts = {
  full: "Too many open requests.",
  organization: "Your organization has too many open requests.",
  webhooks: "Too many open inbound webhooks.",
  bodies: "The request bodies being read are too large in total.",
  exports: "Too many open exports.",
  anonymous: "Too many open requests without a valid token.",
  address: "Your address has too many open requests without a valid token.",
  queue_full: "Your organization has too many waiting requests.",
  queue_timeout: "The request waited too long for a slot.",
} as const;
type RejectionReason = keyof typeof rejectionTexts;

/** Created once: capturing a stack trace costs more than the rest of a rejection. */
const rejections = Object.fromEntries(
  Object.entries(rejectionTexts).map(([reason, text]) => {
    const code = reason === "address" ? "rate_limited" : "overloaded";
    return [reason, new HubError(code, `${text} Try again in a moment.`, { retryAfterSeconds: 1 })];
  }),
) as Record<RejectionReason, HubError>;

const limitedResources = { bodies: 512 * 1024 ** 2, exports: 8 };
type Resource = keyof typeof limitedResources;

const anonymousPart = 1 / 8;
const webhookPart = 1 / 4;
const addressPart = 1 / 32;
const organizationPart = 3 / 4;
const maxWaiting = 64;
/** While the event loop is overloaded. A quiet organization has few requests open even then. */
const maxWaitingOverloaded = 16;
const maxAnonymousWaiting = 16;
const maxWaitMs = 5_000;

const partOf = (whole: number, part: number): number => Math.max(1, Math.floor(whole * part));
const clientDisconnected = (): HubError => new HubError("request_timeout", "The client disconnected.");
const webhooksOf = (orgId: string): string => `webhooks of ${orgId}`;

export function createAdmission(limits: AdmissionLimits): Admission {
  const state = new AdmissionState(limits);
  return {
    admit(source, response) {
      const request = new OpenRequest(state, source);
      response.on("close", () => request.close());
      return request;
    },
    isBusy: state.eventLoop.isBusy,
    openRequests: () => state.open,
    stop: state.eventLoop.stop,
  };
}

/** The counts that all requests of a port share. */
class AdmissionState {
  open = 0;
  readonly maxOpen: number;
  readonly eventLoop: EventLoopDelay;
  readonly organizations: RequestQueue;
  readonly anonymous: RequestQueue;
  readonly resources: Record<Resource, FairShares> = {
    bodies: createFairShares(limitedResources.bodies),
    exports: createFairShares(limitedResources.exports),
  };
  private readonly counts = new Map<string, number>();

  constructor({ maxOpenRequests, slots, maxEventLoopDelayMs }: AdmissionLimits) {
    this.maxOpen = maxOpenRequests;
    const eventLoop = watchEventLoopDelay(maxEventLoopDelayMs, partOf(slots, organizationPart));
    this.eventLoop = eventLoop;
    this.organizations = createRequestQueue({ slots, perTenant: eventLoop.concurrency, maxWaiting, maxWaitMs });
    // A queue of their own: however long it is, no organization waits for it.
    const perAddress = partOf(slots, anonymousPart);
    this.anonymous = createRequestQueue({
      slots: Math.max(2, perAddress),
      perTenant: () => perAddress,
      maxWaiting: maxAnonymousWaiting,
      maxWaitMs,
    });
  }

  countOf(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  count(name: string, by: 1 | -1): void {
    const next = this.countOf(name) + by;
    if (next === 0) this.counts.delete(name);
    else this.counts.set(name, next);
  }

  /** The names under which a request counts until it is assigned to an organization. */
  namesFor(source: RequestSource): string[] {
    if (this.open >= this.maxOpen) throw rejections.full;
    if (source.kind === "verified") return [];
    if (source.kind === "inbound webhook") {
      // A part of their own in which no organization keeps the others out: the URL of a bridge is not a secret.
      const own = this.countOf(webhooksOf(source.orgId));
      const free = partOf(this.maxOpen, webhookPart) - this.countOf("webhooks") - 1;
      if (free < 0 || (own > 0 && own + 1 > maxTimesFree * free)) throw rejections.webhooks;
      return ["webhooks", webhooksOf(source.orgId)];
    }
    if (source.kind === "unverified") {
      // Together like one organization: many clients may connect at once after a restart.
      if (this.countOf("unverified") >= maxTimesFree * (this.maxOpen - this.open)) throw rejections.anonymous;
      return ["unverified"];
    }
    const address = `address ${source.address}`;
    if (this.countOf("anonymous") >= partOf(this.maxOpen, anonymousPart)) throw rejections.anonymous;
    if (this.countOf(address) >= Math.max(4, partOf(this.maxOpen, addressPart))) throw rejections.address;
    return ["anonymous", address];
  }
}

/** A class, because there is one per request: a dozen closures each would cost more than what they do. */
class OpenRequest implements AdmittedRequest {
  private readonly state: AdmissionState;
  private readonly address: string;
  private names: string[];
  /** The organization, or the inbound webhooks of one. */
  private tenant: string | undefined;
  private reserved: [Resource, number][] | undefined;
  private slot: Slot | undefined;
  private tasks = 0;
  private isClosed = false;
  private hasLeft = false;
  private leaveQueue: (() => void) | undefined;

  constructor(state: AdmissionState, source: RequestSource) {
    this.state = state;
    this.names = state.namesFor(source);
    this.address = "address" in source ? source.address : "";
    if (source.kind === "inbound webhook") this.tenant = webhooksOf(source.orgId);
    for (const name of this.names) state.count(name, 1);
    state.open++;
  }

  /** A disconnected client's work goes on, and counts until it has ended: otherwise hanging up would start unlimited work. */
  close(): void {
    this.isClosed = true;
    this.leaveQueue?.();
    if (this.tasks === 0) this.leave();
  }

  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    this.state.open--;
    for (const name of this.names) this.state.count(name, -1);
    for (const [resource, amount] of this.reserved ?? []) this.state.resources[resource].giveBack(this.tenant!, amount);
  }

  assignOrganization(orgId: string): void {
    if (this.hasLeft) throw clientDisconnected();
    const { state } = this;
    for (const name of this.names) state.count(name, -1);
    this.names = [orgId];
    this.tenant = orgId;
    state.count(orgId, 1);
    const own = state.countOf(orgId);
    if (own > 1 && own > maxTimesFree * (state.maxOpen - state.open)) throw rejections.organization;
  }

  reserve(resource: Resource, amount: number): void {
    if (this.tenant === undefined || amount === 0) return;
    if (this.hasLeft) throw clientDisconnected();
    if (!this.state.resources[resource].take(this.tenant, amount)) throw rejections[resource];
    (this.reserved ??= []).push([resource, amount]);
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.isClosed || this.hasLeft) throw clientDisconnected();
    this.tasks++;
    try {
      this.slot = await this.acquireSlot();
      return await task();
    } finally {
      this.slot?.release();
      this.slot = undefined;
      this.tasks--;
      if (this.isClosed && this.tasks === 0) this.leave();
    }
  }

  async releaseSlotWhile<T>(wait: () => Promise<T>): Promise<T> {
    // Work that goes on after the response, or beside another wait, holds no slot.
    if (!this.slot) return await wait();
    this.slot.release();
    this.slot = undefined;
    try {
      return await wait();
    } finally {
      this.slot = await this.queue().reacquire(this.tenant ?? this.address);
    }
  }

  private queue(): RequestQueue {
    return this.tenant === undefined ? this.state.anonymous : this.state.organizations;
  }

  private async acquireSlot(): Promise<Slot> {
    const queue = this.queue();
    const tenant = this.tenant ?? this.address;
    if (queue.waitingOf(tenant) >= maxWaitingOverloaded && this.state.eventLoop.isOverloaded())
      throw rejections.queue_full;
    const acquired = await queue.acquire(tenant, (leave) => (this.leaveQueue = leave));
    if (!("rejected" in acquired)) return acquired;
    throw acquired.rejected === "left" ? clientDisconnected() : rejections[acquired.rejected];
  }
}
