import type { ShipmentSummary } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { formatDay } from "../../ui/calendar.ts";
import { Empty } from "../../ui/card.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import type { ShipmentFilter } from "./shipments.queries.ts";
import { shipmentCountsQuery, shipmentsQuery } from "./shipments.queries.ts";
import { riskNames, shipmentTones, statusNames, text } from "./shipments.text.ts";

const filters: ListFilter[] = [
  {
    kind: "choice",
    param: "status",
    title: "Status",
    options: [
      "pre_transit",
      "in_transit",
      "out_for_delivery",
      "ready_for_pickup",
      "attempt_failed",
      "exception",
      "delivered",
      "returned",
      "cancelled",
      "unknown",
    ].map((value) => ({ value, label: statusNames[value] ?? words(value) })),
  },
  {
    kind: "choice",
    param: "riskReason",
    title: "Risk",
    options: Object.entries(riskNames).map(([value, label]) => ({ value, label })),
  },
  { kind: "text", param: "carrier", title: "Carrier" },
  { kind: "days", from: "shippedFrom", to: "shippedTo", title: "Shipped" },
  { kind: "days", from: "promisedFrom", to: "promisedTo", title: "Promised" },
  { kind: "days", from: "deliveredFrom", to: "deliveredTo", title: "Delivered" },
  { kind: "days", from: "createdFrom", to: "createdTo", title: "Recorded" },
];
const taken = [
  "status",
  "riskReason",
  "carrier",
  "search",
  "orderId",
  "trackingNumber",
  ...filters.flatMap((filter) => (filter.kind === "days" ? [filter.from, filter.to] : [])),
];

function filterOf(search: Search, page: number): ShipmentFilter {
  const given = taken.flatMap((name) => {
    const value = oneOf(search[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(given), ...(oneOf(search["atRisk"]) ? { atRisk: true } : {}), page };
}

export function ShipmentStatus({ shipment }: { shipment: Pick<ShipmentSummary, "status" | "riskReasons"> }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <Badge tone={shipmentTones[shipment.status] ?? "skip"}>
        {statusNames[shipment.status] ?? words(shipment.status)}
      </Badge>
      {shipment.riskReasons.map((reason) => (
        <Badge key={reason} tone="bad">
          {riskNames[reason] ?? words(reason)}
        </Badge>
      ))}
    </span>
  );
}

function Promised({ shipment }: { shipment: ShipmentSummary }) {
  if (!shipment.promisedDate) return <span className="text-muted">–</span>;
  const isLate = shipment.riskReasons.includes("late");
  return <span className={isLate ? "font-medium text-bad" : ""}>{formatDay(shipment.promisedDate)}</span>;
}

const columns: Array<ListColumn<ShipmentSummary>> = [
  {
    name: "Tracking number",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.shipment(one.id)} className="font-mono text-sm">
        {one.trackingNumber ?? "no number"}
      </RecordLink>
    ),
  },
  { name: "Status", className: "whitespace-nowrap", cell: (one) => <ShipmentStatus shipment={one} /> },
  {
    name: "Order",
    className: "whitespace-nowrap",
    cell: (one) =>
      one.orderNumber ? (
        <RecordLink href={paths.order(one.orderNumber)} className="font-mono text-sm">
          {one.orderNumber}
        </RecordLink>
      ) : (
        <span className="text-muted">–</span>
      ),
  },
  {
    name: "Carrier",
    className: "whitespace-nowrap",
    cell: (one) => [one.carrier, one.service].filter(Boolean).join(", ") || "–",
  },
  {
    name: "To",
    className: "whitespace-nowrap text-muted",
    cell: ({ destination: to }) => (to ? [to.city, to.provinceCode ?? to.countryCode].filter(Boolean).join(", ") : "–"),
  },
  { name: "Promised", className: "whitespace-nowrap", cell: (one) => <Promised shipment={one} /> },
  { name: "Last news", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.lastEventAt} /> },
  { name: "Cost", isNumber: true, cell: (one) => formatMoney(one.cost, one.currency) },
];

export function ShipmentsPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const shipments = useQuery(shipmentsQuery(filterOf(search, page)));
  const { data: counts } = useQuery(shipmentCountsQuery);
  const status = oneOf(search["status"]);
  const isRisk = oneOf(search["atRisk"]) !== undefined;
  const tabs = [
    { href: paths.shipments(), label: "All", count: counts?.total, isOn: !status && !isRisk },
    { href: paths.shipments({ atRisk: "true" }), label: "At risk", count: counts?.at_risk, isOn: isRisk },
    ...(["pre_transit", "in_transit", "out_for_delivery", "exception", "delivered"] as const).map((name) => ({
      href: paths.shipments({ status: name }),
      label: sentence(statusNames[name] ?? name),
      count: counts?.[name],
      isOn: status === name && !isRisk,
    })),
  ];
  return (
    <>
      <PageHead title="Shipments">
        <Link href={paths.labels()} className={buttonClass("plain")}>
          Labels
        </Link>
      </PageHead>
      <TabLinks label="Shipments by status" tabs={tabs} />
      <Filters filters={filters} placeholder="Tracking or order number" />
      <ListCard
        label="Shipments"
        query={shipments}
        columns={columns}
        idOf={(one) => one.id}
        empty={
          <Empty text={counts?.total === 0 ? text.none : text.nothing}>
            <Link href={counts?.total === 0 ? paths.orders() : paths.shipments()} className={buttonClass("plain")}>
              {counts?.total === 0 ? "To the orders" : "Drop all filters"}
            </Link>
          </Empty>
        }
      />
    </>
  );
}
