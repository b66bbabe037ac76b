import type { Invoice, InvoiceAudit } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { formatDate } from "../../ui/calendar.ts";
import { Empty, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Figures } from "../../ui/figures.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { loadPart } from "../../ui/load-part.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { Time } from "../../ui/zone.tsx";
import { AuditButton } from "./audit.form.tsx";
import { AuditState } from "./audit-state.tsx";
import { CompareButton } from "./compare.form.tsx";
import { DifferenceCard } from "./difference.tsx";
import { amountsOf, countOf } from "./findings.text.ts";
import { auditQuery, findingCountsQuery, isAuditing } from "./findings.queries.ts";
import { InvoiceCharges } from "./invoice-charges.tsx";
import { InvoiceLines } from "./invoice-lines.tsx";
import { invoiceQuery, invoiceTotalsQuery } from "./invoices.queries.ts";
import { formatExact, formatName } from "./invoices.text.ts";

/** In one chunk with the page that leads to it. */
export { InvoiceParcelPage } from "./invoice-parcel.tsx";

// Loaded on demand: with its chart it is a third of this page's size.
const FindingList = lazy(loadPart(async () => ({ default: (await import("./finding-list.tsx")).FindingList })));
const AuditedParcels = lazy(
  loadPart(async () => ({ default: (await import("./audited-parcels.tsx")).AuditedParcels })),
);

const tabs = ["charges", "findings", "parcels", "lines"] as const;
const above = { href: paths.invoices(), name: "Invoices" };

export function InvoicePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(invoiceQuery(id))}>
      {(invoice) => <Shown invoice={invoice} key={id} />}
    </RecordPage>
  );
}

function Shown({ invoice }: { invoice: Invoice }) {
  const { search } = useSearchParams();
  const totals = useQuery(invoiceTotalsQuery(invoice.id));
  const me = useMe();
  useRefetchOn("invoice.*", ["invoices"], missingScope(me, "events:read") === undefined);
  const { data: audit } = useQuery(auditQuery(invoice.id));
  const { data: counts } = useQuery(findingCountsQuery({ invoiceId: invoice.id, state: "open" }));
  const tab = tabs.find((name) => name === oneOf(search["tab"])) ?? "charges";
  const href = (name: (typeof tabs)[number]): string =>
    paths.invoice(invoice.id, name === "charges" ? {} : { tab: name });
  const money = (amount: number): string => formatExact(amount, invoice.currency);
  const by = invoice.createdBy.name ?? invoice.createdBy.email;
  return (
    <>
      <PageHead
        above={above}
        title={invoice.number}
        name={`${invoice.carrier} ${invoice.number}`}
        note={invoice.carrier}
      >
        <Remove invoice={invoice} />
        <CompareButton label="Compare with a contract" invoices={[invoice]} />
        <AuditButton kind="primary" invoice={invoice} audit={audit} />
      </PageHead>
      <p className="mb-2.5 text-muted">
        {[
          invoice.date && `Invoice of ${formatDate(invoice.date)}`,
          invoice.account && `account ${invoice.account}`,
          formatName(invoice.format),
        ]
          .filter(Boolean)
          .join(", ")}
        , imported <Time at={invoice.createdAt} />
        {by && ` by ${by}`}
      </p>
      <div className="mb-3.5 flex flex-col gap-3.5">
        <Figures
          label="Totals"
          figures={[
            { label: "Amount of the invoice", value: money(invoice.amount) },
            { label: "Sum of the lines", value: money(invoice.chargedAmount) },
            {
              label: "Difference",
              value: money(invoice.difference),
              tone: invoice.difference === 0 ? "ok" : "bad",
            },
            { label: "Parcels", value: totals.data?.parcelCount ?? "–" },
            { label: "Lines", value: invoice.lineCount },
            {
              label: `At stake, ${plural(countOf(counts?.groups ?? []), "open finding")}`,
              value: counts ? amountsOf(counts.groups, invoice.currency) : "–",
              tone: countOf(counts?.groups ?? []) > 0 ? "bad" : undefined,
            },
          ]}
        />
        <AuditState invoice={invoice} audit={audit} />
        {invoice.difference !== 0 && <DifferenceCard invoice={invoice} />}
      </div>
      <TabLinks
        label="Parts of the invoice"
        tabs={[
          { href: href("charges"), label: "Charges", isOn: tab === "charges" },
          { href: href("findings"), label: "Findings", count: countOf(counts?.groups ?? []), isOn: tab === "findings" },
          { href: href("parcels"), label: "Parcels", count: audit?.parcels, isOn: tab === "parcels" },
          { href: href("lines"), label: "Lines", count: invoice.lineCount, isOn: tab === "lines" },
        ]}
      />
      {tab === "lines" && <InvoiceLines invoice={invoice} />}
      {tab === "charges" && <InvoiceCharges invoice={invoice} totals={totals} />}
      <Suspense fallback={<Skeleton rows={8} />}>
        {tab === "parcels" && <AuditedParcels invoice={invoice} />}
        {tab === "findings" && <FindingList invoice={invoice} none={<NoFindings invoice={invoice} audit={audit} />} />}
      </Suspense>
    </>
  );
}

function NoFindings({ invoice, audit }: { invoice: Invoice; audit: InvoiceAudit | undefined }) {
  if (!audit || isAuditing(audit)) return <Empty text="Findings appear here when the audit is complete." />;
  const isChecked = audit.carrierAccountId !== null && audit.status === "completed";
  return (
    <Empty
      text={
        isChecked
          ? `No open findings: nothing else was billed above the contract. ${formatCount(audit.audited)} of ${plural(audit.parcels, "parcel")} were compared.`
          : "The invoice was not compared with a contract yet. Choose the carrier account whose rate cards are the contract."
      }
    >
      {!isChecked && <AuditButton invoice={invoice} audit={audit} />}
    </Empty>
  );
}

function Remove({ invoice }: { invoice: Invoice }) {
  const router = useRouter();
  return (
    <ConfirmButton
      kind="quiet"
      isDangerous
      label="Delete"
      title={`Delete invoice ${invoice.number}?`}
      yes={`Delete ${plural(invoice.lineCount, "line")}`}
      disabledReason={missingScope(useMe(), "invoices:write")}
      run={async () => {
        await hub.call("DELETE /api/v1/invoices/{id}", { path: { id: invoice.id } });
        router.history.push(paths.invoices());
        await queryClient.invalidateQueries({ queryKey: ["invoices", "list"] });
      }}
    >
      <p>
        Deletes the invoice of {invoice.carrier} with its {plural(invoice.lineCount, "line")}. Comparisons that were
        made with it are kept. The same file can be imported again.
      </p>
    </ConfirmButton>
  );
}
