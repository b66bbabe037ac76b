import { appendFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Call, Reply, Send } from "./chaos-client.ts";
import { accepted } from "./chaos-client.ts";
import type { Random } from "./chaos-plan.ts";
import type { CarrierName, LabelCarrier } from "./label-carriers.ts";

/** `wanted` is the reference of a label that a client wants once. Everything but `wanted` was acknowledged by a hub. */
export type LabelEntry =
  | { type: "wanted"; wanted: string; carrier: CarrierName }
  | { type: "label"; key: string; wanted: string; labelId: string; trackingNumber: string | null }
  | { type: "rejected"; wanted: string; code: string }
  | { type: "run"; key: string; runId: string }
  | { type: "voided"; labelId: string }
  /** A label with an unknown outcome that was marked as purchased. */
  | { type: "marked"; labelId: string };

export type LabelAccount = Pick<LabelCarrier, "name" | "service"> & { id: string };

export type LabelShared = {
  send: Send;
  accounts: LabelAccount[];
  locationId: string;
  entries: LabelEntry[];
  journalFile: string;
  isOver(): boolean;
  counts: { lost: number; repeated: number; internalErrors: string[]; refused: Record<string, number> };
};

const from = {
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
};
const to = {
  name: "Grace Hopper",
  address1: "12 Analytical Way",
  city: "Albany",
  provinceCode: "NY",
  zip: "12207",
  countryCode: "US",
};
const parcel = {
  weight: { value: 2, unit: "lb" },
  dimensions: { length: 10, width: 8, height: 4, unit: "in" },
};

export async function makeAccounts(send: Send, carriers: LabelCarrier[]): Promise<LabelAccount[]> {
  const accounts: LabelAccount[] = [];
  for (const { name, service, account } of carriers) {
    const { id } = await accepted(send, { method: "POST", path: "/carrier-accounts", body: account });
    accounts.push({ id: String(id), name, service });
  }
  return accounts;
}

export async function makeLocation(send: Send): Promise<string> {
  const body = { name: "Dock", address: from };
  return String((await accepted(send, { method: "POST", path: "/locations", body })).id);
}

export function countRefusal({ refused }: LabelShared["counts"], code: string, times: number): void {
  refused[code] = (refused[code] ?? 0) + times;
}

/** Buys labels by request and by run, and voids some. Repeats a request with the same key until its outcome is known. */
export function createLabelClient(name: string, random: Random, shared: LabelShared) {
  const { send, counts } = shared;
  const mayVoid: string[] = [];
  let sequence = 0;

  function note(entry: LabelEntry): void {
    shared.entries.push(entry);
    appendFileSync(shared.journalFile, `${JSON.stringify(entry)}\n`);
  }

  async function untilKnown(call: Call, key: string): Promise<(Reply & { kind: "answer" }) | undefined> {
    for (let asked = 0; ; asked++) {
      const reply = await send({ ...call, headers: { "idempotency-key": key } });
      if (reply.kind === "answer" && reply.body.code !== "idempotency_key_in_use") return reply;
      if (asked > 0) counts.repeated++;
      if (reply.kind === "lost") counts.lost++;
      if (reply.kind === "lost" && reply.reason.startsWith("500")) counts.internalErrors.push(reply.reason);
      // The key of a killed request is locked for a minute; nothing was acknowledged.
      if (shared.isOver() && asked > 5) return undefined;
      await delay(200);
    }
  }

  function want(count: number, { name: carrier }: LabelAccount): string[] {
    sequence++;
    const references = Array.from({ length: count }, (_, i) => `want-${name}-${sequence}-${i}`);
    for (const wanted of references) note({ type: "wanted", wanted, carrier });
    return references;
  }

  async function buy(): Promise<void> {
    const account = random.pick(shared.accounts);
    const [wanted] = want(1, account) as [string];
    const body = { carrierAccountId: account.id, service: account.service, from, to, ...parcel, reference: wanted };
    const reply = await untilKnown({ method: "POST", path: "/shipments/labels", body }, wanted);
    if (!reply) return;
    if (reply.status >= 400) return refused(wanted, account, reply.body);
    const label = reply.body.label as { id: string; trackingNumber: string | null };
    note({ type: "label", key: wanted, wanted, labelId: label.id, trackingNumber: label.trackingNumber });
    if (label.trackingNumber !== null) mayVoid.push(label.id);
  }

  function refused(wanted: string, { name: carrier }: LabelAccount, body: Record<string, unknown>): void {
    const code = String(body.carrierCode ?? body.code);
    countRefusal(counts, `${carrier} ${code}`, 1);
    note({ type: "rejected", wanted, code });
  }

  async function run(): Promise<void> {
    const account = random.pick(shared.accounts);
    const references = want(random.between(1, 4), account);
    const orders = references.map((number) => ({
      number,
      status: "ready",
      shippingAddress: to,
      locationId: shared.locationId,
      packages: [parcel],
      lines: [{ sku: "MUG", quantity: 1 }],
    }));
    const key = references[0]!;
    const made = await untilKnown({ method: "POST", path: "/orders/bulk", body: { orders } }, `${key}-orders`);
    if (made?.status !== 200) return;
    const orderIds = (made.body.results as { id: string }[]).map(({ id }) => id);
    const actions = [{ type: "buy_label", params: { carrier_account_id: account.id, service: account.service } }];
    const call = { method: "POST", path: "/operations/run", body: { order_ids: orderIds, actions } };
    const reply = await untilKnown(call, `${key}-run`);
    if (!reply) return;
    if (reply.status >= 400) throw new Error(`${key}: ${reply.status} ${JSON.stringify(reply.body)}`);
    note({ type: "run", key, runId: String(reply.body.id) });
  }

  async function voidOne(): Promise<void> {
    const labelId = mayVoid.splice(random.between(0, mayVoid.length - 1), 1)[0]!;
    const reply = await send({ method: "DELETE", path: `/shipments/labels/${labelId}` });
    if (reply.kind === "answer" && reply.status === 200 && reply.body.status === "voided")
      note({ type: "voided", labelId });
  }

  return {
    async work(): Promise<void> {
      while (!shared.isOver()) {
        await (random.next() < 0.6 ? buy() : run());
        if (mayVoid.length > 0 && random.next() < 0.25) await voidOne();
        await delay(random.between(0, 200));
      }
    },
  };
}
