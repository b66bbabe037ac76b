import type { ShipmentSummary } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { carrierAndService } from "../../ui/carrier-name.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { formatDay } from "../../ui/calendar.ts";
import { Empty } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
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
import { PrintButton } from "../documents/print-button.pick.tsx";
import type { ShipmentFilter } from "./shipments.queries.ts";
import { shipmentCountsQuery, shipmentsQuery } from "./shipments.queries.ts";
import { reportParams, useReportFilters, valueOfParam } from "./shipment-report-filters.ts";
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
  { kind: "days", from: "createdFrom", to: "createdTo", title: "Created" },
];
const taken = [
  "status",
  "riskReason",
  "carrier",
  "search",
  "orderId",
  "trackingNumber",
  ...reportParams,
  ...filters.flatMap((filter) => (filter.kind === "days" ? [filter.from, filter.to] : [])),
];

function filterOf(search: Search, page: number): ShipmentFilter {
  const given = taken.flatMap((name) => {
    const value = oneOf(search[name]);
    return value === undefined ? [] : [[name, valueOfParam(name, value)] as const];
  });
  return { ...Object.fromEntries(given), ...(oneOf(search["atRisk"]) ? { atRisk: true } : {}), page };
}

/** The status, and the risks that it does not say itself. */
export function ShipmentStatus({ shipment }: { shipment: Pick<ShipmentSummary, "status" | "riskReasons"> }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1">
      <Badge tone={shipmentTones[shipment.status] ?? "skip"}>
        {statusNames[shipment.status] ?? words(shipment.status)}
      </Badge>
      {shipment.riskReasons
        .filter((reason) => reason !== shipment.status)
        .map((reason) => (
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

const columnsWith = (
  selected: ReadonlySet<string>,
  toggle: (id: string, isOn: boolean) => void,
): Array<ListColumn<ShipmentSummary>> => [
  {
    name: "Select",
    cell: (one) => (
      <Checkbox
        label={`Select ${one.trackingNumber ?? "shipment"}`}
        isLabelHidden
        isChecked={selected.has(one.id)}
        onChange={(isOn) => toggle(one.id, isOn)}
      />
    ),
  },
  {
    name: "Tracking number",
    className: "whitespace-nowrap",
    cell: (one) => (
      <RecordLink href={paths.shipment(one.id)} className="font-mono text-sm">
        {one.trackingNumber ?? "No tracking number"}
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
    cell: (one) => carrierAndService(one.carrier, one.service) || "–",
  },
  {
    name: "To",
    className: "whitespace-nowrap text-muted",
    cell: ({ destination: to }) => (to ? [to.city, to.provinceCode ?? to.countryCode].filter(Boolean).join(", ") : "–"),
  },
  { name: "Promised", className: "whitespace-nowrap", cell: (one) => <Promised shipment={one} /> },
  { name: "Last update", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.lastEventAt} /> },
  { name: "Cost", isNumber: true, cell: (one) => formatMoney(one.cost, one.currency) },
];

export function ShipmentsPage() {
  const { search } = useSearchParams();
  const page = usePage();
  const shipments = useQuery(shipmentsQuery(filterOf(search, page)));
  const { data: counts } = useQuery(shipmentCountsQuery);
  const status = oneOf(search["status"]);
  const isRisk = oneOf(search["atRisk"]) !== undefined;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // While a list loads, the previous rows are still shown.
  const shown = shipments.isPlaceholderData ? [] : (shipments.data?.data ?? []);
  const chosen = shown.filter(({ id }) => selected.has(id));
  const toggle = (id: string, isOn: boolean): void =>
    setSelected((before) => (isOn ? new Set([...before, id]) : before.difference(new Set([id]))));
  const tabs = [
    { href: paths.shipments(), label: "All", count: counts?.total, isOn: !status && !isRisk },
    { href: paths.shipments({ atRisk: "true" }), label: "At risk", count: counts?.at_risk, isOn: isRisk },
    ...(["pre_transit", "in_transit", "out_for_delivery", "exception", "delivered"] as const).map((name) => ({
      href: paths.shipments({ status: name }),
      label: statusNames[name] ?? sentence(name),
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
        <Button
          disabledReason={shown.length === 0 && "There are no shipments on this page."}
          onClick={() => setSelected(chosen.length === shown.length ? new Set() : new Set(shown.map(({ id }) => id)))}
        >
          {chosen.length > 0 && chosen.length === shown.length ? "Clear selection" : "Select all on this page"}
        </Button>
        <PrintButton
          kind="primary"
          source={{ shipmentIds: chosen.map(({ id }) => id) }}
          kinds={["manifest", "labels", "packing_slips"]}
          label={chosen.length === 0 ? "Print manifest" : `Print manifest of ${chosen.length}`}
          disabledReason={chosen.length === 0 && "Select shipments first."}
        />
      </PageHead>
      <TabLinks label="Shipments by status" tabs={tabs} />
      <Filters filters={[...filters, ...useReportFilters()]} placeholder="Tracking or order number" />
      <ListCard
        label="Shipments"
        query={shipments}
        columns={columnsWith(selected, toggle)}
        idOf={(one) => one.id}
        empty={
          <Empty text={counts?.total === 0 ? text.none : text.nothing}>
            <Link href={counts?.total === 0 ? paths.orders() : paths.shipments()} className={buttonClass("plain")}>
              {counts?.total === 0 ? "Open orders" : "Clear filters"}
            </Link>
          </Empty>
        }
      />
    </>
  );
}
