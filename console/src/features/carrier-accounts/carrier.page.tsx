import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { AccountForm } from "./account.form.tsx";
import { CardsTab } from "./cards-tab.tsx";
import { carrierAccountQuery, carrierKindsQuery } from "./carrier-account.queries.ts";
import { ConnectionTest } from "./connection-test.tsx";
import { PickupRulesForm } from "./pickup-rules.form.tsx";
import { QuoteTab } from "./quote-tab.tsx";
import { ZonesTab } from "./zones-tab.tsx";

const above = { href: paths.carriers(), name: "Carrier accounts" };
const tabs = [
  ["account", "Account"],
  ["cards", "Rate cards"],
  ["zones", "Zones"],
  ["quote", "Quote"],
] as const;
const ofRateCards = new Set<string>(["cards", "zones"]);

export function CarrierPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <RecordPage above={above} query={useQuery(carrierAccountQuery(id))}>
      {(account) => <AccountView account={account} key={id} />}
    </RecordPage>
  );
}

function AccountView({ account }: { account: CarrierAccount }) {
  const { data: kinds } = useQuery(carrierKindsQuery);
  const { search } = useSearchParams();
  const kind = kinds?.find(({ name }) => name === account.carrier);
  const tab = tabs.find(([name]) => name === oneOf(search["tab"]))?.[0] ?? "account";
  return (
    <>
      <PageHead
        above={above}
        title={account.name}
        note={
          <span className="inline-flex items-center gap-2">
            <Badge tone={account.isActive ? "ok" : "skip"}>{account.isActive ? "Active" : "Inactive"}</Badge>
            {kind?.title ?? account.carrier}
          </span>
        }
      >
        <RemoveAccount account={account} />
      </PageHead>
      <TabLinks
        label="Parts of the account"
        tabs={tabs
          .filter(([name]) => kind?.usesRateCards !== false || !ofRateCards.has(name))
          .map(([name, label]) => ({
            href: paths.carrier(account.id, name === "account" ? {} : { tab: name }),
            label,
            isOn: tab === name,
          }))}
      />
      {tab === "account" && (
        <div className="grid items-start gap-3.5 lg:grid-cols-2">
          <AccountForm account={account} kind={kind} />
          <div className="flex min-w-0 flex-col gap-3.5">
            {kind?.supports.accountTest && (
              <ConnectionTest id={account.id} startsNow={oneOf(search["new"]) === "yes"} />
            )}
            <PickupRulesForm account={account} />
          </div>
        </div>
      )}
      {tab === "cards" && <CardsTab account={account} kind={kind} />}
      {tab === "zones" && <ZonesTab account={account} kind={kind} />}
      {tab === "quote" && <QuoteTab account={account} needsAddresses={kind?.usesRateCards === false} />}
    </>
  );
}

function RemoveAccount({ account }: { account: CarrierAccount }) {
  const router = useRouter();
  return (
    <ConfirmButton
      kind="quiet"
      isDangerous
      label="Delete"
      title={`Delete ${account.name}?`}
      yes="Delete account"
      disabledReason={missingScope(useMe(), "carrier_accounts:write")}
      run={async () => {
        await hub.call("DELETE /api/v1/carrier-accounts/{id}", { path: { id: account.id } });
        router.history.push(paths.carriers());
        await queryClient.invalidateQueries({ queryKey: ["carrier-accounts"], refetchType: "none" });
      }}
    >
      <p>
        Deletes the account with its rate cards and its zone chart. This cannot be undone. To stop using the account,
        deactivate it instead.
      </p>
    </ConfirmButton>
  );
}
