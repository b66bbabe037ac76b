import type { LabelRequest, RateRequest, Settings } from "../seam/carrier.ts";
import { InvalidInput } from "../seam/invalid-input.ts";
import type { InputField } from "../seam/invalid-input.ts";
import type { Customs, Parcel, ShipOptions } from "../seam/ship-options.ts";
import { notSupported } from "../seam/option-checks.ts";

type Address = RateRequest["from"];
type Request = Pick<LabelRequest, "from" | "to" | "parcels" | "options" | "shipDate" | "reference">;

const confirmations = { none: "none", signature: "signature", adult_signature: "adult_signature" };

/** The shipment of a rate or label request, without carrier and service. */
export function shipmentBody(request: Request, settings: Settings): object {
  const { from, to, parcels, options, shipDate } = request;
  const { signature, customs, residential } = options;
  requireComplete(request);
  const isReturn = options.isReturn === true;
  const isInsured = options.insuredValue !== undefined || parcels.some(({ insuredValue }) => insuredValue);
  return {
    ship_date: shipDate,
    ship_to: addressBody(to, isReturn ? undefined : residential),
    ship_from: addressBody(from, isReturn ? residential : undefined),
    packages: parcels.map((parcel) => packageBody(parcel, request)),
    advanced_options: advancedBody(options),
    ...(signature === undefined ? {} : { confirmation: confirmations[signature] }),
    ...(isInsured ? { insurance_provider: settings.insurance ?? "carrier" } : {}),
    ...(customs ? { customs: customsBody(customs, from) } : {}),
    ...(customs?.taxIds ? { tax_identifiers: taxIdentifiers(customs.taxIds) } : {}),
  };
}

/** ShipEngine wants whole addresses, also for prices. What either of them lacks is named at once. */
function requireComplete({ from, to }: Pick<Request, "from" | "to">): void {
  const [sender, recipient] = [missingIn(from, true), missingIn(to, false)];
  if (sender.length + recipient.length === 0) return;
  const sentences = [
    "ShipEngine needs a complete address.",
    ...(sender.length === 0 ? [] : [`The address of the sender has no ${sender.join(", ")}.`]),
    ...(recipient.length === 0 ? [] : [`The address of the recipient has no ${recipient.join(", ")}.`]),
  ];
  const fields = [
    ...sender.map((name): InputField => ({ part: "from", name, code: "required" })),
    ...recipient.map((name): InputField => ({ part: "to", name, code: "required" })),
  ];
  throw new InvalidInput("address_incomplete", sentences.join(" "), fields);
}

function missingIn(address: Address, isSender: boolean): (keyof Address)[] {
  const { name, company, address1, city, provinceCode, province, zip, countryCode, phone } = address;
  const parts = { name: name ?? company, address1, city, provinceCode: provinceCode ?? province, zip, countryCode };
  const needed = isSender ? { ...parts, phone } : parts;
  return Object.entries(needed).flatMap(([part, value]) => (value?.trim() ? [] : [part as keyof Address]));
}

export function addressBody(address: Address, residential?: boolean | null): object {
  return {
    name: address.name ?? address.company,
    company_name: address.company,
    phone: address.phone,
    email: address.email,
    address_line1: address.address1,
    address_line2: address.address2,
    city_locality: address.city,
    state_province: address.provinceCode ?? address.province,
    postal_code: address.zip,
    country_code: address.countryCode?.toUpperCase(),
    address_residential_indicator: residential === true ? "yes" : residential === false ? "no" : "unknown",
  };
}

const weightUnits = { lb: "pound", oz: "ounce", g: "gram", kg: "kilogram" };

function packageBody(parcel: Parcel, { parcels, options, reference }: Request): object {
  const { weight, dimensions, packaging } = parcel;
  const printed = [reference, ...(options.references ?? []), parcel.reference].filter((text) => text !== undefined);
  const insured = parcel.insuredValue ?? (parcels.length === 1 ? options.insuredValue : undefined);
  if (options.insuredValue && !insured)
    throw notSupported("ShipEngine", "insuredValue", "Give each of several parcels its own insuredValue.");
  return {
    package_code: packaging ?? "package",
    weight: { value: weight.value, unit: weightUnits[weight.unit] },
    ...(dimensions
      ? {
          dimensions: {
            unit: dimensions.unit === "in" ? "inch" : "centimeter",
            length: dimensions.length,
            width: dimensions.width,
            height: dimensions.height,
          },
        }
      : {}),
    ...(insured ? { insured_value: { amount: insured.amount, currency: insured.currency.toLowerCase() } } : {}),
    ...(printed.length > 0
      ? {
          label_messages: {
            reference1: printed[0] ?? null,
            reference2: printed[1] ?? null,
            reference3: printed[2] ?? null,
          },
        }
      : {}),
  };
}

const extraNames: Record<string, string> = {
  containsAlcohol: "contains_alcohol",
  nonMachinable: "non_machinable",
  additionalHandling: "additional_handling",
  shipperRelease: "shipper_release",
  dutiesPaid: "delivered_duty_paid",
};

function advancedBody({ saturdayDelivery, billTo, extra = {} }: ShipOptions): object {
  const extras = Object.entries(extra).map(([name, value]) => {
    const theirs = Object.hasOwn(extraNames, name) ? extraNames[name] : undefined;
    if (theirs === undefined)
      throw notSupported("ShipEngine", `extra.${name}`, `Allowed are ${Object.keys(extraNames).join(", ")}.`);
    return [theirs, value] as const;
  });
  return {
    ...(saturdayDelivery === true ? { saturday_delivery: true } : {}),
    ...(billTo
      ? {
          bill_to_party: billTo.party === "receiver" ? "recipient" : "third_party",
          bill_to_account: billTo.account,
          bill_to_country_code: billTo.countryCode,
          bill_to_postal_code: billTo.zip,
        }
      : {}),
    ...Object.fromEntries(extras),
  };
}

function customsBody(customs: Customs, from: Address): object {
  if (customs.signer !== undefined)
    throw notSupported("ShipEngine", "customs.signer", "The sender signs the declaration.");
  if (customs.exemption !== undefined)
    throw notSupported("ShipEngine", "customs.exemption", "ShipEngine decides on the export filing itself.");
  return {
    contents: customs.contents,
    contents_explanation: customs.explanation,
    non_delivery: customs.nonDelivery === "abandon" ? "treat_as_abandoned" : "return_to_sender",
    terms_of_trade_code: customs.incoterm?.toLowerCase(),
    customs_items: customs.items.map((item) => ({
      description: item.description,
      quantity: item.quantity,
      value: item.value.amount,
      value_currency: item.value.currency.toLowerCase(),
      weight: { value: item.weight.value, unit: weightUnits[item.weight.unit] },
      harmonized_tariff_code: item.hsCode,
      country_of_origin: item.originCountryCode ?? from.countryCode?.toUpperCase(),
    })),
  };
}

function taxIdentifiers(taxIds: NonNullable<Customs["taxIds"]>): object[] {
  return taxIds.map(({ type, number, countryCode, party = "sender" }) => ({
    taxable_entity_type: party === "sender" ? "shipper" : "recipient",
    identifier_type: type.toLowerCase(),
    issuing_authority: countryCode,
    value: number,
  }));
}
