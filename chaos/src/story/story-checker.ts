import { isDeepStrictEqual } from "node:util";
import type { Send } from "../chaos-client.ts";
import { accepted } from "../chaos-client.ts";
import type { Parcel, PlayedStory } from "./story-acts.ts";
import type { End } from "./story-ends.ts";
import { ends } from "./story-ends.ts";
import type { Setup } from "./story-setup.ts";
import type { Entry, View } from "./story-view.ts";
import { orderKey } from "./story-view.ts";

type ShownOrder = {
  id: string;
  number: string;
  status: string;
  paymentStatus: string;
  bridgeId: string;
  externalId: string;
  holds: { handle: string }[];
  shippingAddress: { address1?: string } | null;
  shipments: { trackingNumber: string; lines: { lineId: string; quantity: number }[] }[];
};
type ShownException = {
  kind: string;
  code: string;
  message: string;
  reason: string | null;
  orderId: string | null;
  bridgeId: string | null;
  subject: { name: string | null };
};

/** Compares the final state of the hub and the partners' journals with the expected ends. Each line is a problem. */
export async function checkStories(send: Send, played: PlayedStory[], setup: Setup, journals: View["journals"]) {
  const orders = (await listAll(send, "/orders")) as ShownOrder[];
  const exceptions = (await listAll(send, "/exceptions")) as ShownException[];
  const byKey = Map.groupBy(orders, ({ bridgeId, externalId }) => orderKey(bridgeId, externalId));
  const unexplained = new Set(exceptions);
  const problems: string[] = [];
  for (const one of played) {
    const { story, shopOrderId } = one;
    const bridgeId = setup.bridges[story.shop];
    const key = orderKey(bridgeId, shopOrderId ?? "");
    const found = byKey.get(key) ?? [];
    byKey.delete(key);
    const mine = exceptions.filter((exception) => isAbout(exception, found[0]?.id, bridgeId, shopOrderId));
    for (const exception of mine) unexplained.delete(exception);
    const end = ends[story.name];
    const wanted = expectedOf(one, end);
    const actual = {
      ...seenOf(found),
      exceptions: mine.map(({ kind, code }) => `${kind} ${code}`),
      ...warehouseOf(story.reference, end, journals.warehouse),
      shop: shopOf(one, journals[story.shop]),
    };
    for (const [what, expected] of Object.entries(wanted)) {
      const is: unknown = actual[what as keyof typeof wanted];
      if (isDeepStrictEqual(is, expected)) continue;
      const details = what === "exceptions" ? mine.map(({ message, reason }) => ` (${message} ${reason ?? ""})`) : [];
      const where = `${story.reference} of ${story.shop}, order ${story.index} (${story.name})`;
      problems.push(`${where}: ${what} should be ${show(expected)}, is ${show(is)}${details.join("")}`);
    }
  }
  for (const [key, strangers] of byKey) problems.push(`order ${strangers[0]!.number} (${key}) is of no story`);
  for (const { kind, code, message, reason } of unexplained)
    problems.push(`the inbox has ${kind} ${code}, which no story explains: ${message} ${reason ?? ""}`);
  return { problems, exceptions: exceptions.length };
}

const show = (value: unknown): string => JSON.stringify(value) ?? "nothing";

async function listAll(send: Send, path: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let page = 1; ; page++) {
    const { data, pagination } = await accepted(send, { method: "GET", path: `${path}?limit=100&page=${page}` });
    all.push(...(data as unknown[]));
    if (!(pagination as { hasMore: boolean }).hasMore) return all;
  }
}

/** A rejected record has no order and is identified by its ID at the shop. */
function isAbout(
  { orderId, bridgeId, subject }: ShownException,
  id: string | undefined,
  shop: string,
  shopOrderId: number | undefined,
): boolean {
  return orderId === null ? bridgeId === shop && subject.name === String(shopOrderId) : orderId === id;
}

