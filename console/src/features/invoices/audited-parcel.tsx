import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { formatDate } from "../../ui/calendar.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Heading } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { FactList } from "../../ui/facts.tsx";
import { plural, sentence } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { ContractLink } from "./audit-state.tsx";
import { FindingDetails } from "./finding-details.tsx";
import type { ParcelComparison } from "./findings.queries.ts";
import { comparedParcelQuery } from "./findings.queries.ts";
import { chargeName, findingName, notAuditedFix, notAuditedText } from "./findings.text.ts";
import { invoiceQuery } from "./invoices.queries.ts";
import { formatExact } from "./invoices.text.ts";

/** One parcel of an invoice: billed and expected side by side, with its findings. */
export function AuditedParcelPage() {
  const { id, trackingNumber } = useParams({ strict: false }) as { id: string; trackingNumber: string };
  const { data: invoice } = useQuery(invoiceQuery(id));
  const parcel = useQuery(comparedParcelQuery(id, trackingNumber));
  const above = { href: paths.invoice(id, { tab: "findings" }), name: invoice?.number ?? "Invoice" };
  return (
    <RecordPage above={above} query={parcel}>
      {(shown) => <Shown parcel={shown} invoice={invoice} above={above} />}
    </RecordPage>
  );
}

type Props = {
  parcel: ParcelComparison;
  invoice: Invoice | undefined;
  above: { href: string; name: string };
};

function Shown({ parcel, above }: Props) {
  const { trackingNumber, findings, carrierAccountId, rateCard } = parcel;
  return (
    <>
      <PageHead
        above={above}
        title={<span className="font-mono">{trackingNumber}</span>}
        name={`${trackingNumber} billed and expected`}
        note={findings.length === 0 ? "no findings" : plural(findings.length, "finding")}
      >
        <Link href={paths.invoiceParcel(trackingNumber)} className={buttonClass("plain")}>
          Charges on all invoices
        </Link>
      </PageHead>
      {parcel.reason && (
        <p className="mb-2.5 text-warn">
          The contract has no price for this parcel: {notAuditedText(parcel.reason)}. {notAuditedFix(parcel.reason)}
        </p>
      )}
      <div className="grid items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_360px]">
        <div className="flex min-w-0 flex-col gap-3.5">
          <SideBySide parcel={parcel} />
          {findings.map((finding) => (
            <Card key={finding.id} label={`Finding: ${findingName(finding)}`} className="px-3 py-2.5">
              <Heading title={findingName(finding)} />
              <FindingDetails finding={finding} hasParcel />
            </Card>
          ))}
        </div>
        <div className="flex min-w-0 flex-col gap-3.5">
          <Facts parcel={parcel} />
          <Card label="Contract" className="px-3 py-2.5">
            <Heading title="Contract" />
            <FactList
              facts={[
                ["Account", carrierAccountId && <ContractLink key="account" id={carrierAccountId} />],
                [
                  "Rate card",
                  rateCard &&
                    [rateCard.name, rateCard.version && `version ${rateCard.version}`].filter(Boolean).join(", "),
                ],
                ["Shipped", formatDate(parcel.shipDate)],
              ]}
            />
          </Card>
        </div>
      </div>
    </>
  );
}

/** The charges line by line, and below them how the price of the contract is calculated. */
function SideBySide({ parcel }: { parcel: ParcelComparison }) {
  const { charges, currency, explanation } = parcel;
  const money = (amount: number): string => formatExact(amount, currency);
  // Of charges that the contract has a price for, so that the columns add up.
  const compared = charges.filter(({ expected }) => expected !== null);
  const sum = (amounts: number[]): number =>
    Math.round(amounts.reduce((total, amount) => total + amount, 0) * 1_000_000) / 1_000_000;
  return (
    <Card label="Billed and expected">
      <div className="px-3 pt-2.5">
        <Heading title="Billed and expected" />
      </div>
      <Table label="Billed and expected">
        <thead>
          <tr>
            <Th>Charge</Th>
            <Th isNumber>Billed</Th>
            <Th isNumber>By the contract</Th>
            <Th isNumber>Difference</Th>
          </tr>
        </thead>
        <tbody>
          {charges.map((charge) => (
            <tr key={charge.charge} className="hover:bg-skip-soft">
              <Td>{chargeName(charge)}</Td>
              <Td isNumber>{money(charge.billed)}</Td>
              <Td isNumber>
                {charge.expected === null ? <span className="text-muted">not compared</span> : money(charge.expected)}
              </Td>
              <Td isNumber>
                <Over amount={charge.difference} currency={currency} />
              </Td>
            </tr>
          ))}
          {compared.length > 0 && (
            <tr className="font-semibold">
              <Td>Total of compared charges</Td>
              <Td isNumber>{money(sum(compared.map(({ billed }) => billed)))}</Td>
              <Td isNumber>{money(sum(compared.map(({ expected }) => expected ?? 0)))}</Td>
              <Td isNumber>
                <Over amount={sum(compared.map(({ difference }) => difference ?? 0))} currency={currency} />
              </Td>
            </tr>
          )}
        </tbody>
      </Table>
      {explanation.length > 0 && (
        <div className="border-t border-line">
          <div className="px-3 pt-2.5">
            <Heading title="How the contract price is calculated" />
          </div>
          <Table label="Lines of the contract price">
            <tbody>
              {explanation.map((line) => (
                <tr key={line.code}>
                  <Td className="whitespace-nowrap">{line.label}</Td>
                  <Td className="w-full min-w-48 text-muted">{line.explanation}</Td>
                  <Td isNumber>{money(line.amount)}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      )}
    </Card>
  );
}

/** Billed above the contract is red; the sign says it as well. */
function Over({ amount, currency }: { amount: number | null; currency: string }) {
  if (amount === null || amount === 0) return <span className="text-muted">–</span>;
  return (
    <span className={cx(amount > 0 && "font-medium text-bad")}>
      {amount > 0 && "+"}
      {formatExact(amount, currency)}
    </span>
  );
}

function Facts({ parcel: { facts } }: { parcel: ParcelComparison }) {
  return (
    <Card label="Facts of the parcel">
      <div className="px-3 pt-2.5">
        <Heading title="Facts of the parcel" />
      </div>
      <Table label="Facts of the parcel">
        <thead>
          <tr>
            <Th>Fact</Th>
            <Th>Billed</Th>
            <Th>By the contract</Th>
          </tr>
        </thead>
        <tbody>
          {(["service", "zone", "weight", "residential"] as const).map((name) => {
            const { billed, expected } = facts[name];
            const isOther = billed !== null && expected !== null && billed !== expected && name !== "service";
            return (
              <tr key={name}>
                <Td className="text-muted">{sentence(name)}</Td>
                <Td>{billed ?? "–"}</Td>
                <Td className={cx(isOther && "font-medium text-bad")}>
                  {expected ?? "–"}
                  {isOther && <span className="sr-only">, differs</span>}
                </Td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </Card>
  );
}
