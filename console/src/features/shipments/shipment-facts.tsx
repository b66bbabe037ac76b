import type { Address, Label, Shipment } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { valueText } from "../../ui/change-text.ts";
import { Card } from "../../ui/card.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Fact, Facts } from "../../ui/facts.tsx";
import { carrierAndService, serviceName } from "../../ui/carrier-name.ts";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { RowTable } from "../../ui/table.tsx";
import { formatTime, Time, useClock } from "../../ui/zone.tsx";
import { addressLines } from "../orders/address-lines.pick.ts";
import { LabelActions } from "./label-actions.tsx";
import { labelsQuery } from "./labels.queries.ts";
import { promiseState, promiseText, ruleText } from "./promise.pick.ts";
import { labelNames, shipmentTones, sourceNames, statusNames } from "./shipments.text.ts";

const isId = (value: unknown): boolean =>
  typeof value === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** An address on lines. */
function AddressText({ at }: { at: Address | null }) {
  if (!at) return null;
  const lines = addressLines(at);
  return (
    <address className="not-italic">
      {lines.map((line, index) => (
        <span key={index} className="block">
          {line}
        </span>
      ))}
    </address>
  );
}

/** What the carrier has billed for the parcel. */
function ChargesLink({ shipment: { trackingNumber } }: { shipment: Shipment }) {
  const isHidden = missingScope(useMe(), "invoices:read") !== undefined;
  if (isHidden || trackingNumber === null) return null;
  return (
    <Link href={paths.invoiceParcel(trackingNumber)} className="text-accent-text underline underline-offset-2">
      Invoice charges
    </Link>
  );
}

export function ShipmentFacts({ shipment }: { shipment: Shipment }) {
  const { orderNumber, promiseRule, weight } = shipment;
  const state = promiseState(shipment);
  return (
    <Facts>
      <Fact name="Order">
        {orderNumber && (
          <Link href={paths.order(orderNumber)} className="font-mono text-accent-text hover:underline">
            {orderNumber}
          </Link>
        )}
      </Fact>
      <Fact name="Carrier">{carrierAndService(shipment.carrier, shipment.service)}</Fact>
      <Fact name="Tracking number">
        {shipment.trackingNumber && <CopyText text={shipment.trackingNumber} label="Copy tracking number" />}
      </Fact>
      <Fact name="Promised">
        {promiseText(shipment)}
        {state && (
          <span className="ms-2">
            <Badge tone={state.tone}>{state.text}</Badge>
          </span>
        )}
        {promiseRule && <span className="block text-sm text-muted">{ruleText(promiseRule)}</span>}
      </Fact>
      <Fact name="Estimated">
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
      <Fact name="To">
        <AddressText at={shipment.destination} />
      </Fact>
      <Fact name="From">
        <AddressText at={shipment.origin} />
      </Fact>
      <Fact name="Zone">{shipment.zone}</Fact>
      <Fact name="Package">{weight && `${weight.value} ${weight.unit}`}</Fact>
      <Fact name="Cost" note={<ChargesLink shipment={shipment} />}>
        {shipment.cost === null ? null : formatMoney(shipment.cost, shipment.currency)}
      </Fact>
      <Fact name="Source">{sourceNames[shipment.source] ?? sentence(shipment.source)}</Fact>
      <Fact name="Last checked">
        <Time at={shipment.lastPolledAt} />
      </Fact>
      {Object.entries(shipment.metadata)
        .filter(([, value]) => !isId(value))
        .map(([name, value]) => (
          <Fact key={name} name={sentence(name)}>
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
            {event.carrierStatus && <p className="text-sm text-faint">Carrier status: {event.carrierStatus}</p>}
          </div>
        </li>
      ))}
    </ol>
  );
}

const labelColumns: Array<ListColumn<Label>> = [
  { name: "Service", cell: ({ service }) => serviceName(service) },
  {
    name: "Status",
    cell: ({ status, isVoidPending }) => (isVoidPending ? "Void pending" : (labelNames[status] ?? words(status))),
  },
  { name: "Bought", className: "whitespace-nowrap text-muted", cell: ({ purchasedAt }) => <Time at={purchasedAt} /> },
  { name: "Printed", className: "whitespace-nowrap text-muted", cell: ({ printedAt }) => <Time at={printedAt} /> },
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
