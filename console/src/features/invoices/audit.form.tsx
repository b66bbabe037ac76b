import type { Invoice, InvoiceAudit } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { contractsQuery } from "../carrier-accounts/carrier-account.queries.ts";

type Props = { invoice: Invoice; audit: InvoiceAudit | undefined };

/** Audits the invoice against a contract, for the first time or again. */
export function AuditButton({ kind = "plain", ...props }: Props & { kind?: "plain" | "primary" }) {
  const [isOpen, setOpen] = useState(false);
  const me = useMe();
  const refused = missingScope(me, "invoices:write") ?? missingScope(me, "carrier_accounts:read");
  return (
    <>
      <Button kind={kind} disabledReason={refused} onClick={() => setOpen(true)}>
        {hasContract(props.audit) ? "Audit again" : "Audit against a contract"}
      </Button>
      {isOpen && <AuditDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

const hasContract = (audit: InvoiceAudit | undefined): boolean =>
  audit !== undefined && (audit.carrierAccountId !== null || audit.carrierAccounts.length > 0);

type CarrierContract = InvoiceAudit["carrierAccounts"][number];
type Draft = { carrierAccountId: string; carrierAccounts: CarrierContract[] };

function missingIn({ carrierAccountId, carrierAccounts }: Draft): string | false {
  if (carrierAccountId === "" && carrierAccounts.length === 0) return "Choose the contract.";
  const isOpen = carrierAccounts.some((one) => one.carrier.trim() === "" || one.carrierAccountId === "");
  return isOpen && "Enter the name and choose the contract of each carrier.";
}

function AuditDialog({ invoice, audit, onClose }: Props & { onClose(): void }) {
  const router = useRouter();
  const contracts = useQuery(contractsQuery);
  const withCard = contracts.data?.filter(({ hasCard }) => hasCard);
  const options = (withCard ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const form = useCreateForm({
    start: (): Draft => ({
      carrierAccountId: audit?.carrierAccountId ?? "",
      carrierAccounts: audit?.carrierAccounts ?? [],
    }),
    create: ({ carrierAccountId, carrierAccounts }) =>
      hub.call("POST /api/v1/invoices/{id}/audit", {
        path: { id: invoice.id },
        body: { ...(carrierAccountId === "" ? {} : { carrierAccountId }), carrierAccounts },
      }),
    refetch: ["invoices"],
    onCreated: () => {
      onClose();
      router.history.push(paths.invoice(invoice.id, { tab: "findings" }));
    },
  });
  return (
    <FormDialog
      title="Audit against a contract"
      form={form}
      submit="Audit invoice"
      reason={missingIn(form.draft)}
      onClose={onClose}
    >
      <p className="text-muted">
        Each parcel is priced with the rate card that was in effect on its ship date, and compared with what{" "}
        {invoice.carrier} billed. Findings that you have claimed or rejected stay as they are.
      </p>
      {contracts.error && <ProblemBox error={contracts.error} />}
      {withCard?.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p>There is no contract yet: a carrier account with a rate card.</p>
          <Link href={paths.carriers()} className={buttonClass("plain")}>
            Set up a carrier account
          </Link>
        </div>
      ) : (
        <>
          <Select
            label="Audit against"
            placeholder="Choose a contract"
            {...form.field("carrierAccountId")}
            options={options}
          />
          <CarrierContracts
            contracts={form.draft.carrierAccounts}
            options={options}
            onChange={(carrierAccounts) => form.set({ carrierAccounts })}
          />
        </>
      )}
    </FormDialog>
  );
}

type ContractsProps = {
  contracts: readonly CarrierContract[];
  options: { value: string; label: string }[];
  onChange(contracts: CarrierContract[]): void;
};

/** Contracts of single carriers, for the files of sellers that hold several. */
function CarrierContracts({ contracts, options, onChange }: ContractsProps) {
  const change = (at: number, part: Partial<CarrierContract>): void =>
    onChange(contracts.map((one, index) => (index === at ? { ...one, ...part } : one)));
  return (
    <fieldset className="flex flex-col gap-2.5 rounded-lg border border-line px-3 pt-1 pb-2.5">
      <legend className="px-1 font-semibold">Contracts of single carriers</legend>
      <p className="text-sm text-muted">
        For files with several carriers. A contract applies to the parcels whose service begins with the name of the
        carrier, such as USPS.
      </p>
      {contracts.map(({ carrier, carrierAccountId }, at) => (
        // A row has no identity of its own; rows are only added at the end.
        <div key={at} className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto]">
          <TextField
            label={`Carrier ${at + 1}`}
            value={carrier}
            maxLength={100}
            onChange={(next) => change(at, { carrier: next })}
          />
          <Select
            label={`Contract ${at + 1}`}
            placeholder="Choose a contract"
            value={carrierAccountId}
            options={options}
            onChange={(next) => change(at, { carrierAccountId: next })}
          />
          <Button
            kind="quiet"
            aria-label={`Remove carrier ${at + 1}`}
            onClick={() => onChange(contracts.filter((_, index) => index !== at))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div>
        <Button
          disabledReason={contracts.length >= 20 && "An audit has at most 20 carriers with their own contract."}
          onClick={() => onChange([...contracts, { carrier: "", carrierAccountId: "" }])}
        >
          Add a carrier
        </Button>
      </div>
    </fieldset>
  );
}
