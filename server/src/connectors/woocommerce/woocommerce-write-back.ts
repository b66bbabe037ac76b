import { answerWithoutId, readJson } from "../../core/outbound/ask-remote.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { Call, Sent } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, listOf, numberOf, objectOf } from "../shape.ts";
import { inputContent, NoteInput, pushTask, RefundInput } from "../standard-tasks.ts";
import { askWoo, orderIdOf } from "./woocommerce-api.ts";

async function statusOf(call: Call, orderId: string): Promise<string> {
  return asText(objectOf(readJson(await askWoo(call, { path: `/wc/v3/orders/${orderId}` }))).status);
}

/** Setting the same status again changes nothing, so this may be repeated. */
async function setStatus(call: Call, orderId: string, status: string): Promise<void> {
  await askWoo(call, { method: "PUT", path: `/wc/v3/orders/${orderId}`, body: { json: { status } }, retry: "safe" });
}

type Move = { to: string; description: string; refusal(status: string): string | undefined };

function statusTask(name: "orders.hold" | "orders.release_hold" | "orders.cancel", move: Move) {
  return pushTask(name, {
    description: move.description,
    idempotent: true,
    async send(call, record) {
      const orderId = await orderIdOf(call, record);
      const status = await statusOf(call, orderId);
      if (status === move.to) return { externalId: orderId };
      const refusal = move.refusal(status);
      if (refusal !== undefined) throw new RemoteError("rejected", refusal);
      await setStatus(call, orderId, move.to);
      return { externalId: orderId };
    },
    async find(call, record) {
      const orderId = await orderIdOf(call, record);
      return (await statusOf(call, orderId)) === move.to ? { externalId: orderId } : undefined;
    },
  });
}

const ended = ["completed", "cancelled", "refunded", "failed", "trash"];

export const ordersHold = statusTask("orders.hold", {
  to: "on-hold",
  description: "Sets the status of the orders to on-hold.",
  refusal: (status) => (ended.includes(status) ? `An order that is ${status} cannot be held.` : undefined),
});

export const ordersReleaseHold = statusTask("orders.release_hold", {
  to: "processing",
  description: "Sets orders that are on-hold to processing.",
  refusal: (status) => (status === "on-hold" ? undefined : `The order is not on hold: it is ${status}.`),
});

export const ordersCancel = statusTask("orders.cancel", {
  to: "cancelled",
  description:
    "Sets the status of the orders to cancelled. WooCommerce restocks them by its own settings; payments are not refunded.",
  refusal: (status) =>
    ["completed", "refunded", "trash"].includes(status) ? `An order that is ${status} cannot be cancelled.` : undefined,
});

async function findNote(call: Call, orderId: string): Promise<Sent | undefined> {
  const notes = listOf(readJson(await askWoo(call, { path: `/wc/v3/orders/${orderId}/notes` })));
  return notes.some(({ note }) => asText(note) === asText(call.input.note)) ? { externalId: orderId } : undefined;
}

export const ordersNote = pushTask("orders.note", {
  description: "Adds a private note to the orders. A text that the order has as a note already is not added again.",
  input: NoteInput,
  contentOf: inputContent,
  idempotent: true,
  async send(call, record) {
    const orderId = await orderIdOf(call, record);
    const known = await findNote(call, orderId);
    if (known) return known;
    const body = { json: { note: call.input.note, customer_note: false } };
    await askWoo(call, { method: "POST", path: `/wc/v3/orders/${orderId}/notes`, body });
    return { externalId: orderId };
  },
  find: async (call, record) => await findNote(call, await orderIdOf(call, record)),
});

const effectMeta = "_order_hub_effect";

async function findRefund(call: Call, orderId: string, effectKey: string): Promise<Sent | undefined> {
  const path = `/wc/v3/orders/${orderId}/refunds`;
  const refunds = listOf(readJson(await askWoo(call, { path, query: { per_page: 100 } })));
  const isOurs = ({ meta_data: meta }: Json): boolean =>
    listOf(meta).some(({ key, value }) => key === effectMeta && value === effectKey);
  const found = refunds.find(isOurs);
  return found && { externalId: String(found.id) };
}

export const ordersRefund = pushTask("orders.refund", {
  description: "Refunds the orders through the payment gateway that was used. Items are not restocked.",
  input: RefundInput,
  contentOf: inputContent,
  idempotent: true,
  async send(call, record, effectKey) {
    const orderId = await orderIdOf(call, record);
    const known = await findRefund(call, orderId, effectKey);
    if (known) return known;
    const { amount = await leftOf(call, orderId), note = "" } = call.input;
    const json = {
      amount: Number(amount).toFixed(2),
      reason: note,
      api_refund: true,
      meta_data: [{ key: effectMeta, value: effectKey }],
    };
    const answer = readJson(
      await askWoo(call, { method: "POST", path: `/wc/v3/orders/${orderId}/refunds`, body: { json } }),
    );
    const { id } = objectOf(answer);
    if (typeof id !== "number" && typeof id !== "string") throw answerWithoutId("id");
    return { externalId: String(id) };
  },
  find: async (call, record, effectKey) => await findRefund(call, await orderIdOf(call, record), effectKey),
});

/** The total without earlier refunds, whose totals are negative. */
async function leftOf(call: Call, orderId: string): Promise<number> {
  const { total, refunds } = objectOf(readJson(await askWoo(call, { path: `/wc/v3/orders/${orderId}` })));
  const cents = listOf(refunds).reduce((sum, refund) => sum + Math.round(numberOf(refund.total) * 100), 0);
  const left = Math.round(numberOf(total) * 100) + cents;
  if (left > 0) return left / 100;
  throw new RemoteError("rejected", "Nothing is left to refund.");
}
