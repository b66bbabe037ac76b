import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card, Empty, Heading } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { cx } from "../../ui/class-names.ts";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { formatCount, formatMoney, plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import { RowTable } from "../../ui/table.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { QuoteRequest, Quotes } from "./carrier-account.queries.ts";
import { quoteQuery } from "./carrier-account.queries.ts";
import { exampleRecipient, filledIn, missingIn, QuoteAddresses, useSender } from "./quote-addresses.tsx";

const names = ["from", "to", "weight", "unit", "length", "width", "height", "residential"] as const;
type Parcel = Record<(typeof names)[number], string>;

const parcelOf = (search: Search): Parcel =>
  Object.fromEntries(names.map((name) => [name, oneOf(search[name]) ?? (name === "unit" ? "lb" : "")])) as Parcel;

type Ends = Pick<QuoteRequest, "origin" | "destination">;

/** ZIP codes are enough for a rate card. */
const endsOf = ({ from, to }: Parcel): Ends | undefined =>
  from && to ? { origin: { zip: from }, destination: { zip: to } } : undefined;

/** Undefined while a required part is missing. */
function requestOf(parcel: Parcel, ends: Ends | undefined): QuoteRequest | undefined {
  const value = Number(parcel.weight);
  if (!ends || !(value > 0)) return undefined;
  const [length, width, height] = [Number(parcel.length), Number(parcel.width), Number(parcel.height)];
  return {
    ...ends,
    weight: { value, unit: parcel.unit as "lb" },
    ...(length > 0 && width > 0 && height > 0 ? { dimensions: { length, width, height, unit: "in" as const } } : {}),
    residential: parcel.residential === "yes",
  };
}

type Props = {
  account: CarrierAccount;
  /** The prices are those of the carrier's API, which requires both addresses. */
  needsAddresses: boolean;
};

/** Quotes one parcel for every service. The parcel is in the address bar, so that a quote can be shared; addresses of people are not. */
export function QuoteTab({ account, needsAddresses }: Props) {
  const { search, set } = useSearchParams();
  const asked = parcelOf(search);
  const [parcel, setParcel] = useState(asked);
  const sender = useSender(needsAddresses);
  const [recipient, setRecipient] = useState(exampleRecipient);
  const [sent, setSent] = useState<Ends>();
  const ends = (of: Parcel): Ends | undefined => {
    if (!needsAddresses) return endsOf(of);
    return sender.address && missingIn(recipient) === undefined
      ? { origin: sender.address, destination: filledIn(recipient) }
      : undefined;
  };
  const request = requestOf(asked, needsAddresses ? sent : endsOf(asked));
  const quotes = useQuery(quoteQuery(account.id, request));
  const errors = fieldErrors(quotes.error);
  const field = (name: keyof Parcel) => ({
    value: parcel[name],
    onChange: (text: string) => setParcel({ ...parcel, [name]: text }),
  });
  const ask = (): void => {
    if (needsAddresses) setSent(ends(parcel));
    set(Object.fromEntries(names.map((name) => [name, parcel[name].trim() || undefined])));
  };
  const isComplete = requestOf(parcel, ends(parcel)) !== undefined;
  const missing = needsAddresses
    ? (!sender.address && "Choose the location to ship from.") || missingIn(recipient) || "Enter the weight."
    : "Enter both ZIP codes and the weight.";
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[280px_minmax(0,1fr)]">
      <Card className="px-3 py-2.5" label="Parcel">
        <Heading title="Parcel" />
        <form
          className="flex flex-col gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (isComplete) ask();
          }}
        >
          {needsAddresses && (
            <QuoteAddresses
              sender={sender}
              recipient={recipient}
              onRecipient={setRecipient}
              errors={{ origin: errorAt(errors, "/origin"), destination: errorAt(errors, "/destination") }}
            />
          )}
          <div className="grid grid-cols-2 gap-2">
            {!needsAddresses && (
              <>
                <TextField label="From ZIP" placeholder="07114" {...field("from")} error={errorAt(errors, "/origin")} />
                <TextField
                  label="To ZIP"
                  placeholder="90210"
                  {...field("to")}
                  error={errorAt(errors, "/destination")}
                />
              </>
            )}
            <TextField
              label="Weight"
              inputMode="decimal"
              placeholder="3"
              {...field("weight")}
              error={errorAt(errors, "/weight")}
            />
            <Select
              label="Unit"
              value={parcel.unit}
              options={["lb", "oz", "kg", "g"].map((unit) => ({ value: unit, label: unit }))}
              onChange={(unit) => setParcel({ ...parcel, unit })}
            />
          </div>
          <div className="grid grid-cols-3 gap-2">
            <TextField
              label="Length (in)"
              inputMode="decimal"
              {...field("length")}
              error={errorAt(errors, "/dimensions")}
            />
            <TextField label="Width (in)" inputMode="decimal" {...field("width")} />
            <TextField label="Height (in)" inputMode="decimal" {...field("height")} />
          </div>
          <Checkbox
            label="Residential address"
            isChecked={parcel.residential === "yes"}
            onChange={(isOn) => setParcel({ ...parcel, residential: isOn ? "yes" : "" })}
          />
          <Button type="submit" kind="primary" isBusy={quotes.isFetching} disabledReason={!isComplete && missing}>
            Get prices
          </Button>
        </form>
      </Card>
      <div className={cx("flex min-w-0 flex-col gap-3.5", quotes.isPlaceholderData && "stale")}>
        {quotes.error && <ProblemBox error={quotes.error} />}
        {!request && <NotAsked needsAddresses={needsAddresses} />}
        {request && quotes.data && <QuoteList quotes={quotes.data} />}
      </div>
    </div>
  );
}

