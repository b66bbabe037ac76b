import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatDate } from "../../ui/calendar.ts";
import { Empty } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";
import { carrierAccountsQuery, carrierKindsQuery } from "./carrier-account.queries.ts";
import { NewAccount } from "./new-account.form.tsx";

const columnsWith = (kinds: readonly CarrierKind[] | undefined): Array<ListColumn<CarrierAccount>> => {
  const kindOf = (account: CarrierAccount): CarrierKind | undefined =>
    kinds?.find(({ name }) => name === account.carrier);
  return [
    {
      name: "Account",
      className: "max-w-72 truncate",
      cell: (account) => <RecordLink href={paths.carrier(account.id)}>{account.name}</RecordLink>,
    },
    { name: "Carrier", cell: (account) => kindOf(account)?.title ?? account.carrier },
    {
      name: "State",
      cell: ({ isActive }) => <Badge tone={isActive ? "ok" : "skip"}>{isActive ? "Active" : "Inactive"}</Badge>,
    },
    {
      name: "Prices",
      className: "max-w-72 truncate",
      cell: (account) =>
        account.rateCard ? (
          <RecordLink href={paths.carrier(account.id, { tab: "cards", card: account.rateCard.id })}>
            {account.rateCard.name}, from {formatDate(account.rateCard.effectiveFrom)}
          </RecordLink>
        ) : kindOf(account)?.usesRateCards ? (
          <span className="text-warn">No rate card in effect</span>
        ) : (
          <span className="text-muted">From the carrier</span>
        ),
    },
    {
      name: "Zones",
      cell: ({ zoneChart }) =>
        zoneChart ? `Chart with ${plural(zoneChart.rowCount, "row")}` : <span className="text-muted">By distance</span>,
    },
    { name: "Changed", className: "whitespace-nowrap text-muted", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
};

/** Carrier accounts with their rate cards, zones and quotes. */
export function CarriersPage() {
  const me = useMe();
  const { search, set } = useSearchParams();
  const accounts = useQuery(carrierAccountsQuery(oneOf(search["search"]), usePage()));
  const { data: kinds } = useQuery(carrierKindsQuery);
  const refused = missingScope(me, "carrier_accounts:write");
  const make = (
    <Button kind="primary" disabledReason={refused} onClick={() => set({ new: "1" })}>
      Add carrier account
    </Button>
  );
  return (
    <>
      <PageHead title="Carrier accounts">{make}</PageHead>
      <ListCard
        label="Carrier accounts"
        query={accounts}
        columns={columnsWith(kinds)}
        idOf={(account) => account.id}
        empty={
          <Empty text="No carrier account yet. An account holds the prices, zones and pickup rules of a contract.">
            {make}
          </Empty>
        }
      />
      {oneOf(search["new"]) && <NewAccount kinds={kinds ?? []} onClose={() => set({ new: undefined }, "replace")} />}
    </>
  );
}
