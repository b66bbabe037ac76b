import type { RateComparison, RateComparisonItem } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { paths } from "../../app/paths.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Chip } from "../../ui/chip.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatMoney, sentence, words } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, usePanel, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { inputClass } from "../../ui/text-field.tsx";
import { useLatest } from "../../ui/use-latest.ts";
import { RateItemPanel } from "./rate-item.panel.tsx";
import type { ItemFilter } from "./rate-comparisons.queries.ts";
import { itemsQuery, summaryQuery } from "./rate-comparisons.queries.ts";
import { itemTones, lineNames, reasonText } from "./rate-comparisons.text.ts";
import { Savings } from "./savings.tsx";

/** [name in the address, name in the API, label]. */
const filters: Array<[name: string, field: keyof ItemFilter, label: string]> = [
  ["zone", "zone", "Zone"],
  ["service", "serviceType", "Service"],
  ["state", "destinationState", "To"],
  ["status", "status", "Status"],
  ["reason", "reason", "Reason"],
  ["outcome", "outcome", "Outcome"],
  ["basis", "basis", "Weight from"],
  ["residential", "residential", "Address"],
  ["target", "targetService", "Service of the contract"],
  ["charge", "charge", "Price component"],
  ["chargeType", "chargeType", "Charge on the invoice"],
];
/** Filters with a dropdown or in the menu; the others come with links and show as chips. */
const chosen = new Set(["outcome", "status", "basis", "residential", "target", "charge", "chargeType"]);
const statuses = [
  { value: "", label: "All statuses" },
  ...["rated", "estimated", "unrateable", "invalid", "excluded"].map((value) => ({ value, label: sentence(value) })),
];
const bases = [
  { value: "", label: "Weight from any source" },
  { value: "weight", label: "Weight of the item" },
  { value: "shipment", label: "Weight of the shipment" },
  { value: "inferred", label: "Estimated from the amount" },
  { value: "profile", label: "Typical weights" },
  { value: "flat", label: "No weight needed" },
];
const sorts = [
  { value: "", label: "File order" },
  { value: "-savings", label: "Largest savings" },
  { value: "savings", label: "Largest extra cost" },
  { value: "-netCost", label: "Highest paid" },
  { value: "zone", label: "By zone" },
];
const outcomes = [
  { value: "", label: "All outcomes" },
  { value: "win", label: "Cheaper" },
  { value: "loss", label: "More expensive" },
  { value: "tie", label: "The same" },
];

/** Filters of the menu. Services and components are those of the summary. */
function useMoreFilters(comparison: RateComparison): ListFilter[] {
  const { data } = useQuery({ ...summaryQuery(comparison), enabled: comparison.revision > 0 });
  const services = [...new Set((data?.serviceBreakdown ?? []).map(({ targetService }) => targetService))];
  const surcharges = Object.keys(data?.costBreakdown.target.surcharges ?? {});
  const codes = ["base", "discount", "minimum", "fuel", ...surcharges];
  return [
    {
      kind: "choice",
      param: "residential",
      title: "Address",
      options: [
        { value: "true", label: "Residential" },
        { value: "false", label: "Commercial" },
      ],
    },
    {
      kind: "choice",
      param: "target",
      title: "Service of the contract",
      options: services.map((value) => ({ value, label: value })),
    },
    {
      kind: "choice",
      param: "charge",
      title: "Price component",
      options: codes.map((value) => ({ value, label: lineNames[value] ?? sentence(value) })),
    },
    { kind: "text", param: "chargeType", title: "Charge on the invoice" },
  ];
}

function itemFilterOf(search: Search): ItemFilter {
  const given = [...filters, ["search", "search", ""] as const, ["sort", "sort", ""] as const].flatMap(
    ([name, field]) => {
      const value = oneOf(search[name]);
      return value ? [[field, value] as const] : [];
    },
  );
  return Object.fromEntries(given);
}

const Unknown = () => <span className="text-muted">–</span>;

const placeOf = (item: RateComparisonItem, end: "origin" | "destination"): string =>
  [item[`${end}City`] ?? item[`${end}Zip`], item[`${end}State`]].filter(Boolean).join(" ") || "?";

function columnsOf(comparison: RateComparison): Array<ListColumn<RateComparisonItem>> {
  const money = (amount: number | null): string => formatMoney(amount, comparison.currency);
  return [
    {
      name: "Item",
      className: "font-mono text-sm whitespace-nowrap",
      cell: (item) => <ItemLink item={item} />,
    },
    {
      name: "Route",
      className: "max-w-64 truncate",
      cell: (item) => `${placeOf(item, "origin")} → ${placeOf(item, "destination")}`,
    },
    { name: "Zone", cell: (item) => item.zone ?? <Unknown /> },
    { name: "Service", className: "max-w-36 truncate", cell: (item) => item.serviceType || <Unknown /> },
    {
      name: "Weight",
      isNumber: true,
      className: "whitespace-nowrap",
      cell: (item) => <Weights item={item} />,
    },
    { name: "Paid", isNumber: true, cell: (item) => money(item.netCost) },
    { name: "Would pay", isNumber: true, cell: (item) => money(item.targetCost) },
    {
      name: "Saves",
      isNumber: true,
      className: "whitespace-nowrap",
      cell: (item) => <Savings amount={item.savings} currency={comparison.currency} />,
    },
    {
      name: "Why",
      className: "max-w-72 min-w-48 truncate text-muted",
      cell: (item) =>
        item.reason ? (
          <span className="inline-flex items-center gap-1.5">
            <Badge tone={itemTones[item.status] ?? "skip"}>{words(item.status)}</Badge>
            {reasonText(item.reason)}
          </span>
        ) : (
          item.lines
            .map(({ code, amount }) => `${(lineNames[code] ?? words(code)).toLowerCase()} ${amount.toFixed(2)}`)
            .join(", ")
        ),
    },
  ];
}

