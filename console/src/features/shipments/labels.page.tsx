import type { Label } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import type { Me } from "../../live/me.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { carrierAndService } from "../../ui/carrier-name.ts";
import { formatMoney, plural, words } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import type { Tone } from "../../ui/tone.ts";
import { Time } from "../../ui/zone.tsx";
import { labelCan } from "./label.can.ts";
import { LabelActions } from "./label-actions.tsx";
import { labelsQuery } from "./labels.queries.ts";
import { PrintButton } from "../documents/print-button.pick.tsx";
import { labelNames, text } from "./shipments.text.ts";

const tones: Record<string, Tone> = { requested: "warn", purchased: "ok", failed: "bad", voided: "skip" };
const statuses = ["purchased", "requested", "failed", "voided"];

const columnsWith = (
  picked: ReadonlySet<string>,
  me: Me,
  toggle: (id: string, isOn: boolean) => void,
): Array<ListColumn<Label>> => [
  {
    name: "Select",
    cell: (label) =>
      labelCan.print(label, me) ? null : (
        <Checkbox
          label={`Select ${label.trackingNumber ?? "label"}`}
          isLabelHidden
          isChecked={picked.has(label.id)}
          onChange={(isOn) => toggle(label.id, isOn)}
        />
      ),
  },
  {
    name: "Tracking number",
    className: "whitespace-nowrap",
    cell: (label) =>
      label.shipmentId ? (
        <RecordLink href={paths.shipment(label.shipmentId)} className="font-mono text-sm">
          {label.trackingNumber ?? "Shipment"}
        </RecordLink>
      ) : (
        <span className="text-muted">{label.trackingNumber ?? "–"}</span>
      ),
  },
  {
    name: "Status",
    className: "whitespace-nowrap",
    cell: (label) => (
      <>
        <Badge tone={tones[label.status] ?? "skip"}>
          {label.isVoidPending ? "Void pending" : (labelNames[label.status] ?? words(label.status))}
        </Badge>
        {label.failure && <span className="ms-1.5 text-sm text-bad">{label.failure.message}</span>}
      </>
    ),
  },
  {
    name: "Printed",
    className: "whitespace-nowrap text-muted",
    cell: ({ printedAt, printCount }) => (
      <>
        {printedAt === null ? "–" : <Time at={printedAt} />}
        {printCount > 1 && `, ${printCount} times`}
      </>
    ),
  },
  {
    name: "Order",
    className: "whitespace-nowrap",
    cell: ({ orderId, reference }) =>
      orderId ? (
        <RecordLink href={paths.order(orderId)} className="font-mono text-sm">
          {reference ?? "Order"}
        </RecordLink>
      ) : (
        (reference ?? "–")
      ),
  },
  {
    name: "To",
    className: "whitespace-nowrap text-muted",
    cell: ({ to }) => [to.name, to.city, to.provinceCode].filter(Boolean).join(", ") || "–",
  },
  { name: "Service", className: "whitespace-nowrap", cell: (label) => carrierAndService(label.carrier, label.service) },
  {
    name: "Bought",
    className: "whitespace-nowrap text-muted",
    cell: (label) => <Time at={label.purchasedAt ?? label.createdAt} />,
  },
  { name: "Cost", isNumber: true, cell: (label) => formatMoney(label.cost, label.currency) },
  {
    name: "Actions",
    isNumber: true,
    className: "whitespace-nowrap",
    cell: (label) => <LabelActions label={label} />,
  },
];

const filters: ListFilter[] = [
  { kind: "text", param: "carrier", title: "Carrier" },
  { kind: "days", from: "createdFrom", to: "createdTo", title: "Requested" },
];
const filterParams = ["carrier", "createdFrom", "createdTo"] as const;

/** Purchased labels with their files. */
export function LabelsPage() {
  const { search } = useSearchParams();
  const status = oneOf(search["status"]);
  const isUnprinted = oneOf(search["isPrinted"]) === "false";
  const runId = oneOf(search["runId"]);
  const page = usePage();
  const given = filterParams.flatMap((name) => (oneOf(search[name]) ? [[name, oneOf(search[name])!] as const] : []));
  const filter = {
    ...(status ? { status } : {}),
    ...(isUnprinted ? { isPrinted: false } : {}),
    ...(runId ? { runId } : {}),
    ...Object.fromEntries(given),
  };
  const labels = useQuery(labelsQuery({ page, ...filter }));
  const me = useMe();
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  // While a list loads, the previous rows are still shown.
  const shown = labels.isPlaceholderData ? [] : (labels.data?.data ?? []);
  const printable = shown.filter((label) => !labelCan.print(label, me));
  const chosen = printable.filter(({ id }) => picked.has(id));
  const ofRun = runId ? { runId } : {};
  const tabs = [
    { href: paths.labels(ofRun), label: "All", isOn: !status },
    {
      href: paths.labels({ ...ofRun, status: "purchased", isPrinted: "false" }),
      label: "Not printed",
      isOn: status === "purchased" && isUnprinted,
    },
    ...statuses.map((name) => ({
      href: paths.labels({ ...ofRun, status: name }),
      label: labelNames[name] ?? name,
      isOn: status === name && !isUnprinted,
    })),
  ];
  const toggle = (id: string, isOn: boolean): void =>
    setPicked((before) => (isOn ? new Set([...before, id]) : before.difference(new Set([id]))));
  const columns = columnsWith(picked, me, toggle);
  return (
    <>
      <PageHead above={{ href: paths.shipments(), name: "Shipments" }} title="Labels">
        <Button
          disabledReason={
            missingScope(me, "pii:read") ?? (printable.length === 0 && "No label on this page can be printed.")
          }
          onClick={() =>
            setPicked(chosen.length === printable.length ? new Set() : new Set(printable.map(({ id }) => id)))
          }
        >
          {chosen.length > 0 && chosen.length === printable.length ? "Clear selection" : "Select all on this page"}
        </Button>
        <Link href={paths.newLabel()} className={buttonClass("plain")}>
          Buy a label
        </Link>
        <PrintButton
          kind="primary"
          source={runId && chosen.length === 0 ? { runId } : { labelIds: chosen.map(({ id }) => id) }}
          kinds={["labels", "packing_slips", "manifest"]}
          label={chosen.length === 0 ? "Print labels" : `Print ${plural(chosen.length, "label")}`}
          disabledReason={chosen.length === 0 && !runId && "Select labels first."}
        />
      </PageHead>
      <TabLinks label="Labels by status" tabs={tabs} />
      <Filters filters={filters} />
      {runId && (
        <p className="mb-2 flex items-center gap-2 text-muted">
          Labels bought by
          <RecordLink href={paths.run(runId)}>this run</RecordLink>
          <Link href={paths.labels()} className={buttonClass("quiet")}>
            Show all labels
          </Link>
        </p>
      )}
      <ListCard
        label="Labels"
        query={labels}
        columns={columns}
        idOf={(label) => label.id}
        empty={
          <Empty text={isUnprinted ? text.allPrinted : status ? `No labels are ${words(status)}.` : text.noLabels}>
            <Link href={paths.newLabel()} className={buttonClass("plain")}>
              Buy a label
            </Link>
          </Empty>
        }
      />
    </>
  );
}
