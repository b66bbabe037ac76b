import type { Address, Label, Shipment } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { formatDay } from "../../ui/calendar.ts";
import { valueText } from "../../ui/change-text.ts";
import { Card } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { formatMoney, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { LabelActions } from "./label-actions.tsx";
import { labelsQuery } from "./labels.queries.ts";
import { promiseNames, shipmentTones, sourceNames, statusNames } from "./shipments.text.ts";

const addressText = (at: Address | null): string | null =>
  at &&
  [at.name, at.company, at.address1, at.address2, at.city, at.provinceCode, at.zip, at.countryCode]
    .filter(Boolean)
    .join(", ");

export function ShipmentFacts({ shipment }: { shipment: Shipment }) {
  const { orderNumber, promisedDate, promiseSource, weight } = shipment;
  return (
    <Facts>
      <Fact name="Order">
        {orderNumber && (
          <Link href={paths.order(orderNumber)} className="font-mono text-accent-text hover:underline">
            {orderNumber}
          </Link>
        )}
      </Fact>
      <Fact name="Carrier">{[shipment.carrier, shipment.service].filter(Boolean).join(", ")}</Fact>
      <Fact name="Tracking number">
        {shipment.trackingNumber && <CopyText text={shipment.trackingNumber} label="Copy the tracking number" />}
      </Fact>
      <Fact name="Promised">
        {promisedDate &&
          `${formatDay(promisedDate)}${promiseSource ? `, ${promiseNames[promiseSource] ?? words(promiseSource)}` : ""}`}
      </Fact>
      <Fact name="Carrier expects">
        <Time at={shipment.estimatedAt} />
      </Fact>
      <Fact name="Delivered">
        <Time at={shipment.deliveredAt} />
      </Fact>
      <Fact name="Shipped">
        <Time at={shipment.shippedAt} />
      </Fact>
      <Fact name="Handed over">
        <Time at={shipment.acceptedAt} />
      </Fact>
      <Fact name="To">{addressText(shipment.destination)}</Fact>
      <Fact name="From">{addressText(shipment.origin)}</Fact>
      <Fact name="Package">{weight && `${weight.value} ${weight.unit}`}</Fact>
      <Fact name="Cost">{shipment.cost === null ? null : formatMoney(shipment.cost, shipment.currency)}</Fact>
      <Fact name="Came by">{sourceNames[shipment.source] ?? words(shipment.source)}</Fact>
      <Fact name="Carrier was asked">
        <Time at={shipment.lastPolledAt} />
      </Fact>
      {Object.entries(shipment.metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {valueText(value)}
        </Fact>
      ))}
    </Facts>
  );
}

/** Tracking events by day, newest first. */
export function TrackingTimeline({ shipment }: { shipment: Shipment }) {
  const clock = useClock();
  if (shipment.events.length === 0) {
    return (
      <p className="py-2 text-muted">
        No tracking events yet. The hub polls the carrier every 30 minutes if one of the accounts supports tracking.
      </p>
    );
  }
  return (
    <ol className="flex flex-col">
      {shipment.events.toReversed().map((event) => (
        <li key={event.key} className="grid grid-cols-[104px_1fr] gap-x-3 border-b border-line py-1.5 last:border-b-0">
          <time dateTime={event.at} className="text-muted tabular-nums">
            {formatTime(event.at, clock)}
          </time>
          <div className="min-w-0">
            <Badge tone={shipmentTones[event.status] ?? "skip"}>
              {statusNames[event.status] ?? words(event.status)}
            </Badge>
            {event.location && <span className="ms-2">{event.location}</span>}
            {event.description && <p className="text-muted">{event.description}</p>}
            {event.carrierStatus && <p className="text-sm text-faint">the carrier said {event.carrierStatus}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

const labelColumns: Array<ListColumn<Label>> = [
  { name: "Label", cell: ({ status, service }) => `${words(status)} ${words(service)}` },
  { name: "Bought", className: "whitespace-nowrap text-muted", cell: ({ purchasedAt }) => <Time at={purchasedAt} /> },
  {
    name: "Size",
    isNumber: true,
    className: "whitespace-nowrap text-muted",
    cell: ({ dimensions: size }) => (size ? `${size.length} × ${size.width} × ${size.height} ${size.unit}` : "–"),
  },
  { name: "Cost", isNumber: true, cell: ({ cost, currency }) => formatMoney(cost, currency) },
  { name: "", isNumber: true, className: "py-1 whitespace-nowrap", cell: (label) => <LabelActions label={label} /> },
];

export function ShipmentLabels({ shipment }: { shipment: Shipment }) {
  const { data, error } = useQuery(labelsQuery({ shipmentId: shipment.id }));
  if (error) return <ProblemBox error={error} />;
  if (!data || data.data.length === 0) return null;
  return (
    <Card label="Labels">
      <RowTable label="Labels" rows={data.data} columns={labelColumns} idOf={({ id }) => id} />
    </Card>
  );
}