/** The weight of the file, and the weight it is billed at where that differs. */
function Weights({ item: { weight, ratedWeight: billed } }: { item: RateComparisonItem }) {
  const isSame = weight && billed && weight.value === billed.value && weight.unit === billed.unit;
  if (!weight && !billed) return <Unknown />;
  return (
    <>
      {weight ? `${weight.value} ${weight.unit}` : <Unknown />}
      {billed && !isSame && (
        <span className="ms-1.5 text-sm text-muted">{`billed ${billed.value} ${billed.unit}`}</span>
      )}
    </>
  );
}

function ItemLink({ item }: { item: RateComparisonItem }) {
  const { show } = usePanel("item");
  return (
    <button
      type="button"
      onClick={() => show(String(item.index))}
      aria-label={`${item.trackingNumber}: why this price`}
      className="inline-flex min-h-6 items-center text-accent-text hover:underline"
    >
      {item.trackingNumber}
    </button>
  );
}

/** List of items with filters and the open one. */
export function RateItems({ comparison }: { comparison: RateComparison }) {
  const { search, set } = useSearchParams();
  const { show } = usePanel("item");
  const filter = itemFilterOf(search);
  const more = useMoreFilters(comparison);
  const items = useQuery(itemsQuery(comparison, filter, usePage()));
  const change = (next: Search): void => set({ ...next, page: undefined, item: undefined });
  const on = filters.filter(([name]) => !chosen.has(name) && oneOf(search[name]));
  const isFiltered = Object.keys(filter).some((name) => name !== "sort");
  const dropAll = Object.fromEntries([...filters.map(([name]) => name), "search"].map((name) => [name, undefined]));
  return (
    <>
      <div className="mb-2.5 flex flex-wrap items-center gap-1.5">
        <SearchField value={oneOf(search["search"]) ?? ""} onChange={(text) => change({ search: text || undefined })} />
        {on.map(([name, , label]) => (
          <Chip
            key={name}
            name={label}
            value={name === "reason" ? reasonText(oneOf(search[name])!) : valueOf(name, oneOf(search[name])!)}
            onDrop={() => change({ [name]: undefined })}
          />
        ))}
        <div className="w-36">
          <Select
            label="Outcome"
            isLabelHidden
            value={oneOf(search["outcome"]) ?? ""}
            options={outcomes}
            onChange={(outcome) => change({ outcome: outcome || undefined })}
          />
        </div>
        <div className="w-36">
          <Select
            label="Status"
            isLabelHidden
            value={oneOf(search["status"]) ?? ""}
            options={statuses}
            onChange={(status) => change({ status: status || undefined })}
          />
        </div>
        <div className="w-52">
          <Select
            label="Weight from"
            isLabelHidden
            value={oneOf(search["basis"]) ?? ""}
            options={bases}
            onChange={(basis) => change({ basis: basis || undefined })}
          />
        </div>
        <div className="w-48">
          <Select
            label="Sorted by"
            isLabelHidden
            value={oneOf(search["sort"]) ?? ""}
            options={sorts}
            onChange={(sort) => change({ sort: sort || undefined })}
          />
        </div>
      </div>
      <Filters filters={more} />
      <ListCard
        label="Items"
        query={items}
        columns={columnsOf(comparison)}
        idOf={(item) => String(item.index)}
        onOpen={(item) => show(String(item.index))}
        empty={
          <Empty text={isFiltered ? "No items match these filters." : "The comparison has no items."}>
            {isFiltered ? (
              <Button onClick={() => change(dropAll)}>All items</Button>
            ) : (
              <Link href={paths.newRate()}>Another file</Link>
            )}
          </Empty>
        }
      />
      <RateItemPanel comparison={comparison} />
    </>
  );
}

const valueOf = (name: string, value: string): string => (name === "status" ? words(value) : value);

function SearchField({ value, onChange }: { value: string; onChange(text: string): void }) {
  const [typed, setTyped] = useState(value);
  const latest = useLatest(onChange);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(() => latest.current(typed.trim()), 250);
    return () => clearTimeout(timer);
  }, [typed, value, latest]);
  return (
    <input
      type="search"
      aria-label="Search items"
      placeholder="Tracking number, city, ZIP"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
      className={`${inputClass} max-w-56`}
    />
  );
}
