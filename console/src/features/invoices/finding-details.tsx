import type { Finding } from "@order-operations-hub/sdk/api-types";
import { paths } from "../../app/paths.ts";
import { formatDate } from "../../ui/calendar.ts";
import { Badge } from "../../ui/badge.tsx";
import { FactList } from "../../ui/facts.tsx";
import { sentence } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { Time } from "../../ui/zone.tsx";
import { FindingActions } from "./decide-findings.form.tsx";
import { confidenceNotes, evidenceFacts, findingTone } from "./findings.text.ts";
import { formatExact } from "./invoices.text.ts";

/** Evidence of a finding in words, its state, and what can be done. */
export function FindingDetails({ finding, hasParcel = false }: { finding: Finding; hasParcel?: boolean }) {
  const { evidence, currency, decidedBy } = finding;
  const money = (amount: number): string => formatExact(amount, currency);
  const by = decidedBy && (decidedBy.name ?? decidedBy.email);
  return (
    <div className="flex flex-col gap-2.5">
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <Badge tone={findingTone(finding.state)}>{sentence(finding.state)}</Badge>
        <strong className="text-lg tabular-nums">{money(finding.amount)}</strong>
        <span className="text-muted">
          too much: {money(evidence.billed)} billed, {money(evidence.expected)} by the contract
        </span>
      </p>
      <p>{evidence.rule}.</p>
      <FactList
        facts={[
          !hasParcel && [
            "Parcel",
            <RecordLink
              key="parcel"
              href={paths.auditedParcel(finding.invoiceId, finding.trackingNumber)}
              className="font-mono text-sm"
            >
              {finding.trackingNumber}
            </RecordLink>,
          ],
          !hasParcel && [
            "Invoice",
            <RecordLink key="invoice" href={paths.invoice(finding.invoiceId)} className="font-mono text-sm">
              {finding.invoiceNumber}
            </RecordLink>,
          ],
          !hasParcel && ["Service", finding.service],
          !hasParcel && ["Shipped", formatDate(finding.shipDate)],
          ...evidenceFacts(finding),
          ["Confidence", `${sentence(finding.confidence)}. ${confidenceNotes[finding.confidence] ?? ""}`],
          finding.creditedAmount > 0 && ["Credited", money(finding.creditedAmount)],
          finding.note !== null && ["Note", finding.note],
          finding.decidedAt !== null && [
            "Changed",
            <span key="changed">
              <Time at={finding.decidedAt} />
              {by && ` by ${by}`}
            </span>,
          ],
        ]}
      />
      <FindingActions finding={finding} />
    </div>
  );
}
