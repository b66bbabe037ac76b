import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { useQueries, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Badge } from "../../ui/badge.tsx";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { formatMoney, plural } from "../../ui/format.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { QuoteRequest, Quotes } from "../carrier-accounts/carrier-account.queries.ts";
import { carrierAccountsQuery, carrierKindsQuery, quoteQuery } from "../carrier-accounts/carrier-account.queries.ts";

type LabelRequest = NonNullable<Input<"POST /api/v1/shipments/labels">["body"]>;
type Props = {
  /** Why no price can be requested yet. */
  missing: string | undefined;
  request: QuoteRequest | undefined;
  label: Omit<LabelRequest, "carrierAccountId" | "service">;
};
type Offer = { account: CarrierAccount; quote: Quotes["quotes"][number] };

/** Accounts of carriers that sell labels. */
function useSellers(): { sellers: CarrierAccount[] | undefined; error: Error | null } {
  const accounts = useQuery(carrierAccountsQuery(undefined, 1));
  const kinds = useQuery(carrierKindsQuery);
  const selling = new Set(kinds.data?.filter((kind) => kind.capabilities.includes("label")).map(({ name }) => name));
  const sellers = kinds.data && accounts.data?.data.filter((one) => one.isActive && selling.has(one.carrier));
  return { sellers, error: accounts.error ?? kinds.error };
}

/** Quotes of all accounts, cheapest first. The buy button shows the price. */
export function LabelPrices({ missing, request, label }: Props) {
  const { sellers, error } = useSellers();
  const quotes = useQueries({ queries: (sellers ?? []).map((account) => quoteQuery(account.id, request)) });
  if (error) return <ProblemBox error={error} />;
  if (!sellers) return <Skeleton rows={4} />;
  if (sellers.length === 0) {
    return (
      <Card label="Prices">
        <Empty text="No carrier account sells labels yet.">
          <Link href={paths.carriers()} className={buttonClass("plain")}>
            Add a carrier account
          </Link>
        </Empty>
      </Card>
    );
  }
  if (missing) {
    return (
      <Card label="Prices">
        <Empty text={missing} />
      </Card>
    );
  }
  const offers = sellers
    .flatMap((account, at) => (quotes[at]?.data?.quotes ?? []).map((quote): Offer => ({ account, quote })))
    .toSorted((one, other) => one.quote.total - other.quote.total);
  const isWaiting = quotes.some(({ isFetching }) => isFetching);
  return (
    <div className={isWaiting ? "flex min-w-0 flex-col gap-3.5 stale" : "flex min-w-0 flex-col gap-3.5"}>
      {sellers.map((account, at) => {
        const failed = quotes[at]?.error;
        return failed && <ProblemBox key={account.id} error={failed} />;
      })}
      {offers.length > 0 && (
        <Card label="Prices">
          <OfferTable offers={offers} label={label} />
        </Card>
      )}
      {offers.length === 0 && !isWaiting && !quotes.some(({ error: failed }) => failed) && (
        <Card label="Prices">
          <Empty text={whyNone(quotes.map(({ data }) => data))} />
        </Card>
      )}
    </div>
  );
}

function whyNone(answers: ReadonlyArray<Quotes | undefined>): string {
  const reasons = answers.flatMap((answer) => answer?.unavailable ?? []).map((one) => one.message);
  return ["No service accepts this parcel.", ...new Set(reasons)].slice(0, 4).join(" ");
}

function OfferTable({ offers, label }: { offers: readonly Offer[]; label: Props["label"] }) {
  return (
    <Table label="Prices">
      <thead>
        <tr>
          <Th>Service</Th>
          <Th>Account</Th>
          <Th>Transit</Th>
          <Th isNumber>Price</Th>
          <Th isNumber>
            <span className="sr-only">Buy</span>
          </Th>
        </tr>
      </thead>
      <tbody>
        {offers.map((offer, at) => (
          <tr key={`${offer.account.id} ${offer.quote.service}`}>
            <Td className="w-full whitespace-nowrap">
              {offer.quote.serviceName} {at === 0 && offers.length > 1 && <Badge tone="ok">Cheapest</Badge>}
            </Td>
            <Td className="whitespace-nowrap text-muted">{offer.account.name}</Td>
            <Td className="whitespace-nowrap text-muted">
              {offer.quote.transitDays === null ? "–" : plural(offer.quote.transitDays, "day")}
            </Td>
            <Td isNumber>{formatMoney(offer.quote.total, offer.quote.currency)}</Td>
            <Td isNumber className="py-1">
              <BuyButton offer={offer} label={label} isFirst={at === 0} />
            </Td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

type BuyProps = { offer: Offer; label: Props["label"]; isFirst: boolean };

function BuyButton({ offer: { account, quote }, label, isFirst }: BuyProps) {
  const router = useRouter();
  const price = formatMoney(quote.total, quote.currency);
  return (
    <ConfirmButton
      kind={isFirst ? "primary" : "plain"}
      label={`Buy for ${price}`}
      title={`Buy ${quote.serviceName} for ${price}?`}
      yes={`Buy for ${price}`}
      disabledReason={missingScope(useMe(), "shipments:write")}
      run={async () => {
        const body = { ...label, carrierAccountId: account.id, service: quote.service };
        const { label: bought, shipment } = await hub.call("POST /api/v1/shipments/labels", { body });
        showToast(
          shipment
            ? `Label bought: ${bought.trackingNumber ?? "no tracking number yet"}`
            : "The carrier has not answered yet",
        );
        router.history.push(shipment ? paths.shipment(shipment.id) : paths.labels());
        await Promise.all(
          ["labels", "shipments", "orders"].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
        );
      }}
    >
      <p>The account {account.name} is charged. An unused label can be voided.</p>
    </ConfirmButton>
  );
}
