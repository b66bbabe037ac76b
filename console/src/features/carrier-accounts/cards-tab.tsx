import type { CarrierAccount, RateCardInfo } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { formatDate } from "../../ui/calendar.ts";
import { Empty, Skeleton } from "../../ui/card.tsx";
import { formatCount } from "../../ui/format.ts";
import { RecordLink } from "../../ui/link.tsx";
import { ListCard, usePage } from "../../ui/list-card.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import type { ListColumn } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { CardUpload } from "./card-upload.tsx";
import { CardView } from "./card-view.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";
import { rateCardQuery, rateCardsQuery } from "./carrier-account.queries.ts";

type Given = {
  accountId: string;
  open: string | undefined;
  refused: string | undefined;
  busy: string | undefined;
  onUse(card: RateCardInfo): void;
};

const columnsWith = ({ accountId, open, refused, busy, onUse }: Given): Array<ListColumn<RateCardInfo>> => [
  {
    name: "Rate card",
    className: "max-w-72 truncate",
    cell: (one) => (
      <RecordLink
        href={paths.carrier(accountId, { tab: "cards", card: one.id })}
        aria-current={one.id === open ? "true" : undefined}
        className="aria-current:font-medium"
      >
        {one.name}
      </RecordLink>
    ),
  },
  {
    name: "State",
    cell: (one) => (
      <Badge tone={one.isInEffect ? "ok" : one.isActive ? "info" : "skip"}>
        {one.isInEffect ? "In effect" : one.isActive ? "Active" : "Draft"}
      </Badge>
    ),
  },
  { name: "From", className: "whitespace-nowrap", cell: (one) => formatDate(one.effectiveFrom) },
  {
    name: "Until",
    className: "whitespace-nowrap",
    cell: (one) => formatDate(one.effectiveTo),
  },
  { name: "Services", isNumber: true, cell: (one) => formatCount(one.serviceCount) },
  { name: "Version", isNumber: true, cell: (one) => formatCount(one.version) },
  { name: "Uploaded", className: "whitespace-nowrap text-muted", cell: (one) => <Time at={one.createdAt} /> },
  {
    name: "",
    cell: (one) => (
      <Button
        kind="quiet"
        disabledReason={refused}
        isBusy={busy === one.id}
        aria-label={`${one.isActive ? "Deactivate" : "Activate"}: ${one.name}`}
        onClick={() => onUse(one)}
      >
        {one.isActive ? "Deactivate" : "Activate"}
      </Button>
    ),
  },
];

/** Rate cards of the account. The open one is that of the address, or the one in effect. */
export function CardsTab({ account, kind }: { account: CarrierAccount; kind: CarrierKind | undefined }) {
  const me = useMe();
  const { search } = useSearchParams();
  const cards = useQuery(rateCardsQuery(account.id, usePage()));
  const open = oneOf(search["card"]) ?? account.rateCard?.id ?? cards.data?.data[0]?.id;
  const card = useQuery(rateCardQuery(account.id, open));
  const refused = missingScope(me, "carrier_accounts:write");
  const use = useMutation({
    mutationFn: ({ id, isActive }: RateCardInfo) => {
      const path = { id: account.id, rateCardId: id };
      return isActive
        ? hub.call("POST /api/v1/carrier-accounts/{id}/rate-cards/{rateCardId}/deactivate", { path })
        : hub.call("POST /api/v1/carrier-accounts/{id}/rate-cards/{rateCardId}/activate", { path, body: {} });
    },
    onSuccess: (next) => {
      void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });
      showToast(
        next.isActive ? `${next.name} is valid from ${formatDate(next.effectiveFrom)}` : `${next.name} deactivated`,
      );
    },
  });
  const busy = use.isPending ? use.variables.id : undefined;
  if (kind?.usesRateCards === false) {
    return (
      <Empty
        text={`${kind.title} returns its own prices, so there is no rate card to upload. Open Quote to see them.`}
      />
    );
  }
  return (
    <div className="flex flex-col gap-3.5">
      {use.error && <ProblemBox error={use.error} />}
      <div>
        <ListCard
          label="Rate cards"
          query={cards}
          columns={columnsWith({ accountId: account.id, open, refused, busy, onUse: use.mutate })}
          idOf={(one) => one.id}
          empty={<Empty text="No rate card yet. Upload the prices of the contract as CSV or JSON." />}
        />
      </div>
      <CardUpload account={account} />
      {card.error && <ProblemBox error={card.error} />}
      {open && card.isPending && <Skeleton />}
      {card.data && <CardView detail={card.data} />}
    </div>
  );
}
