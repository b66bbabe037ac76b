import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { formatDate } from "../../ui/calendar.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import type { ListFilter } from "../../ui/filters.tsx";
import { Filters } from "../../ui/filters.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Link, RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import { CompareButton } from "./compare.form.tsx";
import { Difference } from "./difference.tsx";
import { InvoiceTabs } from "./invoice-tabs.tsx";
import type { InvoiceFilter } from "./invoices.queries.ts";
import { invoicesQuery } from "./invoices.queries.ts";
import { formatExact } from "./invoices.text.ts";

const filters: ListFilter[] = [
  { kind: "text", param: "carrier", title: "Carrier" },
  { kind: "text", param: "number", title: "Number" },
  { kind: "text", param: "account", title: "Account" },
  { kind: "days", from: "from", to: "to", title: "Invoice date" },
  {
    kind: "choice",
    param: "hasDifference",
    title: "Total",
    options: [
      { value: "true", label: "Differs from the lines" },
      { value: "false", label: "Matches the lines" },
    ],
  },
];

function filterOf(search: Search): InvoiceFilter {
  const texts = ["carrier", "number", "account", "from", "to"].flatMap((name) => {
    const value = oneOf(search[name]);
    return value ? [[name, value] as const] : [];
  });
  const difference = oneOf(search["hasDifference"]);
  return { ...Object.fromEntries(texts), ...(difference ? { hasDifference: difference === "true" } : {}) };
}

const columnsWith = (
  selected: ReadonlySet<string>,
  toggle: (id: string, isOn: boolean) => void,
): Array<ListColumn<Invoice>> => [
  {
    name: "Select",
    cell: (one) => (
      <Checkbox
        label={`Select ${one.number}`}
        isLabelHidden
        isChecked={selected.has(one.id)}
        onChange={(isOn) => toggle(one.id, isOn)}
      />
    ),
  },
  {
    name: "Number",
    className: "max-w-64 truncate",
    cell: (one) => (
      <RecordLink href={paths.invoice(one.id)} className="font-mono text-sm">
        {one.number}
      </RecordLink>
    ),
  },
  { name: "Carrier", className: "max-w-48 truncate", cell: (one) => one.carrier },
  { name: "Account", className: "max-w-40 truncate text-muted", cell: (one) => one.account ?? "–" },
  { name: "Date", className: "whitespace-nowrap", cell: (one) => formatDate(one.date) },
  { name: "Lines", isNumber: true, cell: (one) => formatCount(one.lineCount) },
  { name: "Amount", isNumber: true, cell: (one) => formatExact(one.amount, one.currency) },
  {
    name: "Difference",
    isNumber: true,
    className: "whitespace-nowrap",
    cell: (one) => <Difference amount={one.difference} currency={one.currency} />,
  },
  { name: "Imported", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.createdAt} /> },
];

/** Carrier invoices with their totals. */
export function InvoicesPage() {
  const { search } = useSearchParams();
  const me = useMe();
  const filter = filterOf(search);
  const invoices = useQuery(invoicesQuery(filter, usePage()));
  useRefetchOn("invoice.*", ["invoices"], missingScope(me, "events:read") === undefined);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string, isOn: boolean): void =>
    setSelected((before) => (isOn ? new Set([...before, id]) : before.difference(new Set([id]))));
  // While a list loads, the previous rows are still shown.
  const shown = invoices.isPlaceholderData ? [] : (invoices.data?.data ?? []);
  const chosen = shown.filter(({ id }) => selected.has(id));
  const isFiltered = Object.keys(filter).length > 0;
  const importLink = (
    <Link href={paths.invoiceImport()} className={buttonClass("primary")}>
      Import invoices
    </Link>
  );
  const isNone = invoices.data?.pagination.total === 0 && !isFiltered;
  return (
    <>
      <PageHead title="Invoices">
        {!isNone && (
          <>
            <FindParcel />
            <CompareButton
              label={chosen.length === 0 ? "Compare with a contract" : `Compare ${plural(chosen.length, "invoice")}`}
              invoices={chosen}
              dates={{ from: filter.from ?? "", to: filter.to ?? "" }}
            />
            {importLink}
          </>
        )}
      </PageHead>
      <InvoiceTabs />
      {!isNone && <Filters filters={filters} />}
      <ListCard
        label="Invoices"
        query={invoices}
        columns={columnsWith(selected, toggle)}
        idOf={(one) => one.id}
        empty={
          isFiltered ? (
            <Empty text="No invoices match these filters.">
              <Link href={paths.invoices()} className={buttonClass("plain")}>
                Clear filters
              </Link>
            </Empty>
          ) : (
            <Empty
              icon="note"
              title="No carrier invoices yet"
              text="Import the file that the carrier sends. Every charge is compared with your contract, and what was billed too much can be claimed."
            >
              {importLink}
            </Empty>
          )
        }
      />
    </>
  );
}

/** All charges of one parcel, whichever invoice they are on. */
function FindParcel() {
  const router = useRouter();
  const [typed, setTyped] = useState("");
  const number = typed.trim();
  return (
    <Popover title="Find a parcel" triggerClass={buttonClass("quiet")} trigger="Find a parcel">
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          if (number) router.history.push(paths.invoiceParcel(number));
        }}
      >
        <TextField label="Tracking number" value={typed} maxLength={100} onChange={setTyped} />
        <div>
          <Button kind="primary" type="submit" disabledReason={!number && "Enter a tracking number."}>
            Show charges
          </Button>
        </div>
      </form>
    </Popover>
  );
}
