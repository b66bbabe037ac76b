import { countryOf, phoneDigits, requiredPhone, streetLines } from "../seam/address-lines.ts";
import type { CarrierCall, LabelRequest, RateRequest } from "../seam/carrier.ts";
import { RemoteError } from "../seam/http.ts";
import { inchesOf, poundsOf } from "../seam/measures.ts";
import { insuredValues, notSupported } from "../seam/option-checks.ts";
import { asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import type { Customs, Parcel } from "../seam/ship-options.ts";
import { accountOf } from "./fedex-request.ts";

type Shipment = LabelRequest | RateRequest;
type Address = LabelRequest["from"];

export const fedexExtraOptions = Strict({
  oneRate: Type.Optional(
    Type.Boolean({
      title: "FedEx One Rate",
      description: "The flat price for packaging of FedEx, such as FEDEX_SMALL_BOX",
    }),
  ),
  indirectSignature: Type.Optional(
    Type.Boolean({ title: "Indirect signature", description: "With `signature`: a neighbor may sign too" }),
  ),
  homeDelivery: Type.Optional(
    OneOf(["EVENING", "APPOINTMENT", "DATE_CERTAIN"], {
      title: "Home delivery",
      description: "For FedEx Home Delivery: in the evening, by appointment or on the day in `homeDeliveryDate`",
    }),
  ),
  homeDeliveryDate: Type.Optional(
    Type.String({ title: "Day of home delivery", format: "date", description: "For DATE_CERTAIN" }),
  ),
});

/** More parcels are processed later, without labels in the response. */
const maxParcels = 40;

/** What quotes and labels have in common. */
export function shipmentOf(call: CarrierCall, request: Shipment): Json {
  const { options, parcels } = request;
  if (parcels.length > maxParcels)
    throw notSupported("FedEx", `${parcels.length} parcels in a shipment`, `At most ${maxParcels} are possible.`);
  const special = shipmentServices(request);
  const hubId = asText(call.settings.smartPostHubId);
  return {
    pickupType: pickupTypes[asText(call.settings.pickupType) ?? ""] ?? "DROPOFF_AT_FEDEX_LOCATION",
    packagingType: packagingOf(parcels),
    ...(Object.keys(special).length === 0 ? {} : { shipmentSpecialServices: special }),
    ...(hubId === undefined ? {} : { smartPostInfoDetail: { hubId, indicia: smartPostIndicia(parcels) } }),
    ...(options.customs ? { customsClearanceDetail: customsOf(call, request, options.customs) } : {}),
    totalPackageCount: parcels.length,
    totalWeight: Math.round(parcels.reduce((sum, { weight }) => sum + poundsOf(weight), 0) * 100) / 100,
  };
}

const pickupTypes: Record<string, string> = {
  scheduled: "USE_SCHEDULED_PICKUP",
  on_call: "CONTACT_FEDEX_TO_SCHEDULE",
};

function packagingOf(parcels: Parcel[]): string {
  const kinds = [...new Set(parcels.map((parcel) => parcel.packaging ?? "YOUR_PACKAGING"))];
  if (kinds.length > 1) throw notSupported("FedEx", "several kinds of packaging in a shipment", "Use one packaging.");
  return kinds[0] ?? "YOUR_PACKAGING";
}

/** Lighter parcels are sold under another name. */
function smartPostIndicia(parcels: Parcel[]): string {
  return parcels.every(({ weight }) => poundsOf(weight) < 1) ? "PRESORTED_STANDARD" : "PARCEL_SELECT";
}

/** FedEx requires a phone number of both. It calls the other party where a customer gave none. */
export function withPhones({ from, to }: Pick<LabelRequest, "from" | "to">): { from: Address; to: Address } {
  const given = (address: Address): boolean => phoneDigits(address.phone) !== undefined;
  if (given(from) === given(to)) return { from, to };
  return given(from) ? { from, to: { ...to, phone: from.phone! } } : { from: { ...from, phone: to.phone! }, to };
}

export function partyOf(address: Address, whose: string, residential: boolean): { address: Json; contact: Json } {
  const phoneNumber = requiredPhone("FedEx", address, whose);
  return {
    address: { ...addressOf(address, whose), residential },
    contact: {
      personName: (address.name ?? address.company ?? "").slice(0, 70),
      ...(address.company === undefined ? {} : { companyName: address.company.slice(0, 35) }),
      phoneNumber,
      ...(address.email === undefined ? {} : { emailAddress: address.email }),
    },
  };
}

export function addressOf(address: Address, whose: string): Json {
  return {
    streetLines: streetLines("FedEx", address, { lines: 3, characters: 35, whose }),
    ...placeOf(address, whose),
  };
}

/** Without the street, which quotes do not take. */
export function placeOf(address: Address, whose: string): Json {
  const city = address.city?.trim() ?? "";
  return {
    ...(city === "" ? {} : { city }),
    ...(address.provinceCode === undefined ? {} : { stateOrProvinceCode: address.provinceCode.toUpperCase() }),
    ...(address.zip === undefined ? {} : { postalCode: address.zip.replaceAll(/\s/g, "") }),
    countryCode: countryOf(address, whose),
  };
}

function shipmentServices({ options }: Shipment): Json {
  const extra = asObject(options.extra);
  const date = asText(extra.homeDeliveryDate);
  if ((date !== undefined) !== (extra.homeDelivery === "DATE_CERTAIN"))
    throw notSupported("FedEx", "one of extra.homeDelivery DATE_CERTAIN and extra.homeDeliveryDate", "Set both.");
  const types = [
    ...(options.saturdayDelivery === true ? ["SATURDAY_DELIVERY"] : []),
    ...(options.isReturn === true ? ["RETURN_SHIPMENT"] : []),
    ...(extra.oneRate === true ? ["FEDEX_ONE_RATE"] : []),
    ...(extra.homeDelivery === undefined ? [] : ["HOME_DELIVERY_PREMIUM"]),
  ];
  if (types.length === 0) return {};
  return {
    specialServiceTypes: types,
    ...(options.isReturn === true ? { returnShipmentDetail: { returnType: "PRINT_RETURN_LABEL" } } : {}),
    ...(extra.homeDelivery === undefined
      ? {}
      : {
          homeDeliveryPremiumDetail: {
            homedeliveryPremiumType: extra.homeDelivery,
            ...(date === undefined ? {} : { deliveryDate: date }),
          },
        }),
  };
}

export function packagesOf(request: Shipment, references: (parcel: Parcel) => Json): Json[] {
  const values = insuredValues(request.parcels, request.options);
  return request.parcels.map((parcel, index) => {
    const value = values[index];
    const signature = signatureOf(request);
    return {
      groupPackageCount: 1,
      weight: { units: "LB", value: poundsOf(parcel.weight) },
      ...dimensionsOf(parcel),
      ...(value === undefined ? {} : { declaredValue: { amount: value.amount, currency: value.currency } }),
      ...references(parcel),
      ...(signature === undefined
        ? {}
        : { packageSpecialServices: { specialServiceTypes: ["SIGNATURE_OPTION"], signatureOptionType: signature } }),
    };
  });
}

function dimensionsOf({ dimensions }: Parcel): Json {
  if (!dimensions) return {};
  // FedEx takes whole inches.
  const [length, width, height] = inchesOf(dimensions, 0).toSorted((a, b) => b - a);
  return { dimensions: { length, width, height, units: "IN" } };
}

function signatureOf({ options }: Shipment): string | undefined {
  const isIndirect = asObject(options.extra).indirectSignature === true;
  if (isIndirect && options.signature !== "signature")
    throw notSupported("FedEx", "extra.indirectSignature alone", "Set signature to signature as well.");
  if (options.signature === undefined) return undefined;
  if (options.signature === "none") return "NO_SIGNATURE_REQUIRED";
  if (options.signature === "adult_signature") return "ADULT";
  return isIndirect ? "INDIRECT" : "DIRECT";
}

/** Who pays for the transport. */
export function paymentOf(call: CarrierCall, { options, from, to }: Shipment): Json {
  const { billTo } = options;
  if (!billTo) return { paymentType: "SENDER", payor: { responsibleParty: { accountNumber: accountOf(call) } } };
  const country = billTo.countryCode ?? countryOf(billTo.party === "receiver" ? to : from, "payer");
  const address = { countryCode: country, ...(billTo.zip === undefined ? {} : { postalCode: billTo.zip }) };
  return {
    paymentType: billTo.party === "receiver" ? "RECIPIENT" : "THIRD_PARTY",
    payor: { responsibleParty: { accountNumber: { value: billTo.account }, address } },
  };
}

const purposes: Record<Customs["contents"], string> = {
  merchandise: "SOLD",
  gift: "GIFT",
  documents: "NOT_SOLD",
  sample: "SAMPLE",
  returned_goods: "REPAIR_AND_RETURN",
  other: "NOT_SOLD",
};

function customsOf(call: CarrierCall, request: Shipment, customs: Customs): Json {
  const currencies = [...new Set(customs.items.map(({ value }) => value.currency))];
  if (currencies.length > 1)
    throw new RemoteError("rejected", `The customs items have several currencies (${currencies.join(", ")}). Use one.`);
  if (customs.nonDelivery === "abandon")
    throw notSupported("FedEx", "customs.nonDelivery abandon", "Undeliverable parcels come back.");
  const cents = customs.items.reduce((sum, item) => sum + Math.round(item.value.amount * 100) * item.quantity, 0);
  return {
    isDocumentOnly: customs.contents === "documents",
    commercialInvoice: {
      shipmentPurpose: purposes[customs.contents],
      ...(customs.incoterm === undefined ? {} : { termsOfSale: customs.incoterm }),
      ...(customs.explanation === undefined ? {} : { comments: [customs.explanation] }),
      ...(customs.signer === undefined ? {} : { originatorName: customs.signer }),
    },
    dutiesPayment:
      customs.incoterm === "DDP"
        ? { paymentType: "SENDER", payor: { responsibleParty: { accountNumber: accountOf(call) } } }
        : { paymentType: "RECIPIENT" },
    ...(customs.exemption === undefined ? {} : { exportDetail: { exportComplianceStatement: customs.exemption } }),
    totalCustomsValue: { amount: cents / 100, currency: currencies[0] ?? "USD" },
    commodities: customs.items.map((item) => ({
      description: item.description,
      quantity: item.quantity,
      quantityUnits: "PCS",
      numberOfPieces: 1,
      weight: { units: "LB", value: poundsOf({ value: item.weight.value * item.quantity, unit: item.weight.unit }) },
      unitPrice: { amount: item.value.amount, currency: item.value.currency },
      customsValue: {
        amount: Math.round(item.value.amount * 100 * item.quantity) / 100,
        currency: item.value.currency,
      },
      countryOfManufacture: item.originCountryCode ?? countryOf(request.from, "sender"),
      ...(item.hsCode === undefined ? {} : { harmonizedCode: item.hsCode }),
    })),
  };
}

/** Tax numbers of one party. */
export function tinsOf(customs: Customs | undefined, party: "sender" | "receiver"): Json {
  const own = (customs?.taxIds ?? []).filter((taxId) => (taxId.party ?? "sender") === party);
  if (own.length === 0) return {};
  return {
    tins: own.map(({ type, number }) => ({
      number,
      tinType: type === "EIN" ? "FEDERAL" : "BUSINESS_UNION",
      usage: type,
    })),
  };
}
