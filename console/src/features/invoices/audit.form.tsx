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
        {props.audit?.carrierAccountId ? "Audit again" : "Audit against a contract"}
      </Button>
      {isOpen && <AuditDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function AuditDialog({ invoice, audit, onClose }: Props & { onClose(): void }) {
  const router = useRouter();
  const contracts = useQuery(contractsQuery);
  const withCard = contracts.data?.filter(({ hasCard }) => hasCard);
  const form = useCreateForm({
    start: { carrierAccountId: audit?.carrierAccountId ?? "" },
    create: (body) => hub.call("POST /api/v1/invoices/{id}/audit", { path: { id: invoice.id }, body }),
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
      reason={form.draft.carrierAccountId === "" && "Choose the contract."}
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
        <Select
          label="Audit against"
          placeholder="Choose a contract"
          {...form.field("carrierAccountId")}
          options={(withCard ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </FormDialog>
  );
}