function NotAsked({ needsAddresses }: Pick<Props, "needsAddresses">) {
  const text = needsAddresses
    ? "Choose the location to ship from, enter the recipient and the weight, and get the price of every service."
    : "Enter both ZIP codes and the weight to see the price of every service.";
  return (
    <Card label="Prices">
      <Empty text={text} />
    </Card>
  );
}

function QuoteList({ quotes: { quotes, unavailable } }: { quotes: Quotes }) {
  return (
    <>
      {quotes.length === 0 && (
        <Card label="Prices">
          <Empty text="No service is available for this parcel. The reasons are below." />
        </Card>
      )}
      {quotes.map((quote, at) => (
        <Card key={quote.service} label={quote.serviceName}>
          <div className="px-3 pt-2.5">
            <Heading
              title={quote.serviceName}
              note={[
                quote.zone !== null && `zone ${quote.zone}`,
                quote.distanceMiles !== null && `${formatCount(quote.distanceMiles)} miles`,
                quote.weight && `priced at ${quote.weight.rated.value} ${quote.weight.rated.unit}`,
                quote.transitDays !== null && plural(quote.transitDays, "day"),
                quote.listTotal !== null && `list price ${formatMoney(quote.listTotal, quote.currency)}`,
              ]
                .filter(Boolean)
                .join(", ")}
            >
              {at === 0 && quotes.length > 1 && <Badge tone="ok">Cheapest</Badge>}
              <strong className="text-lg tabular-nums">{formatMoney(quote.total, quote.currency)}</strong>
            </Heading>
          </div>
          {quote.lines.length > 0 && (
            <RowTable
              label={`Price of ${quote.serviceName}`}
              rows={quote.lines}
              idOf={({ code }) => code}
              columns={[
                { name: "Line", className: "whitespace-nowrap", cell: (line) => line.label },
                { name: "Why", className: "w-full text-muted", cell: ({ explanation }) => explanation },
                { name: "Amount", isNumber: true, cell: ({ amount }) => formatMoney(amount, quote.currency) },
              ]}
            />
          )}
          {quote.alternative && (
            <p className="px-3 py-1.5 text-sm text-warn">
              Close to zone {quote.alternative.zone}; the carrier may use that zone
              {quote.alternative.total !== null && `: ${formatMoney(quote.alternative.total, quote.currency)}`}.
            </p>
          )}
        </Card>
      ))}
      {unavailable.length > 0 && (
        <Card label="Not available" className="px-3 py-2.5">
          <Heading title="Not available" />
          <ul>
            {unavailable.map((one) => (
              <li key={one.service}>
                {one.serviceName}: <span className="text-muted">{one.message}</span>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
