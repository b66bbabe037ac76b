import type { Order } from "@order-operations-hub/sdk/api-types";
import { lazy, Suspense, useState } from "react";
import { FactList } from "../../ui/facts.tsx";
import { sentence } from "../../ui/format.ts";
import { loadPart } from "../../ui/load-part.ts";
import { Time } from "../../ui/zone.tsx";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { EditButton } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { ServiceName } from "./order-service.tsx";
import { ShipBy } from "./orders.columns.tsx";

const EditShipping = lazy(
  loadPart(async () => ({ default: (await import("./order-shipping.form.tsx")).EditShipping })),
);

/** Where it is shipped from, by whom, in what and until when. */
export function OrderShipping({ order }: { order: Order }) {
  const [isEditing, setEditing] = useState(false);
  const { data: locations } = useEntityNames("location");
  const { data: users } = useEntityNames("user");
  const nameIn = (names: typeof locations, id: string | null): string | null =>
    id && (names?.find((one) => one.id === id)?.name ?? "Not known");
  return (
    <OrderCard title="Shipping" actions={!isEditing && <EditButton what="shipping" onEdit={() => setEditing(true)} />}>
      {isEditing ? (
        <Suspense>
          <EditShipping order={order} onDone={() => setEditing(false)} />
        </Suspense>
      ) : (
        <FactList
          facts={[
            ["Ship from", nameIn(locations, order.locationId)],
            ["Service", <ServiceName key="service" shipping={order.shipping} />],
            ["Ship by", <ShipBy key="ship" order={order} />],
            order.deliverBy !== null && ["Deliver by", <Time key="deliver" at={order.deliverBy} />],
            order.requestedDeliveryDate !== null && ["Requested for", order.requestedDeliveryDate],
            ["Package", order.packages.map(packageText).join("; ")],
            ["Assigned to", nameIn(users, order.assigneeId)],
            ["Priority", sentence(order.priority)],
          ]}
        />
      )}
    </OrderCard>
  );
}

function packageText({ count, weight, dimensions: size }: Order["packages"][number]): string {
  const parts = [
    count > 1 && `${count} ×`,
    size && `${size.length} × ${size.width} × ${size.height} ${size.unit},`,
    weight && `${weight.value} ${weight.unit}`,
  ];
  return parts.filter(Boolean).join(" ").replace(/,$/, "");
}
