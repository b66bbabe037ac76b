import type { Invoice, InvoiceAudit } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { contractsQuery } from "../carrier-accounts/carrier-account.queries.ts";
import { isAuditing } from "./findings.queries.ts";
import { notAuditedText } from "./findings.text.ts";

const linkClass = "text-accent-text underline underline-offset-2";

/** What the audit has compared, and what it could not. */
export function AuditState({ invoice, audit }: { invoice: Invoice; audit: InvoiceAudit | undefined }) {
  if (!audit) return null;
  if (isAuditing(audit)) {
    return (
      <p role="status" className="text-muted">
        The invoice is being audited. Findings appear here when the audit is complete.
      </p>
    );
  }
  if (audit.status === "failed") {
    return (
      <p role="alert" className="text-bad">
        The audit failed: {audit.error?.message ?? "the reason is unknown."} Audit the invoice again.
      </p>
    );
  }
  const { carrierAccountId, carrierAccounts } = audit;
  if (carrierAccountId === null && carrierAccounts.length === 0) {
    return (
      <p className="text-warn">
        No contract is chosen, so prices are not checked: only parcels that were billed twice, voided or not shipped are
        found. Audit the invoice against a contract.
      </p>
    );
  }
  return (
    <p className="text-muted">
      Audited against{" "}
      {carrierAccounts.map((one, at) => (
        <Fragment key={one.carrier}>
          {at > 0 && ", "}
          <ContractLink id={one.carrierAccountId} /> ({one.carrier})
        </Fragment>
      ))}
      {carrierAccountId !== null && (
        <>
          {carrierAccounts.length > 0 && ", for the rest "}
          <ContractLink id={carrierAccountId} />
        </>
      )}
      : {formatCount(audit.audited)} of {plural(audit.parcels, "parcel")} compared
      {audit.notAudited.map(({ reason, parcels }, at) => (
        <span key={reason}>
          {at === 0 ? ". Not compared: " : ", "}
          <Link href={paths.invoice(invoice.id, { tab: "parcels", reason })} className={linkClass}>
            {formatCount(parcels)} {notAuditedText(reason)}
          </Link>
        </span>
      ))}
      .
    </p>
  );
}

/** The account by its name, for those who may see it. */
export function ContractLink({ id }: { id: string }) {
  const mayRead = missingScope(useMe(), "carrier_accounts:read") === undefined;
  const { data } = useQuery({ ...contractsQuery, enabled: mayRead });
  if (!mayRead) return <>the contract</>;
  return (
    <Link href={paths.carrier(id, { tab: "cards" })} className={linkClass}>
      {data?.find((one) => one.id === id)?.name ?? "the contract"}
    </Link>
  );
}
