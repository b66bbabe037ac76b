import { countryOf } from "../seam/address-lines.ts";
import type { LabelRequest, RateRequest, Settings } from "../seam/carrier.ts";
import type { Customs, Parcel, ShipOptions } from "../seam/ship-options.ts";
import { asObject } from "../seam/read.ts";
import { notSupported } from "../seam/option-checks.ts";

type Address = RateRequest["from"];
type Request = Pick<LabelRequest, "from" | "to" | "parcels" | "options" | "shipDate" | "reference">;

/** What rate and shipment requests have in common. karrio turns the addresses of a return around itself when it is bought. */
export function shipmentBody(request: Request, settings: Settings, isPurchase: boolean): object {
  const { from, to, parcels, options, shipDate, reference } = request;
  const { customs, residential, references = [] } = options;
  const turns = isPurchase && options.isReturn === true;
  const [shipper, recipient] = turns ? [to, from] : [from, to];
  const isCustomer = (address: Address): boolean => address === (options.isReturn === true ? from : to);
  const carrierIds = Array.isArray(settings.carrierIds) ? settings.carrierIds.map(String) : [];
  const printed = [reference, ...references].filter((text) => text !== undefined).join(" / ");
  return {
    shipper: {
      ...addressBody(shipper, isCustomer(shipper) ? residential : undefined),
      country_code: countryOf(shipper, shipper === from ? "sender" : "recipient"),
      federal_tax_id: taxNumber(customs, "sender", "EIN"),
    },
    recipient: {
      ...addressBody(recipient, isCustomer(recipient) ? residential : undefined),
      country_code: countryOf(recipient, recipient === to ? "recipient" : "sender"),
      federal_tax_id: taxNumber(customs, "receiver", "EIN"),
    },
    parcels: parcels.map(parcelBody),
    options: optionsBody(options, parcels, shipDate),
    ...(turns ? { is_return: true } : {}),
    ...(customs ? { customs: customsBody(customs, from) } : {}),
    ...paymentBody(options),
    ...(carrierIds.length === 0 ? {} : { carrier_ids: carrierIds }),
    ...(printed === "" ? {} : { reference: printed.slice(0, 100) }),
  };
}

export function addressBody(address: Address, residential?: boolean | null): object {
  return {
    person_name: address.name,
    company_name: address.company,
    address_line1: address.address1,
    address_line2: address.address2,
    city: address.city,
    state_code: address.provinceCode,
    postal_code: address.zip,
    country_code: address.countryCode?.toUpperCase(),
    phone_number: address.phone,
    email: address.email,
    ...(residential === undefined || residential === null ? {} : { residential }),
  };
}

const packagings = new Set("envelope pak tube pallet small_box medium_box large_box your_packaging".split(" "));

function parcelBody({ weight, dimensions, packaging = "your_packaging", reference, insuredValue }: Parcel): object {
  return {
    weight: weight.value,
    weight_unit: weight.unit.toUpperCase(),
    ...(dimensions
      ? {
          length: dimensions.length,
          width: dimensions.width,
          height: dimensions.height,
          dimension_unit: dimensions.unit.toUpperCase(),
        }
      : {}),
    ...(packagings.has(packaging) ? { packaging_type: packaging } : { package_preset: packaging }),
    ...(reference === undefined ? {} : { reference_number: reference }),
    ...(insuredValue ? { options: { insurance: insuredValue.amount } } : {}),
  };
}

/** The options that karrio has for every carrier; those of one carrier go into `extra.options` by their names in karrio. */
function optionsBody(options: ShipOptions, parcels: Parcel[], shipDate: string): object {
  const { signature, saturdayDelivery, insuredValue, label, extra = {} } = options;
  if (signature === "adult_signature")
    throw notSupported(
      "karrio",
      "signature adult_signature",
      "It differs by carrier: put its option into extra.options.",
    );
  if (label?.size !== undefined && label.size !== "4x6")
    throw notSupported("karrio", "label.size", "The size is set in the carrier connection in karrio.");
  const unknown = Object.keys(extra).find((name) => name !== "options");
  if (unknown !== undefined) throw notSupported("karrio", `extra.${unknown}`, "Allowed is options.");
  const currency = insuredValue?.currency ?? parcels.find((parcel) => parcel.insuredValue)?.insuredValue?.currency;
  return {
    shipping_date: `${shipDate}T12:00`,
    ...(currency === undefined ? {} : { currency }),
    ...(signature === "signature" ? { signature_confirmation: true } : {}),
    ...(saturdayDelivery === true ? { saturday_delivery: true } : {}),
    ...(insuredValue ? { insurance: insuredValue.amount } : {}),
    ...asObject(extra.options),
  };
}

function paymentBody({ billTo }: ShipOptions): object {
  if (!billTo) return {};
  const address = { country_code: billTo.countryCode, postal_code: billTo.zip };
  return {
    payment: { paid_by: billTo.party === "receiver" ? "recipient" : "third_party", account_number: billTo.account },
    ...(billTo.countryCode === undefined ? {} : { billing_address: address }),
  };
}

function customsBody(customs: Customs, from: Address): object {
  if (customs.nonDelivery === "abandon")
    throw notSupported("karrio", "customs.nonDelivery", "Parcels that cannot be delivered are returned.");
  const receiver = customs.taxIds?.find(({ party, type }) => party === "receiver" && type !== "EIN");
  if (receiver)
    throw notSupported("karrio", `customs.taxIds ${receiver.type} of the receiver`, "Allowed is EIN of the receiver.");
  const { contents } = customs;
  return {
    content_type: contents === "returned_goods" ? "return_merchandise" : contents,
    content_description: customs.explanation,
    incoterm: customs.incoterm,
    certify: true,
    signer: customs.signer ?? from.name ?? from.company,
    duty: { paid_by: customs.incoterm === "DDP" ? "sender" : "recipient" },
    options: {
      eel_pfc: customs.exemption,
      eori_number: taxNumber(customs, "sender", "EORI"),
      vat_registration_number: taxNumber(customs, "sender", "VAT"),
      ioss: taxNumber(customs, "sender", "IOSS"),
    },
    commodities: customs.items.map((item) => ({
      title: item.description,
      description: item.description,
      quantity: item.quantity,
      weight: item.weight.value,
      weight_unit: item.weight.unit.toUpperCase(),
      value_amount: item.value.amount,
      value_currency: item.value.currency,
      hs_code: item.hsCode,
      origin_country: item.originCountryCode ?? from.countryCode?.toUpperCase(),
    })),
  };
}

function taxNumber(customs: Customs | undefined, party: string, type: string): string | undefined {
  return customs?.taxIds?.find((one) => one.type === type && (one.party ?? "sender") === party)?.number;
}
