import type { LabelRequest, RateRequest, Settings } from "../seam/carrier.ts";
import { inchesOf, ouncesOf } from "../seam/measures.ts";
import { asText } from "../seam/read.ts";
import type { Customs, Parcel, ShipOptions } from "../seam/ship-options.ts";
import { notSupported } from "../seam/option-checks.ts";

type Address = RateRequest["from"];
type Request = Pick<LabelRequest, "from" | "to" | "parcels" | "options" | "shipDate" | "reference">;

/** The body of POST /shipments: one parcel. */
export function shipmentBody(request: Request, settings: Settings): object {
  const [parcel] = request.parcels;
  const accounts = carrierAccounts(settings);
  return {
    ...commonBody(request),
    ...pieceBody(request, settings, parcel!),
    ...(accounts.length === 0 ? {} : { carrier_accounts: accounts }),
  };
}

/** The body of POST /orders: one shipment for each parcel. Unlike in a shipment, carrier accounts are objects. */
export function orderBody(request: Request, settings: Settings): object {
  const shipments = request.parcels.map((parcel) => pieceBody(request, settings, parcel));
  const accounts = carrierAccounts(settings).map((id) => ({ id }));
  return { ...commonBody(request), shipments, ...(accounts.length === 0 ? {} : { carrier_accounts: accounts }) };
}

/** EasyPost turns the addresses of a return around itself: the merchant stays `from_address`. */
function commonBody({ from, to, options }: Request): object {
  const isReturn = options.isReturn === true;
  const [sender, receiver] = isReturn ? [to, from] : [from, to];
  const residential = options.residential ?? undefined;
  return {
    from_address: { ...addressBody(sender), ...(isReturn ? { residential } : {}) },
    to_address: { ...addressBody(receiver), ...(isReturn ? {} : { residential }) },
    ...(isReturn ? { is_return: true } : {}),
  };
}

function pieceBody(request: Request, settings: Settings, parcel: Parcel): object {
  const { options } = request;
  const { customs } = options;
  return {
    parcel: parcelBody(parcel),
    options: optionsBody(request, settings, parcel),
    ...(customs ? { customs_info: customsBody(customs, request.from) } : {}),
    ...(customs?.taxIds ? { tax_identifiers: taxIdentifiers(customs.taxIds) } : {}),
  };
}

export function carrierAccounts(settings: Settings): string[] {
  return Array.isArray(settings.carrierAccounts) ? settings.carrierAccounts.map(String) : [];
}

export function addressBody(address: Address): Record<string, string | undefined> {
  return {
    name: address.name,
    company: address.company,
    street1: address.address1,
    street2: address.address2,
    city: address.city,
    state: address.provinceCode ?? address.province,
    zip: address.zip,
    country: address.countryCode?.toUpperCase() ?? address.country,
    phone: address.phone,
    email: address.email,
  };
}

function parcelBody({ weight, dimensions, packaging }: Parcel): object {
  const [length, width, height] = dimensions ? inchesOf(dimensions) : [];
  const sides = dimensions && packaging === undefined ? { length, width, height } : {};
  return {
    weight: ouncesOf(weight),
    ...sides,
    ...(packaging === undefined ? {} : { predefined_package: packaging }),
  };
}

const confirmations = { none: "NO_SIGNATURE", signature: "SIGNATURE", adult_signature: "ADULT_SIGNATURE" };
const sizes: Partial<Record<string, string>> = { "4x6": "4x6", letter: "8.5x11" };
const payers = { receiver: "RECEIVER", third_party: "THIRD_PARTY" };

function optionsBody({ options, shipDate, reference }: Request, settings: Settings, parcel: Parcel): object {
  const { signature, saturdayDelivery, billTo, customs, label = {}, references = [] } = options;
  const size = sizes[label.size ?? "4x6"];
  if (size === undefined) throw notSupported("EasyPost", "label.size", "Allowed are 4x6 and letter.");
  const printed = [reference, ...references, parcel.reference].filter((text) => text !== undefined).slice(0, 3);
  return {
    label_format: (label.format ?? asText(settings.labelFormat) ?? "pdf").toUpperCase(),
    label_size: size,
    // At noon UTC it is the same day everywhere between Alaska and Japan.
    label_date: `${shipDate}T12:00:00Z`,
    ...(signature === undefined ? {} : { delivery_confirmation: confirmations[signature] }),
    ...(saturdayDelivery === true ? { saturday_delivery: true } : {}),
    ...(billTo
      ? {
          payment: {
            type: payers[billTo.party],
            account: billTo.account,
            country: billTo.countryCode,
            postal_code: billTo.zip,
          },
        }
      : {}),
    ...(customs?.incoterm ? { incoterm: customs.incoterm } : {}),
    ...Object.fromEntries(printed.map((text, index) => [`print_custom_${index + 1}`, text])),
    ...extraBody(options.extra ?? {}),
  };
}

const extraNames: Record<string, string> = {
  endorsement: "endorsement",
  hazmat: "hazmat",
  alcohol: "alcohol",
  specialRates: "special_rates_eligibility",
  handlingInstructions: "handling_instructions",
  machinable: "machinable",
};

function extraBody(extra: NonNullable<ShipOptions["extra"]>): object {
  const entries = Object.entries(extra).map(([name, value]) => {
    const theirs = Object.hasOwn(extraNames, name) ? extraNames[name] : undefined;
    if (theirs === undefined)
      throw notSupported("EasyPost", `extra.${name}`, `Allowed are ${Object.keys(extraNames).join(", ")}.`);
    return [theirs, value] as const;
  });
  return Object.fromEntries(entries);
}

function customsBody(customs: Customs, from: Address): object {
  return {
    contents_type: customs.contents,
    contents_explanation: customs.explanation,
    customs_certify: true,
    customs_signer: customs.signer ?? from.name ?? from.company,
    eel_pfc: customs.exemption ?? "NOEEI 30.37(a)",
    non_delivery_option: customs.nonDelivery ?? "return",
    restriction_type: "none",
    customs_items: customs.items.map((item) => ({
      description: item.description,
      quantity: item.quantity,
      // Of all pieces together, as the declaration shows it.
      value: Math.round(item.value.amount * item.quantity * 100) / 100,
      currency: item.value.currency,
      weight: ouncesOf({ ...item.weight, value: item.weight.value * item.quantity }),
      hs_tariff_number: item.hsCode,
      origin_country: item.originCountryCode ?? from.countryCode?.toUpperCase(),
    })),
  };
}

function taxIdentifiers(taxIds: NonNullable<Customs["taxIds"]>): object[] {
  return taxIds.map(({ type, number, countryCode, party = "sender" }) => ({
    entity: party.toUpperCase(),
    tax_id_type: type,
    tax_id: number,
    issuing_country: countryCode,
  }));
}

/** EasyPost insures in US dollars, for one parcel at a time. Undefined: not insured. */
export function insuranceOf({ parcels, options }: Pick<Request, "parcels" | "options">): string | undefined {
  const insured = parcels.length === 1 ? (parcels[0]!.insuredValue ?? options.insuredValue) : undefined;
  const isAsked = options.insuredValue !== undefined || parcels.some(({ insuredValue }) => insuredValue !== undefined);
  if (!isAsked) return undefined;
  if (insured === undefined)
    throw notSupported("EasyPost", "insuredValue of several parcels", "Buy one label for each parcel.");
  if (insured.currency !== "USD")
    throw notSupported("EasyPost", `insuredValue in ${insured.currency}`, "Insure in USD.");
  return insured.amount.toFixed(2);
}