const listed = ({ tracking, items }: Parcel): string =>
  `${tracking}: ${[...items]
    .toSorted(([a], [b]) => a - b)
    .map(([id, quantity]) => `${quantity} of ${id}`)
    .join(", ")}`;

function expectedOf({ story, parcels }: PlayedStory, end: End) {
  const isThere = end.status !== undefined;
  const count = { none: 0, first: 1, all: 1, both: 2 }[end.parcels];
  const street = end.address === "first" ? story.street : story.secondStreet;
  const payment = story.shop === "woo" ? (end.wooPayment ?? end.payment) : end.payment;
  const shipped = parcels.map(listed);
  const hasIt = end.warehouse !== "never had it";
  return {
    copies: isThere ? 1 : 0,
    status: end.status,
    payment: isThere ? payment : undefined,
    holds: end.holds,
    street: isThere ? street : undefined,
    exceptions: end.exceptions,
    parcels: count === parcels.length ? shipped : [`${count} parcels, but ${parcels.length} were sent`],
    takes: hasIt ? [street] : [],
    givesBack: end.warehouse === "gave it back" ? 1 : 0,
    shop: {
      parcels: shipped,
      isCompleted: story.shop === "woo" && (end.parcels === "all" || end.parcels === "both"),
    },
  };
}

function seenOf([order, ...more]: ShownOrder[]) {
  const parcels = (order?.shipments ?? []).map(({ trackingNumber, lines }) =>
    listed({ tracking: trackingNumber, items: new Map(lines.map((line) => [Number(line.lineId), line.quantity])) }),
  );
  return {
    copies: order ? 1 + more.length : 0,
    status: order?.status,
    payment: order?.paymentStatus,
    holds: (order?.holds ?? []).map(({ handle }) => handle),
    street: order?.shippingAddress?.address1,
    parcels,
  };
}

function warehouseOf(reference: string, { status }: End, journal: Entry[]) {
  // Its number belongs to another order.
  const own = status === undefined ? [] : journal.filter(({ key }) => key === reference);
  return {
    takes: own
      .filter(({ kind }) => kind === "warehouse.take")
      .map(({ detail }) => (detail as { shipTo: string }).shipTo),
    givesBack: own.filter(({ kind }) => kind === "warehouse.give_back").length,
  };
}

/** Fulfillments at the shop: each parcel once, with its final tracking number and, where the shop stores them, its lines. */
function shopOf({ story, shopOrderId, parcels }: PlayedStory, journal: Entry[]) {
  const own = journal.filter(({ orderId }) => orderId === shopOrderId);
  const corrections = own.filter(({ kind }) => kind === "fulfillment.update").map(({ key }) => key);
  // A repeated correction is allowed; it is idempotent.
  const corrected = new Set(corrections);
  const created = own.filter(({ kind }) => kind === "fulfillment.create");
  const reported = new Map<string, Entry[]>();
  for (const entry of created) reported.set(entry.key, [...(reported.get(entry.key) ?? []), entry]);
  const shown = [...reported].map(([number, entries]) => {
    const tracking = corrected.size === 1 ? [...corrected][0]! : number;
    const items = new Map<number, number>();
    for (const { detail } of entries) {
      for (const [id, quantity] of Object.entries((detail ?? {}) as Record<string, number>))
        items.set(Number(id), (items.get(Number(id)) ?? 0) + quantity);
    }
    // At most one per shop location; WooCommerce has no locations, and its stand-in stores no lines.
    const most = story.shop === "woo" ? 1 : story.locations;
    if (entries.length > most) return `${tracking}: reported ${entries.length} times`;
    const same = parcels.find((parcel) => parcel.tracking === tracking);
    return story.shop === "woo" ? (same ? listed(same) : tracking) : listed({ tracking, items });
  });
  const completed = own.filter(({ kind }) => kind === "order.complete").length;
  if (completed > 1) shown.push(`completed ${completed} times`);
  return { parcels: shown, isCompleted: completed > 0 };
}
