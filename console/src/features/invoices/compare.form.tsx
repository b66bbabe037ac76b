import type { Invoice } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { contractsQuery } from "../carrier-accounts/carrier-account.queries.ts";

type Compared = Pick<Invoice, "id" | "carrier" | "number">;
type Props = {
  /** Empty: all invoices of `dates`. */
  invoices: readonly Compared[];
  dates?: { from: string; to: string };
};

const maxInvoices = 1_000;

export function CompareButton({
  label,
  kind = "plain",
  ...props
}: Props & { label: string; kind?: "plain" | "primary" }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} disabledReason={missingScope(useMe(), "rates:write")} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <CompareDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

function nameOf(invoices: readonly Compared[]): string {
  const [first] = invoices;
  if (!first) return "Invoices";
  const numbers = invoices.length === 1 ? first.number : plural(invoices.length, "invoice");
  return `${first.carrier} ${numbers}`.slice(0, 100);
}

/** The carrier that was paid, if there is one. */
function carrierOf(invoices: readonly Compared[]): string | undefined {
  const carriers = new Set(invoices.map(({ carrier }) => carrier));
  return carriers.size === 1 ? [...carriers][0]!.slice(0, 100) : undefined;
}

/** Creates a rate comparison from invoices and starts it. */
function CompareDialog({ invoices, dates, onClose }: Props & { onClose(): void }) {
  const router = useRouter();
  const contracts = useQuery(contractsQuery);
  const isByDate = invoices.length === 0;
  const form = useCreateForm({
    start: { name: nameOf(invoices), carrierAccountId: "", from: dates?.from ?? "", to: dates?.to ?? "" },
    create: async ({ name, carrierAccountId, from, to }) => {
      const sourceCarrier = carrierOf(invoices);
      const path = await hub.call("POST /api/v1/rate-comparisons", {
        body: {
          name: name.trim(),
          carrierAccountId,
          ...(sourceCarrier ? { sourceCarrier } : {}),
          ...(isByDate ? { invoiceDates: { from, to } } : { invoiceIds: invoices.map(({ id }) => id) }),
        },
      });
      try {
        await hub.call("POST /api/v1/rate-comparisons/{id}/process", { path: { id: path.id }, body: {} });
      } catch (error) {
        // The comparison exists as a draft; its page shows the error and can process it again.
        showToast("The items are not priced yet", { text: (error as Error).message, tone: "bad" });
      }
      return path;
    },
    refetch: ["rates"],
    onCreated: ({ id }) => router.history.push(paths.rate(id)),
  });
  const { draft } = form;
  const account = contracts.data?.find(({ id }) => id === draft.carrierAccountId);
  const reason =
    (draft.name.trim() === "" && "Enter a name.") ||
    (isByDate && (draft.from === "" || draft.to === "") && "Enter the first and the last invoice date.") ||
    (isByDate && draft.from > draft.to && "The first date is after the last one.") ||
    (invoices.length > maxInvoices && "Choose at most 1,000 invoices.") ||
    (!account && "Choose the contract to compare with.") ||
    (account?.hasPrices === false && `${account.name} has no rate card in effect.`);
  return (
    <FormDialog
      title="Compare with a contract"
      form={form}
      submit={isByDate ? "Compare" : `Compare ${plural(invoices.length, "invoice")}`}
      reason={reason}
      onClose={onClose}
    >
      <p className="text-muted">
        Each parcel is priced with the contract and set beside its charges. Taxes, duties and charges without a parcel
        are left out.
      </p>
      {isByDate && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField type="date" label="Invoice date from" {...form.field("from", "/invoiceDates/from")} />
          <TextField type="date" label="Invoice date to" {...form.field("to", "/invoiceDates/to")} />
        </div>
      )}
      <TextField label="Name" {...form.field("name")} maxLength={100} />
      {contracts.error && <ProblemBox error={contracts.error} />}
      {contracts.data?.length === 0 ? (
        <div className="flex flex-col items-start gap-2">
          <p>There is no contract yet: a carrier account with a rate card.</p>
          <Link href={paths.carriers()} className={buttonClass("plain")}>
            Set up a carrier account
          </Link>
        </div>
      ) : (
        <Select
          label="Compare with"
          placeholder="Choose a contract"
          {...form.field("carrierAccountId")}
          options={(contracts.data ?? []).map(({ id, name, hasPrices }) => ({
            value: id,
            label: name,
            ...(hasPrices ? {} : { note: "no rate card" }),
          }))}
        />
      )}
    </FormDialog>
  );
}
