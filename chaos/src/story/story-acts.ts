import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../../server/src/core/seeded-random.ts";
import type { ShopLine, ShopOrder } from "../../../server/src/testing/stand-in-data.ts";
import type { Call, Send } from "../chaos-client.ts";
import type { Courier } from "./story-webhooks.ts";
import type { PartnerName, Story } from "./story-plan.ts";
import { trackingOf } from "./story-plan.ts";
import type { PartnerUrls, Setup } from "./story-setup.ts";
import type { View } from "./story-view.ts";
import { orderKey } from "./story-view.ts";

/** What all stories share. */
export type Stage = { send: Send; courier: Courier; view: View; setup: Setup; urls: PartnerUrls };

/** Quantity by line. */
export type Parcel = { tracking: string; items: Map<number, number> };

/** Progress of a story, for the check. */
export type PlayedStory = { story: Story; shopOrderId: number | undefined; lines: ShopLine[]; parcels: Parcel[] };

type Change = { values?: Partial<ShopOrder>; isFulfilled?: boolean; isDeleted?: boolean };

/** Actions and waits that scripts are made of. */
export function createActs(stage: Stage, played: PlayedStory) {
  const { story } = played;
  const { view, setup, courier } = stage;
  const bridgeId = setup.bridges[story.shop];
  const random = seededRandom(story.seed);
  const isWoo = story.shop === "woo";
  const key = (): string => orderKey(bridgeId, played.shopOrderId ?? "");
  const here = () => view.orders.get(key());

  async function control<T>(partner: PartnerName, path: string, body: object): Promise<T> {
    const response = await fetch(`${stage.urls[partner]}/_control/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    return (await response.json()) as T;
  }

  async function change(how: Change): Promise<void> {
    const { order } = await control<{ order: ShopOrder }>(story.shop, "order", {
      id: played.shopOrderId,
      values: {},
      ...how,
    });
    played.shopOrderId = order.id;
  }

  /** Runs an action on the order, repeated until the hub has answered. */
  async function run(type: string, params: object): Promise<void> {
    const call = {
      method: "POST",
      path: "/operations/run",
      body: { order_ids: [story.reference], actions: [{ type, params }] },
      headers: { "Idempotency-Key": randomUUID() },
    };
    const times = random.chance(20) ? 2 : 1;
    for (let n = 0; n < times; n++) {
      const body = await finished((await insist(stage, call)).body);
      const [result] = (body.results ?? []) as { error: unknown }[];
      if (!result || result.error) throw new Error(`${type}: ${JSON.stringify(body).slice(0, 500)}`);
    }
  }

  /** Waits for a run whose first response was lost. */
  async function finished(run: Record<string, unknown>): Promise<Record<string, unknown>> {
    const path = `/operations/runs/${String(run.id)}`;
    const endsAt = performance.now() + insistMs;
    let seen = run;
    while (seen.finished_at === null && performance.now() < endsAt) {
      await sleep(200);
      seen = (await insist(stage, { method: "GET", path })).body;
    }
    return seen;
  }

  /** Waits for an open exception and returns its ID. */
  async function waitForException(kind: string, code: string): Promise<string> {
    const find = () =>
      view.exceptions.find((one) => one.orderId === here()?.id && one.kind === kind && one.code === code);
    await view.until(() => find() !== undefined, `${kind} ${code} in the inbox`);
    return find()!.id;
  }

  return {
    isWoo,

    async place(values: Partial<ShopOrder> = {}): Promise<void> {
      const { number, street, locations } = story;
      await change({ values: { number, street, locations, isPaid: true, lines: played.lines, ...values } });
      courier.send(story.shop, isWoo ? "order.created" : "orders/create", { id: played.shopOrderId }, random);
    },

    /** Changes the order at the shop, which sends a webhook. WooCommerce has one topic for everything. */
    async change(how: Change, topic = "orders/updated"): Promise<void> {
      await change(how);
      const id = played.shopOrderId!;
      if (isWoo) return courier.send(story.shop, "order.updated", { id }, random);
      const isAboutOrder = topic.startsWith("orders/");
      const fulfillmentOrder = { id: `gid://shopify/FulfillmentOrder/${id * 100 + 1}` };
      const part = topic.startsWith("fulfillment_orders/") ? { fulfillment_order: fulfillmentOrder } : { order_id: id };
      // A deletion has no other signal than this webhook.
      const isCertain = how.isDeleted === true;
      courier.send(story.shop, topic, isAboutOrder ? { id } : part, random, isCertain);
    },

    async isHere(status: string, holds: string[] = []): Promise<void> {
      const isIt = (): boolean => here()?.status === status && here()!.holds.join() === holds.join();
      await view.until(isIt, `the hub to have it as ${status} with holds [${holds.join()}]`);
    },

    async isThere(reference: string): Promise<void> {
      const isIt = (): boolean => [...view.orders.values()].some(({ number }) => number === reference);
      await view.until(isIt, `the hub to have ${reference}`);
    },

    async isTaken(): Promise<void> {
      const isTaken = (): boolean =>
        view.journals.warehouse.some(({ kind, key: of }) => kind === "warehouse.take" && of === story.reference);
      await view.until(
        () => isTaken() && here()?.status === "sent" && here()!.holds.length === 0,
        "the warehouse to have it",
      );
    },

    async shopKnows(kind: "fulfillment.create" | "order.complete"): Promise<void> {
      const isKnown = (): boolean =>
        view.journals[story.shop].some((one) => one.kind === kind && one.orderId === played.shopOrderId);
      await view.until(isKnown, `the shop to be notified (${kind})`);
    },

    async inWarehouse(what: "pack" | "list" | "deliver"): Promise<void> {
      const sku = played.lines[0]!.sku;
      await control("warehouse", `warehouse/${what}`, {
        reference: story.reference,
        sku,
        tracking: played.parcels.at(-1)?.tracking,
      });
    },

    /** The warehouse ships these quantities, or everything left, and reports it to the hub. */
    async ship(some?: Map<number, number>): Promise<void> {
      const tracking = trackingOf(story, played.parcels.length + 1);
      const sent = (id: number): number => played.parcels.reduce((sum, { items }) => sum + (items.get(id) ?? 0), 0);
      const items = some ?? new Map(played.lines.map(({ id, quantity }) => [id, quantity - sent(id)]));
      played.parcels.push({ tracking, items: new Map([...items].filter(([, quantity]) => quantity > 0)) });
      const lineItems = [...(some ?? [])].map(([id, quantity]) => ({ id: String(id), quantity }));
      const part = some ? { line_items: lineItems } : {};
      await run("mark_shipped", { tracking_number: tracking, carrier: "ups", ...part });
    },

    async correctTracking(): Promise<void> {
      const parcel = played.parcels[0]!;
      const from = parcel.tracking;
      parcel.tracking = `${from}-RIGHT`;
      await run("correct_tracking", { tracking_number: parcel.tracking, current_tracking_number: from });
    },

    waitForException,

    /** Resolves the exception with an action. */
    async resolve(kind: string, code: string, action: "retry" | "keep_local"): Promise<void> {
      const call = {
        method: "POST",
        path: `/exceptions/${await waitForException(kind, code)}/resolve`,
        body: { action },
      };
      await insist(stage, { ...call, headers: { "Idempotency-Key": randomUUID() } });
    },
  };
}

export type Acts = ReturnType<typeof createActs>;

const insistMs = 300_000;
const again = ["idempotency_key_in_use", "retry_in_progress"];

/** Repeats a request with one key until there is a response, no sooner than the hub asks for: else hundreds of stories keep it overloaded. */
async function insist({ send }: Stage, call: Call): Promise<{ body: Record<string, unknown> }> {
  const endsAt = performance.now() + insistMs;
  for (;;) {
    const reply = await send(call);
    if (reply.kind === "answer" && !again.includes(String(reply.body.code))) {
      if (reply.status < 300) return reply;
      throw new Error(`${call.path}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 500)}`);
    }
    if (performance.now() > endsAt) throw new Error(`${call.path} is not answered: ${JSON.stringify(reply)}`);
    const askedMs = reply.kind === "lost" ? (reply.retryAfterMs ?? 0) : 0;
    await sleep(200 + askedMs * (1 + Math.random()));
  }
}
