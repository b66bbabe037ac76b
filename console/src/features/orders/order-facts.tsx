import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { Tag } from "../../ui/badge.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { actorName } from "./order-timeline.tsx";
import { placeOf, ShipBy } from "./orders.columns.tsx";
import { blameQuery } from "./orders.queries.ts";

type Fact = { field: string; name: string; value: ReactNode };

function factsOf(order: Order): Fact[] {
  const to = order.shippingAddress ?? {};
  const address = [to.name, to.company, to.address1, to.address2, placeOf(to), to.zip].filter(Boolean).join(", ");
  const dash = <span className="text-muted">–</span>;
  return [
    {
      field: "customer",
      name: "Customer",
      value: [order.customer.name, order.customer.email, order.customer.phone].filter(Boolean).join(", ") || dash,
    },
    { field: "shippingAddress", name: "Ship to", value: address ? `${address} (${order.addressStatus})` : dash },
    {
      field: "shipping",
      name: "Shipping",
      value: [order.shipping.carrier, order.shipping.service].filter(Boolean).join(", ") || dash,
    },
    { field: "shipBy", name: "Ship by", value: <ShipBy order={order} /> },
    { field: "paymentStatus", name: "Payment", value: sentence(order.paymentStatus) },
    { field: "priority", name: "Priority", value: sentence(order.priority) },
    {
      field: "tags",
      name: "Tags",
      value:
        order.tags.length === 0 ? (
          dash
        ) : (
          <span className="flex flex-wrap gap-1">
            {order.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        ),
    },
    { field: "channel", name: "Channel", value: order.channel ?? dash },
    { field: "total", name: "Total", value: formatMoney(order.total, order.currency) },
    { field: "orderedAt", name: "Ordered", value: <Time at={order.orderedAt} /> },
    ...order.holds.map((hold) => ({
      field: "holds",
      name: "Hold",
      value: (
        <>
          {words(hold.reason)}
          {hold.note && `: ${hold.note}`}
          {hold.until && (
            <>
              {" "}
              until <Time at={hold.until} />
            </>
          )}
        </>
      ),
    })),
    ...order.notes.map((note) => ({ field: "notes", name: `Note (${words(note.visibility)})`, value: note.text })),
    ...Object.entries(order.customFields).map(([name, value]) => ({
      field: "customFields",
      name,
      value: String(value),
    })),
  ];
}

/** What an order is, and for each field who made it so. */
export function OrderFacts({ order }: { order: Order }) {
  const { data } = useQuery(blameQuery(order.number));
  const clock = useClock();
  const blame = new Map(data?.data.map((entry) => [entry.field, entry]));
  return (
    <>
      <dl className="grid grid-cols-[minmax(88px,auto)_1fr] gap-x-3">
        {factsOf(order).map(({ field, name, value }, at) => {
          const by = blame.get(field);
          return (
            <div
              key={`${field} ${at}`}
              className="col-span-2 grid grid-cols-subgrid items-baseline border-b border-line py-1 last:border-b-0"
            >
              <dt className="text-muted">{name}</dt>
              <dd className="flex min-w-0 flex-wrap items-baseline justify-between gap-x-3">
                <span className="min-w-0 break-words">{value}</span>
                {by && (
                  <span className="text-sm text-faint">
                    {by.runId ? (
                      <Link href={paths.run(by.runId)} className="hover:underline">
                        {actorName(by.actor)}, run step {(by.step ?? 0) + 1}
                      </Link>
                    ) : (
                      actorName(by.actor)
                    )}
                    , {formatTime(by.at, clock)}
                  </span>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {data?.origin && (
        <p className="mt-1 text-sm text-faint">
          What names nobody is as {actorName(data.origin.actor)} brought it, {formatTime(data.origin.at, clock)}.
        </p>
      )}
    </>
  );
}

const lineColumns = (currency: string): Array<ListColumn<Order["lines"][number]>> => [
  { name: "SKU", className: "font-mono text-sm", cell: ({ sku }) => sku },
  { name: "Name", cell: ({ name }) => name ?? <span className="text-muted">–</span> },
  { name: "Quantity", isNumber: true, cell: ({ quantity }) => quantity },
  { name: "Shipped", isNumber: true, cell: ({ shippedQuantity }) => shippedQuantity },
  { name: "Price", isNumber: true, cell: ({ price }) => formatMoney(price, currency) },
];

export function OrderLines({ order }: { order: Order }) {
  if (order.lines.length === 0) return <p className="px-2.5 py-2 text-muted">No lines.</p>;
  return <RowTable label="Lines" rows={order.lines} idOf={({ id }) => id} columns={lineColumns(order.currency)} />;
}
