import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { paths } from "../../app/paths.ts";
import { Fact, Facts } from "../../ui/facts.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { actorName } from "./order-timeline.tsx";
import { ServiceName } from "./order-service.tsx";
import { placeOf } from "./order-place.ts";
import { ShipBy } from "./orders.columns.tsx";
import { addressStatusName } from "./orders.text.ts";
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
    {
      field: "shippingAddress",
      name: "Ship to",
      value: address && `${address} (${addressStatusName(order.addressStatus).toLowerCase()})`,
    },
    {
      field: "shipping",
      name: "Shipping",
      value: <ServiceName shipping={order.shipping} />,
    },
    { field: "shipBy", name: "Ship by", value: <ShipBy order={order} /> },
    { field: "paymentStatus", name: "Payment", value: sentence(order.paymentStatus) },
    { field: "priority", name: "Priority", value: sentence(order.priority) },
    { field: "channel", name: "Channel", value: order.channel },
    { field: "total", name: "Total", value: formatMoney(order.total, order.currency) },
    { field: "orderedAt", name: "Ordered", value: <Time at={order.orderedAt} /> },
    // Internal notes are part of the activity.
    ...order.notes
      .filter(({ visibility }) => visibility !== "internal")
      .map((note) => ({ field: "notes", name: `Note (${words(note.visibility)})`, value: note.text })),
    ...Object.entries(order.customFields).map(([name, value]) => ({
      field: "customFields",
      name,
      value: String(value),
    })),
  ];
}

/** Fields of an order beside the list, each with its last change. Tags, holds and the activity have their own parts. */
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
          Created by {actorName(data.origin.actor)} {formatTime(data.origin.at, clock)}
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
