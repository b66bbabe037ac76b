import type { RemoteError } from "./http.ts";
import { InvalidInput } from "./invalid-input.ts";
import type { Amount, Parcel, ShipOptions } from "./ship-options.ts";

/** `why`: a sentence about what is allowed instead. */
export function notSupported(carrier: string, option: string, why: string): RemoteError {
  const message = `${carrier} does not support ${option}. ${why}`;
  return new InvalidInput("option_not_supported", message, [{ part: "request", code: "not_supported" }]);
}

/** Refuses label formats and sizes that the carrier does not make. Returns the format, by default that of the account. */
export function labelFormatOf<Format extends string>(
  carrier: string,
  { label }: ShipOptions,
  offered: { formats: readonly Format[]; sizes: readonly string[]; fallback: string | undefined },
): Format {
  const wanted = label?.format ?? offered.fallback;
  const format = wanted === undefined ? offered.formats[0] : offered.formats.find((one) => one === wanted);
  if (format === undefined)
    throw notSupported(carrier, `labels as ${wanted}`, `Use label.format ${offered.formats.join(" or ")}.`);
  const size = label?.size;
  if (size !== undefined && !offered.sizes.includes(size))
    throw notSupported(carrier, `labels of size ${size}`, `Use label.size ${offered.sizes.join(" or ")}.`);
  return format;
}

/** The insured value of each parcel: its own, else an equal share of what is insured for the shipment and not by a parcel. */
export function insuredValues(parcels: readonly Parcel[], { insuredValue }: ShipOptions): (Amount | undefined)[] {
  const open = parcels.filter((parcel) => !parcel.insuredValue).length;
  if (!insuredValue || open === 0) return parcels.map((parcel) => parcel.insuredValue);
  const own = parcels.reduce((sum, parcel) => sum + cents(parcel.insuredValue?.amount ?? 0), 0);
  let left = Math.max(cents(insuredValue.amount) - own, 0);
  let shares = open;
  return parcels.map((parcel) => {
    if (parcel.insuredValue) return parcel.insuredValue;
    const share = Math.ceil(left / shares);
    left -= share;
    shares--;
    return share === 0 ? undefined : { amount: share / 100, currency: insuredValue.currency };
  });
}

function cents(amount: number): number {
  return Math.round(amount * 100);
}
