import type { Order } from "@order-operations-hub/sdk/api-types";
import { Badge } from "../../ui/badge.tsx";
import { cx } from "../../ui/class-names.ts";
import { formatMoney, sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import type { Tone } from "../../ui/tone.ts";
import { OrderCard } from "./order-card.tsx";

const tones: Record<string, Tone> = {
  paid: "ok",
  pending: "warn",
  authorized: "info",
  refunded: "warn",
  partially_refunded: "warn",
  voided: "skip",
};

export const PaymentStatus = ({ status }: { status: Order["paymentStatus"] }) => (
  <Badge tone={tones[status] ?? "skip"}>{sentence(status)}</Badge>
);

/** What was paid and how, and what the total consists of. */
export function OrderPayment({ order }: { order: Order }) {
  const { payment, amounts, poNumber, riskLevel } = order;
  const discounts = amounts.discounts ?? [];
  return (
    <OrderCard title="Payment" note={<PaymentStatus status={order.paymentStatus} />}>
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        <ul className="flex flex-col gap-1.5">
          {(payment.method ?? payment.reference) && (
            <li className="flex items-baseline gap-2">
              <Icon name="card" />
              <span className="min-w-0 break-words">
                {payment.method ?? "Payment"}
                {payment.reference && <span className="text-muted"> · {payment.reference}</span>}
              </span>
            </li>
          )}
          {discounts.map(({ code, title }, at) => (
            <li key={at} className="flex items-baseline gap-2">
              <Icon name="tag" />
              <span>
                {code ? `Discount code ${code}` : "Discount"}
                {title && <span className="text-muted"> · {title}</span>}
              </span>
            </li>
          ))}
          {poNumber && (
            <li className="flex items-baseline gap-2">
              <Icon name="note" /> PO number {poNumber}
            </li>
          )}
          {riskLevel && (
            <li className="flex items-center gap-2">
              <Icon name="shield" />
              <Badge tone={riskTones[riskLevel] ?? "skip"}>{`${sentence(riskLevel)} fraud risk`}</Badge>
            </li>
          )}
        </ul>
        <Sums order={order} />
      </div>
    </OrderCard>
  );
}

const riskTones: Record<string, Tone> = { low: "ok", medium: "warn", high: "bad" };

function Sums({ order: { amounts, total, currency } }: { order: Order }) {
  const money = (amount: number): string => formatMoney(amount, currency);
  const rows: Array<[name: string, amount: number | null | undefined, sign?: "−"]> = [
    ["Subtotal", amounts.subtotal],
    ["Discount", amounts.discount, "−"],
    ["Shipping", amounts.shipping],
    [amounts.taxIncluded ? "Tax, included" : "Tax", amounts.tax],
    ["Fees", amounts.fees],
    ["Total", total],
    ["Refunded", amounts.refunded, "−"],
    ["Net paid", amounts.paid === undefined ? undefined : amounts.paid - (amounts.refunded ?? 0)],
  ];
  return (
    <dl>
      {rows
        .filter(([name, amount]) => name === "Total" || (amount !== undefined && amount !== null && amount !== 0))
        .map(([name, amount, sign]) => (
          <div
            key={name}
            className={cx(
              "flex justify-between gap-3 py-0.5",
              (name === "Total" || name === "Net paid") && "font-semibold",
              name === "Total" && "border-t border-line",
            )}
          >
            <dt className={cx(name !== "Total" && name !== "Net paid" && "text-muted")}>{name}</dt>
            <dd className="tabular-nums">
              {amount === null || amount === undefined ? "–" : `${sign ?? ""}${money(amount)}`}
            </dd>
          </div>
        ))}
      {amounts.presentmentTotal !== undefined && amounts.presentmentCurrency && (
        <p className="text-end text-sm text-muted">
          Customer paid {formatMoney(amounts.presentmentTotal, amounts.presentmentCurrency)}
        </p>
      )}
    </dl>
  );
}
