import type { LabelRequest, RateRequest, Settings } from "../seam/carrier.ts";
import { inchesOf, poundsOf } from "../seam/measures.ts";
import { centimetersOf, kilogramsOf } from "../seam/measures.ts";
import { insuredValues, notSupported } from "../seam/option-checks.ts";
import { asObject } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import type { Amount, Parcel } from "../seam/ship-options.ts";
import { OneOf, Strict, Type } from "../seam/schema.ts";
import { isDomestic, usesPounds } from "./ups-parties.ts";

type Shipment = LabelRequest | RateRequest;

export const upsExtraOptions = Strict({
  additionalHandling: Type.Optional(
    Type.Boolean({ title: "Additional handling", description: "The parcels are not boxes, or are awkward to handle" }),
  ),
  directDelivery: Type.Optional(
    Type.Boolean({
      title: "Direct delivery only",
      description: "Deliver to the address on the label only, not to an access point",
    }),
  ),
  shipperRelease: Type.Optional(
    Type.Boolean({
      title: "Shipper release",
      description: "The driver may leave the parcel without a signature (US only)",
    }),
  ),
  carbonNeutral: Type.Optional(Type.Boolean({ title: "Carbon neutral", description: "UPS offsets the emissions" })),
  goods: Type.Optional(
    Type.String({
      title: "Goods",
      minLength: 1,
      maxLength: 35,
      description: "What is in the parcels, for returns and customs",
    }),
  ),
  returnService: Type.Optional(
    OneOf(["print_label", "one_attempt", "three_attempts"], {
      title: "Return service",
      default: "print_label",
      description: "For returns: you send the label, or the driver brings it and tries once or three times",
    }),
  ),
});

const returnServices: Record<string, string> = { print_label: "9", one_attempt: "3", three_attempts: "5" };

/** The return service code of UPS; undefined for shipments to a customer. */
export function returnServiceOf({ options }: Shipment): { Code: string } | undefined {
  const { returnService = "print_label" } = asObject(options.extra);
  if (options.isReturn !== true && returnService !== "print_label")
    throw notSupported("UPS", "extra.returnService for shipments to a customer", "Set isReturn, or leave it out.");
  if (options.isReturn !== true) return undefined;
  return { Code: returnServices[String(returnService)] ?? "9" };
}

/** Packages, each with its weight, sides, declared value and signature. */
export function packagesOf(request: Shipment, of: "rate" | "ship", references: (parcel: Parcel) => Json): Json[] {
  const values = insuredValues(request.parcels, request.options);
  const extra = asObject(request.options.extra);
  return request.parcels.map((parcel, index) => {
    const packaging = { Code: parcel.packaging ?? "02" };
    const options = packageOptions(request, values[index], extra);
    return {
      ...(request.options.isReturn === true && of === "ship" ? { Description: goodsOf(request) } : {}),
      ...(of === "rate" ? { PackagingType: packaging } : { Packaging: packaging }),
      ...measuresOf(request, parcel),
      ...references(parcel),
      ...(extra.additionalHandling === true ? { AdditionalHandlingIndicator: "" } : {}),
      ...(Object.keys(options).length === 0 ? {} : { PackageServiceOptions: options }),
    };
  });
}

function packageOptions(request: Shipment, value: Amount | undefined, extra: Json): Json {
  const signature = signatureOf(request);
  return {
    ...(value === undefined
      ? {}
      : { DeclaredValue: { CurrencyCode: value.currency, MonetaryValue: value.amount.toFixed(2) } }),
    ...(signature !== undefined && isDomestic(request)
      ? { DeliveryConfirmation: { DCISType: signature === "adult" ? "3" : "2" } }
      : {}),
    ...(extra.shipperRelease === true ? { ShipperReleaseIndicator: "" } : {}),
  };
}

function signatureOf({ options }: Shipment): "any" | "adult" | undefined {
  if (options.signature === undefined || options.signature === "none") return undefined;
  if (options.isReturn === true) throw notSupported("UPS", "signatures on returns", "Leave out signature or isReturn.");
  return options.signature === "adult_signature" ? "adult" : "any";
}

function measuresOf(request: Shipment, { weight, dimensions }: Parcel): Json {
  const inPounds = usesPounds(request.from);
  const value = inPounds ? poundsOf(weight, 1) : kilogramsOf(weight);
  const PackageWeight = { UnitOfMeasurement: { Code: inPounds ? "LBS" : "KGS" }, Weight: String(value) };
  if (!dimensions) return { PackageWeight };
  // UPS refuses a package whose length is not its longest side.
  const sides = (inPounds ? inchesOf(dimensions) : centimetersOf(dimensions)).toSorted((a, b) => b - a);
  const [Length, Width, Height] = sides.map(String);
  return {
    Dimensions: { UnitOfMeasurement: { Code: inPounds ? "IN" : "CM" }, Length, Width, Height },
    PackageWeight,
  };
}

/** Options of the whole shipment that quotes and labels have in common. */
export function serviceOptionsOf(request: Shipment): Json {
  const { options } = request;
  const extra = asObject(options.extra);
  const signature = signatureOf(request);
  return {
    ...(options.saturdayDelivery === true ? { SaturdayDeliveryIndicator: "" } : {}),
    // The same two kinds have other numbers here than on a package.
    ...(signature !== undefined && !isDomestic(request)
      ? { DeliveryConfirmation: { DCISType: signature === "adult" ? "2" : "1" } }
      : {}),
    ...(extra.directDelivery === true ? { DirectDeliveryOnlyIndicator: "" } : {}),
    ...(extra.carbonNeutral === true ? { UPScarbonneutralIndicator: "" } : {}),
  };
}

/** Who pays for the transport, and for duties if the sender takes them. */
export function shipmentCharges({ options }: Shipment, settings: Settings): Json[] {
  const { billTo, customs } = options;
  const shipper = { BillShipper: { AccountNumber: String(settings.accountNumber) } };
  const duties = customs?.incoterm === "DDP" ? [{ Type: "02", ...shipper }] : [];
  if (!billTo) return [{ Type: "01", ...shipper }, ...duties];
  const zip = billTo.zip === undefined ? {} : { PostalCode: billTo.zip };
  if (billTo.party === "receiver") {
    const payer = { AccountNumber: billTo.account, ...(billTo.zip === undefined ? {} : { Address: zip }) };
    return [{ Type: "01", BillReceiver: payer }, ...duties];
  }
  if (billTo.countryCode === undefined)
    throw notSupported("UPS", "billTo without a country", "Set billTo.countryCode to that of the account.");
  const payer = { AccountNumber: billTo.account, Address: { ...zip, CountryCode: billTo.countryCode } };
  return [{ Type: "01", BillThirdParty: payer }, ...duties];
}

export function goodsOf({ options }: Shipment): string {
  const { goods } = asObject(options.extra);
  const [item] = options.customs?.items ?? [];
  return (typeof goods === "string" ? goods : (item?.description ?? "Merchandise")).slice(0, 35);
}
