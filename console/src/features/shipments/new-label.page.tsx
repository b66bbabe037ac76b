import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Card, Heading, Skeleton } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { locationQuery, locationsQuery } from "../locations/locations.queries.ts";
import { orderQuery } from "../orders/orders.queries.ts";
import { LabelPrices } from "./label-prices.tsx";
import type { Parcel } from "./parcel.ts";
import { measuresOf, parcelOf } from "./parcel.ts";

/** Buys a label: the parcel, the quotes of all accounts, then the purchase. */
export function NewLabelPage() {
  const { search } = useSearchParams();
  const reference = oneOf(search["order"]);
  const { data: order, error } = useQuery({ ...orderQuery(reference ?? ""), enabled: reference !== undefined });
  return (
    <>
      <PageHead
        above={{ href: paths.labels(), name: "Labels" }}
        title={order ? `Buy a label for ${order.number}` : "Buy a label"}
      >
        {order && (
          <Link href={paths.order(order.number)} className={buttonClass("plain")}>
            Open order
          </Link>
        )}
      </PageHead>
      {reference === undefined || error ? <WhichOrder known={reference} error={error} /> : null}
      {reference !== undefined && !order && !error && <Skeleton rows={8} />}
      {order && <ForOrder key={order.id} order={order} allowDuplicate={oneOf(search["again"]) === "yes"} />}
    </>
  );
}

function WhichOrder({ known, error }: { known: string | undefined; error: Error | null }) {
  const { set } = useSearchParams();
  const [number, setNumber] = useState(known ?? "");
  return (
    <Card className="max-w-md px-3 py-2.5" label="Order">
      <form
        className="flex flex-col gap-2.5"
        onSubmit={(event) => {
          event.preventDefault();
          set({ order: number.trim() });
        }}
      >
        <TextField label="Order number" value={number} onChange={setNumber} />
        {error && <ProblemBox error={error} />}
        <div>
          <Button kind="primary" type="submit" disabledReason={!number.trim() && "Enter an order number."}>
            Continue
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Ship-from location: that of the order, or the default one. */
function useOrigin(order: Order) {
  const { data: locations } = useQuery(locationsQuery({ is_active: true }, 1));
  const [picked, setPicked] = useState<string>();
  const id = picked ?? order.locationId ?? locations?.data.find((one) => one.is_default)?.id;
  const { data: location } = useQuery({ ...locationQuery(id ?? ""), enabled: id !== undefined });
  return {
    id,
    location,
    setPicked,
    options: (locations?.data ?? []).map(({ id: value, name }) => ({ value, label: name })),
  };
}

function ForOrder({ order, allowDuplicate }: { order: Order; allowDuplicate: boolean }) {
  const origin = useOrigin(order);
  const [parcel, setParcel] = useState(() => parcelOf(order));
  const [isRepeat, setRepeat] = useState(allowDuplicate);
  const measures = measuresOf(parcel);
  const to = order.shippingAddress;
  const from = origin.location?.address;
  const missing = !to
    ? "The order has no shipping address."
    : !from
      ? "Choose a location to ship from."
      : measures
        ? undefined
        : "Enter the weight to see prices.";
  return (
    <div className="grid items-start gap-3.5 lg:grid-cols-[320px_minmax(0,1fr)]">
      <Card className="flex flex-col gap-2.5 px-3 py-2.5" label="Parcel">
        <Heading title="Parcel" note={to ? [to.city, to.provinceCode, to.zip].filter(Boolean).join(" ") : ""} />
        <Select
          label="Ship from"
          value={origin.id ?? ""}
          placeholder={origin.options.length === 0 ? "No locations yet" : "Choose"}
          options={origin.options}
          onChange={origin.setPicked}
        />
        <ParcelFields parcel={parcel} onChange={setParcel} />
        <Checkbox label="Include items that are shipped or have a label" isChecked={isRepeat} onChange={setRepeat} />
      </Card>
      <LabelPrices
        missing={missing}
        request={
          // Without a ship date, the hub quotes for today in the time zone of the organization.
          from && to && measures ? { origin: from, destination: to, ...measures } : undefined
        }
        label={{
          orderId: order.id,
          ...(from ? { from } : {}),
          ...measures,
          ...(isRepeat ? { allowDuplicate: true } : {}),
        }}
      />
    </div>
  );
}

function ParcelFields({ parcel, onChange }: { parcel: Parcel; onChange(parcel: Parcel): void }) {
  const field = (name: "weight" | "length" | "width" | "height") => ({
    value: parcel[name],
    inputMode: "decimal" as const,
    onChange: (text: string) => onChange({ ...parcel, [name]: text }),
  });
  return (
    <>
      <div className="grid grid-cols-2 gap-2">
        <TextField label="Weight" {...field("weight")} />
        <Select
          label="Weight unit"
          value={parcel.unit}
          options={["lb", "oz", "kg", "g"].map((unit) => ({ value: unit, label: unit }))}
          onChange={(unit) => onChange({ ...parcel, unit })}
        />
      </div>
      <div className="grid grid-cols-4 gap-2">
        <TextField label="Length" {...field("length")} />
        <TextField label="Width" {...field("width")} />
        <TextField label="Height" {...field("height")} />
        <Select
          label="Size unit"
          value={parcel.lengthUnit}
          options={["in", "cm"].map((unit) => ({ value: unit, label: unit }))}
          onChange={(unit) => onChange({ ...parcel, lengthUnit: unit as Parcel["lengthUnit"] })}
        />
      </div>
    </>
  );
}
