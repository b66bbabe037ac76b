import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { Crumbs } from "../../ui/crumbs.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { AccountForm } from "./account.form.tsx";
import { CardsTab } from "./cards-tab.tsx";
import { carrierAccountQuery, carrierKindsQuery } from "./carrier-account.queries.ts";
import { PickupRulesForm } from "./pickup-rules.form.tsx";
import { QuoteTab } from "./quote-tab.tsx";
import { ZonesTab } from "./zones-tab.tsx";

const tabs = [
  ["account", "Account"],
  ["cards", "Rate cards"],
  ["zones", "Zones"],
  ["quote", "Quote"],
] as const;

export function CarrierPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data: account, error } = useQuery(carrierAccountQuery(id));
  const { data: kinds } = useQuery(carrierKindsQuery);
  const { search } = useSearchParams();
  if (error && !account) {
    return (
      <>
        <PageHead title="Carrier account" />
        <ProblemBox error={error} />
      </>
    );
  }
  if (!account) return <Skeleton rows={10} />;
  const kind = kinds?.find(({ name }) => name === account.carrier);
  const tab = tabs.find(([name]) => name === oneOf(search["tab"]))?.[0] ?? "account";
  return (
    <>
      <PageHead
        title={
          <Crumbs href={paths.carriers()} name="Carriers">
            {account.name}
          </Crumbs>
        }
        note={
          <span className="inline-flex items-center gap-2">
            <Badge tone={account.isActive ? "ok" : "skip"}>{account.isActive ? "active" : "switched off"}</Badge>
            {kind?.title ?? account.carrier}
          </span>
        }
      >
        <RemoveAccount account={account} />
      </PageHead>
      <TabLinks
        label="Parts of the account"
        tabs={tabs.map(([name, label]) => ({
          href: paths.carrier(account.id, name === "account" ? {} : { tab: name }),
          label,
          isOn: tab === name,
        }))}
      />
      {tab === "account" && (
        <div className="grid items-start gap-3.5 lg:grid-cols-2" key={account.id}>
          <AccountForm account={account} kind={kind} />
          <PickupRulesForm account={account} />
        </div>
      )}
      {tab === "cards" && <CardsTab account={account} kind={kind} />}
      {tab === "zones" && <ZonesTab account={account} kind={kind} />}
      {tab === "quote" && <QuoteTab account={account} />}
    </>
  );
}

function RemoveAccount({ account }: { account: CarrierAccount }) {
  const me = useMe();
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const remove = useMutation({
    mutationFn: () => hub.call("DELETE /api/v1/carrier-accounts/{id}", { path: { id: account.id } }),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"], refetchType: "none" });
      router.history.push(paths.carriers());
    },
  });
  return (
    <>
      <Button kind="quiet" disabledReason={missingScope(me, "carrier_accounts:write")} onClick={() => setOpen(true)}>
        Delete
      </Button>
      <Dialog
        title={`Delete ${account.name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Leave it</Button>
            <Button kind="danger" isBusy={remove.isPending} onClick={() => remove.mutate()}>
              Delete the account
            </Button>
          </>
        }
      >
        <p className="mb-2">
          The account is gone with its rate cards and its zone chart. One that is only not to be used any more can be
          switched off instead.
        </p>
        {remove.error && <ProblemBox error={remove.error} />}
      </Dialog>
    </>
  );
}
