import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { Tag } from "../../ui/badge.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { actorName } from "./order-timeline.tsx";
import { placeOf, ShipBy } from "./orders.columns.tsx";
import type { LastChanges } from "./orders.queries.ts";
import { lastChangesQuery } from "./orders.queries.ts";

type OrderFact = { field: string; name: string; value: ReactNode };

function factsOf(order: Order): OrderFact[] {
  const to = order.shippingAddress ?? {};
  const address = [to.name, to.company, to.address1, to.address2, placeOf(to), to.zip].filter(Boolean).join(", ");
  return [
    {
      field: "customer",
      name: "Customer",
      value: [order.customer.name, order.customer.email, order.customer.phone].filter(Boolean).join(", "),
    },
    { field: "shippingAddress", name: "Ship to", value: address && `${address} (${order.addressStatus})` },
    {
      field: "shipping",
      name: "Shipping",
      value: [order.shipping.carrier, order.shipping.service].filter(Boolean).join(", "),
    },
    { field: "shipBy", name: "Ship by", value: <ShipBy order={order} /> },
    { field: "paymentStatus", name: "Payment", value: sentence(order.paymentStatus) },
    { field: "priority", name: "Priority", value: sentence(order.priority) },
    {
      field: "tags",
      name: "Tags",
      value: order.tags.length > 0 && (
        <span className="flex flex-wrap gap-1">
          {order.tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </span>
      ),
    },
    { field: "channel", name: "Channel", value: order.channel },
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

/** Fields of an order, each with its last change. */
export function OrderFacts({ order }: { order: Order }) {
  const { data } = useQuery(lastChangesQuery(order.number));
  const clock = useClock();
  const lastChanges = new Map(data?.data.map((entry) => [entry.field, entry]));
  return (
    <>
      <Facts>
        {factsOf(order).map(({ field, name, value }, at) => {
          const by = lastChanges.get(field);
          return (
            <Fact key={`${field} ${at}`} name={name} note={by && <Changed by={by} />}>
              {value}
            </Fact>
          );
        })}
      </Facts>
      {data?.origin && (
        <p className="mt-1 text-sm text-faint">
          All else is as {actorName(data.origin.actor)} brought it, {formatTime(data.origin.at, clock)}.
        </p>
      )}
    </>
  );
}

/** Author and run of the last change of a field. */
function Changed({ by }: { by: LastChanges["data"][number] }) {
  const clock = useClock();
  return (
    <>
      {by.runId ? (
        <Link href={paths.run(by.runId)} className="hover:underline">
          {actorName(by.actor)}, run step {(by.step ?? 0) + 1}
        </Link>
      ) : (
        actorName(by.actor)
      )}
      , {formatTime(by.at, clock)}
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
