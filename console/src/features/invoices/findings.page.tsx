import { paths } from "../../app/paths.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Empty } from "../../ui/card.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { FindingList } from "./finding-list.tsx";
import { InvoiceTabs } from "./invoice-tabs.tsx";

/** In one chunk with the pages that lead to it. */
export { AuditedParcelPage } from "./audited-parcel.tsx";

/** Findings of all invoices. */
export function FindingsPage() {
  useRefetchOn("invoice.*", ["invoices"], missingScope(useMe(), "events:read") === undefined);
  return (
    <>
      <PageHead above={{ href: paths.invoices(), name: "Invoices" }} title="Findings" />
      <InvoiceTabs isFindings />
      <FindingList
        none={
          <Empty
            icon="money"
            title="No open findings"
            text="A finding is a charge above your contract: a wrong rate, a missing discount, a parcel billed twice. Import an invoice and audit it against a contract."
          >
            <Link href={paths.invoiceImport()} className={buttonClass("primary")}>
              Import invoices
            </Link>
          </Empty>
        }
      />
    </>
  );
}
