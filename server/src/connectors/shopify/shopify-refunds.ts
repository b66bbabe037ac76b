import { RemoteError } from "../../core/remote-error.ts";
import type { Call, Sent } from "../connector.ts";
import type { Json } from "../shape.ts";
import { asText, listOf, numberOf, objectOf } from "../shape.ts";
import { externalIdOf } from "../shipment-record.ts";
import { inputContent, pushTask, RefundInput } from "../standard-tasks.ts";
import { gidOf, idOf, mutate, query } from "./shopify-graphql.ts";

const paymentsQuery = `query HubOrderPayments($id: ID!) {
  order(id: $id) {
    id
    refunds(first: 100) { id note }
    transactions(first: 100) {
      id kind status gateway parentTransaction { id } amountSet { presentmentMoney { amount currencyCode } }
    }
  }
}`;
/** Shopify does a refund with the same key once. */
const refundCreate = `mutation HubRefund($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) { refund { id } userErrors { field message } }
}`;

type Payment = { id: string; gateway: string; cents: number; currency: string };

async function readPayments(call: Call, record: Json): Promise<Json> {
  const id = gidOf("Order", externalIdOf(record));
  const { order } = await query(call, paymentsQuery, { id });
  if ((order ?? null) === null) throw new RemoteError("not_found", `Shopify has no order ${idOf(id)}.`);
  return objectOf(order);
}

/** The refund is found by its note, also after Shopify has forgotten the key. */
function markOf(effectKey: string): string {
  return `[${effectKey.slice(0, 12)}]`;
}

function findRefund(order: Json, effectKey: string): Sent | undefined {
  const refund = listOf(order.refunds).find(({ note }) => asText(note).includes(markOf(effectKey)));
  return refund && { externalId: idOf(refund.id) };
}

/** What is left of each payment that was received, in the currency of the customer. */
function refundableOf(order: Json): Payment[] {
  const done = listOf(order.transactions).filter(({ status }) => status === "SUCCESS");
  const moneyOf = ({ amountSet }: Json): Json => objectOf(objectOf(amountSet).presentmentMoney);
  const centsOf = (transaction: Json): number => Math.round(numberOf(moneyOf(transaction).amount) * 100);
  const refunds = done.filter(({ kind }) => kind === "REFUND");
  return done
    .filter(({ kind }) => kind === "SALE" || kind === "CAPTURE")
    .map((payment) => {
      const back = refunds.filter(({ parentTransaction }) => objectOf(parentTransaction).id === payment.id);
      return {
        id: asText(payment.id),
        gateway: asText(payment.gateway),
        cents: centsOf(payment) - back.reduce((sum, refund) => sum + centsOf(refund), 0),
        currency: asText(moneyOf(payment).currencyCode),
      };
    })
    .filter(({ cents }) => cents > 0);
}

/** Takes the amount from the payments, one after the other. */
function sharesOf(payments: Payment[], cents: number): { payment: Payment; cents: number }[] {
  let left = cents;
  return payments.flatMap((payment) => {
    const share = Math.min(left, payment.cents);
    left -= share;
    return share > 0 ? [{ payment, cents: share }] : [];
  });
}

export const ordersRefund = pushTask("orders.refund", {
  description: "Refunds the orders at Shopify, to the payment methods that were used. Items are not restocked.",
  input: RefundInput,
  contentOf: inputContent,
  idempotent: true,
  async send(call, record, effectKey) {
    const order = await readPayments(call, record);
    const known = findRefund(order, effectKey);
    if (known) return known;
    const payments = refundableOf(order);
    const most = payments.reduce((sum, { cents }) => sum + cents, 0);
    const { amount, note, notifyCustomer = false } = call.input;
    const wanted = amount === undefined ? most : Math.round(Number(amount) * 100);
    if (most === 0) throw new RemoteError("rejected", "Nothing is left to refund.");
    if (wanted > most) throw new RemoteError("rejected", `At most ${(most / 100).toFixed(2)} can be refunded.`);
    const input = {
      orderId: order.id,
      currency: payments[0]!.currency,
      note: [asText(note), markOf(effectKey)].filter((text) => text !== "").join(" "),
      notify: notifyCustomer,
      transactions: sharesOf(payments, wanted).map(({ payment, cents }) => ({
        orderId: order.id,
        parentId: payment.id,
        gateway: payment.gateway,
        kind: "REFUND",
        amount: (cents / 100).toFixed(2),
      })),
    };
    const { refund } = await mutate(call, refundCreate, "refundCreate", { input, key: effectKey });
    return { externalId: idOf(objectOf(refund).id) };
  },
  find: async (call, record, effectKey) => findRefund(await readPayments(call, record), effectKey),
});
