import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../server/src/core/seeded-random.ts";
import { shopifyWebhook, wooWebhook } from "../../../server/src/testing/shop-webhooks.ts";
import type { Send } from "../chaos-client.ts";
import type { ShopName } from "./story-plan.ts";
import type { Setup } from "./story-setup.ts";
import { webhookSecretOf } from "./story-setup.ts";

/** Delivers the shops' webhooks to the hub: late, twice, out of order, and some never. */
export type Courier = {
  /** `isCertain`: never dropped. */
  send(shop: ShopName, topic: string, body: object, random: Random, isCertain?: boolean): void;
  /** Resolves when all pending webhooks are accepted or given up. */
  arrived(): Promise<void>;
  counts: { sent: number; twice: number; lost: number; forged: number };
  problems: string[];
};

const patienceMs = 120_000;

/** `answers`: allowed statuses. */
type InboundWebhook = {
  shop: ShopName;
  topic: string;
  text: string;
  headers: Record<string, string>;
  answers: string[];
  accepted: number;
};

export function createCourier(anonymous: Send, { bridges }: Setup): Courier {
  const underWay = new Set<Promise<void>>();
  const counts = { sent: 0, twice: 0, lost: 0, forged: 0 };
  const problems: string[] = [];

  /** Retries until it is answered, as shops do for days. */
  async function deliver(webhook: InboundWebhook): Promise<void> {
    const { shop, text, headers } = webhook;
    const path = `/bridges/${bridges[shop]}/inbound-webhooks`;
    const endsAt = performance.now() + patienceMs;
    for (;;) {
      const reply = await anonymous({ method: "POST", path, text, headers });
      if (reply.kind === "answer") return judge(webhook, reply.status, String(reply.body.status));
      if (performance.now() > endsAt)
        return void problems.push(`a webhook of ${shop} is not accepted: ${reply.reason}`);
      await sleep(200);
    }
  }

  /** A repeated webhook is answered `duplicate`; if the first response was lost, that may be the only one. */
  function judge(webhook: InboundWebhook, status: number, outcome: string): void {
    const { shop, topic, text, answers } = webhook;
    if (outcome === "accepted") webhook.accepted++;
    if (webhook.accepted > 1) problems.push(`${shop}, ${topic} ${text}: accepted ${webhook.accepted} times`);
    if (!answers.includes(status === 200 ? outcome : String(status)))
      problems.push(`${shop}, ${topic} ${text}: answered ${status} ${outcome} in place of ${answers.join(" or ")}`);
  }

  function send(webhook: InboundWebhook, afterMs: number): void {
    const errand = sleep(afterMs)
      .then(() => deliver(webhook))
      .finally(() => underWay.delete(errand));
    underWay.add(errand);
  }

  return {
    counts,
    problems,
    send(shop, topic, body, random, isCertain = false) {
      const secret = webhookSecretOf(shop);
      const write = (text: string, key: string, answers: string[]): InboundWebhook => {
        const headers = (shop === "woo" ? wooWebhook : shopifyWebhook)(topic, text, { id: randomUUID(), secret: key });
        return { shop, topic, text, headers, answers, accepted: 0 };
      };
      const late = (): number => (random.chance(30) ? random.below(1_500) : 0);
      if (random.chance(4)) {
        counts.forged++;
        send(write(JSON.stringify(body), "guessed", ["401"]), late());
      }
      // Correctly signed, but not JSON.
      if (random.chance(4)) send(write("{", secret, ["ignored"]), late());
      if (!isCertain && random.chance(8)) {
        counts.lost++;
        return;
      }
      counts.sent++;
      const webhook = write(JSON.stringify(body), secret, ["accepted", "duplicate"]);
      send(webhook, late());
      if (!random.chance(20)) return;
      counts.twice++;
      send(webhook, late());
    },
    async arrived() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
