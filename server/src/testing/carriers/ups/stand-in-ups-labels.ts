import { gifLabel, pdfLabel, pngLabel, zplLabel } from "../label-files.ts";
import type { JournalEntry, Operation, StandIn } from "../stand-in-api.ts";
import type { UpsShipment } from "./stand-in-ups-rates.ts";
import {
  billingWeight,
  findObstacle,
  hasNegotiated,
  isDomesticShipment,
  itemizedCharges,
  publishedCharges,
  servicesFor,
  upsPrice,
} from "./stand-in-ups-rates.ts";
import { listFor, money, readBody, refuse, success, versionOf } from "./stand-in-ups-replies.ts";
import { RecoveryBody, ShipBody } from "./stand-in-ups-requests.ts";

/** A purchase as it is in the journal: all of its packages are one entry. */
export type UpsSale = JournalEntry & {
  shipmentId: string;
  trackingNumbers: string[];
  /** References of the packages, or of the shipment; the key of the purchase is among them. */
  references: string[];
  service: string;
  serviceName: string;
  shipperNumber: string;
  to: { name: string; city: string; state: string; zip: string; country: string };
  pounds: number[];
  totalCents: number;
  at: string;
};

export function upsSales(standIn: StandIn): UpsSale[] {
  return standIn.journal("buy") as UpsSale[];
}

/** Tracking numbers of packages that were voided. */
function voidedNumbers(standIn: StandIn): Set<unknown> {
  return new Set(standIn.journal("void").flatMap((entry) => entry.trackingNumbers as string[]));
}

export function upsShipping(account: string, now: () => Date): Operation[] {
  return [
    {
      name: "buy",
      method: "POST",
      path: /^\/api\/shipments\/v(\d{1,4})\/ship$/,
      answer(request, match, standIn) {
        const { body, refused } = readBody(request, ShipBody);
        if (!body) return refused;
        const { Request, Shipment, LabelSpecification } = body.ShipmentRequest;
        const obstacle = findShippingObstacle(Shipment, account) ?? findObstacle(Shipment, true);
        if (obstacle) return obstacle;
        const format = LabelSpecification.LabelImageFormat.Code;
        if (!["GIF", "PNG"].includes(format) && !LabelSpecification.LabelStockSize) {
          return refuse(400, "20007", "Missing Required field, ShipmentRequest/LabelSpecification/LabelStockSize.");
        }
        const wanted = servicesFor(Shipment).find((one) => one.code === Shipment.Service.Code);
        if (!wanted)
          return refuse(400, "121210", "The requested service is unavailable between the selected locations.");
        const price = upsPrice(Shipment, wanted);
        const first = upsSales(standIn).reduce((sum, sale) => sum + sale.trackingNumbers.length, 0);
        const numbers = Shipment.Package.map((_, at) => trackingNumber(account, wanted.code, first + at + 1));
        const isNegotiated = hasNegotiated(Shipment, account, standIn, "buy");
        const { Name, Address } = Shipment.ShipTo;
        const sale: UpsSale = {
          kind: "buy",
          shipmentId: numbers[0]!,
          trackingNumbers: numbers,
          references: [Shipment, ...Shipment.Package].flatMap((one) =>
            (one.ReferenceNumber ?? []).map(({ Value }) => Value),
          ),
          service: wanted.code,
          serviceName: wanted.name,
          shipperNumber: account,
          to: {
            name: Name,
            city: Address.City,
            state: Address.StateProvinceCode ?? "",
            zip: Address.PostalCode ?? "",
            country: Address.CountryCode,
          },
          pounds: price.pounds,
          totalCents: isNegotiated ? price.negotiated.totalCents : price.totalCents,
          at: now().toISOString(),
        };
        standIn.record(sale);
        const version = versionOf(match);
        const isSingle = standIn.takeFault("single_object", "buy");
        const isItemized = Number(Request.SubVersion ?? 0) >= 1601;
        return {
          status: 200,
          body: {
            ShipmentResponse: {
              Response: success(Request.TransactionReference?.CustomerContext),
              ShipmentResults: {
                ShipmentCharges: publishedCharges(price, isItemized),
                ...(isNegotiated && {
                  NegotiatedRateCharges: {
                    TotalCharge: money(price.negotiated.totalCents),
                    // As often with UPS, the lines are those of the published price.
                    ...(isItemized && { ItemizedCharges: itemizedCharges(price) }),
                  },
                }),
                RatingMethod: "01",
                BillableWeightCalculationMethod: "02",
                BillingWeight: billingWeight(price),
                ShipmentIdentificationNumber: sale.shipmentId,
                PackageResults: listFor(
                  version,
                  numbers.map((number) => ({
                    TrackingNumber: number,
                    ServiceOptionsCharges: money(Math.round(price.optionCents / numbers.length)),
                    ShippingLabel: shippingLabel(sale, number, format),
                  })),
                  isSingle,
                ),
              },
            },
          },
        };
      },
    },
    {
      name: "void",
      method: "DELETE",
      path: /^\/api\/shipments\/v(\d{1,4})\/void\/cancel\/(\w+)$/,
      answer(request, match, standIn) {
        const sale = upsSales(standIn).find((one) => one.shipmentId === match[2]);
        const isLate = sale && now().getTime() - Date.parse(sale.at) > 90 * 86_400_000;
        if (!sale || isLate || standIn.takeFault("void_refused", "void")) {
          return refuse(400, "190102", "No shipment found within the allowed void period");
        }
        const asked = request.url.searchParams.getAll("trackingnumber").flatMap((text) => text.split(","));
        if (asked.length > 20)
          return refuse(400, "20008", "The field, trackingnumber, contains invalid data: at most 20.");
        const foreign = asked.find((number) => !sale.trackingNumbers.includes(number));
        if (foreign) return refuse(400, "190104", `The tracking number ${foreign} is not a part of the shipment.`);
        const voided = voidedNumbers(standIn);
        const numbers = asked.length > 0 ? asked : sale.trackingNumbers;
        const open = numbers.filter((number) => !voided.has(number));
        if (open.length === 0) return refuse(400, "190117", "The shipment has already been voided.");
        standIn.record({ kind: "void", shipmentId: sale.shipmentId, trackingNumbers: open, at: now().toISOString() });
        const results = numbers.map((number) => ({
          TrackingNumber: number,
          Status: open.includes(number)
            ? { Code: "1", Description: "Success" }
            : { Code: "0", Description: "Already voided" },
        }));
        const isPartial = asked.length > 0;
        return {
          status: 200,
          body: {
            VoidShipmentResponse: {
              Response: success(),
              SummaryResult: { Status: { Code: "1", Description: isPartial ? "Partially voided" : "Success" } },
              ...(isPartial && { PackageLevelResult: results }),
            },
          },
        };
      },
    },
    {
      name: "recover",
      method: "POST",
      path: /^\/api\/labels\/v(\d{1,4})\/recovery$/,
      answer(request, match, standIn) {
        const { body, refused } = readBody(request, RecoveryBody);
        if (!body) return refused;
        const { Request, LabelSpecification, TrackingNumber, ReferenceValues } = body.LabelRecoveryRequest;
        if (!TrackingNumber && !ReferenceValues) {
          return refuse(400, "20007", "Missing Required field, LabelRecoveryRequest/TrackingNumber.");
        }
        if (ReferenceValues && ReferenceValues.ShipperNumber !== account) {
          return refuse(400, "120100", "Missing or invalid shipper number");
        }
        const voided = voidedNumbers(standIn);
        const found = upsSales(standIn).filter(
          (sale) =>
            (TrackingNumber
              ? sale.trackingNumbers.includes(TrackingNumber)
              : sale.references.includes(ReferenceValues!.ReferenceNumber.Value)) &&
            sale.trackingNumbers.some((number) => !voided.has(number)),
        );
        if (found.length === 0 || standIn.takeFault("recovery_late", "recover")) {
          return refuse(
            400,
            "9801031",
            "The shipment for the reference number plus shipper number could not be found.",
          );
        }
        const answer = { Response: success(Request.TransactionReference?.CustomerContext) };
        if (found.length > 1) {
          const candidates = found.flatMap(({ trackingNumbers, to, at }) =>
            trackingNumbers.map((number) => ({
              TrackingNumber: number,
              DestinationPostalCode: to.zip,
              DestinationCountryCode: to.country,
              PickupDateRange: { BeginDate: dayOf(at), EndDate: dayOf(at) },
            })),
          );
          return { status: 200, body: { LabelRecoveryResponse: { ...answer, TrackingCandidate: candidates } } };
        }
        const sale = found[0]!;
        const wanted = LabelSpecification?.LabelImageFormat?.Code ?? "GIF";
        const format = standIn.takeFault("recovery_gif", "recover") ? "GIF" : wanted;
        const results = sale.trackingNumbers
          .filter((number) => !voided.has(number) && (!TrackingNumber || number === TrackingNumber))
          .map((number) => ({
            TrackingNumber: number,
            LabelImage: {
              LabelImageFormat: { Code: format },
              GraphicImage: labelImage(sale, number, format).toString("base64"),
              URL: `${standIn.url}/uel/llp/${number}/link/labelAll`,
            },
          }));
        return {
          status: 200,
          body: {
            LabelRecoveryResponse: {
              ...answer,
              ShipmentIdentificationNumber: sale.shipmentId,
              LabelResults: listFor(versionOf(match), results),
            },
          },
        };
      },
    },
  ];
}

type Shipment = Extract<UpsShipment, { PaymentInformation: unknown }>;

function findShippingObstacle(shipment: Shipment, account: string) {
  if (shipment.Shipper.ShipperNumber !== account) return refuse(400, "120100", "Missing or invalid shipper number");
  const transport = shipment.PaymentInformation.ShipmentCharge.find(({ Type }) => Type === "01");
  if (!transport || !(transport.BillShipper ?? transport.BillReceiver ?? transport.BillThirdParty)) {
    return refuse(
      400,
      "20007",
      "Missing Required field, Shipment/PaymentInformation/ShipmentCharge of type 01 with a payer.",
    );
  }
  const isDomestic = isDomesticShipment(shipment);
  if (isDomestic && shipment.ReferenceNumber) {
    return refuse(400, "120541", "Shipment/ReferenceNumber is not allowed for this shipment");
  }
  if (!isDomestic && shipment.Package.some((one) => one.ReferenceNumber)) {
    return refuse(400, "120540", "Package/ReferenceNumber is not allowed for this shipment");
  }
  if (isDomestic && shipment.ShipmentServiceOptions?.DeliveryConfirmation) {
    return refuse(400, "121950", "Delivery confirmation of a domestic shipment belongs to its packages.");
  }
  if (!isDomestic && shipment.Package.some((one) => one.PackageServiceOptions?.DeliveryConfirmation)) {
    return refuse(400, "121950", "Delivery confirmation of an international shipment belongs to the shipment.");
  }
  if (!isDomestic && !shipment.ShipTo.Phone) return refuse(400, "120213", "Missing ShipTo phone number.");
  if (!isDomestic && !shipment.ShipTo.AttentionName) return refuse(400, "120217", "Missing ShipTo attention name.");
  return undefined;
}

function shippingLabel(sale: UpsSale, number: string, format: string) {
  const page = `<html><body><img src="./label${number}.gif"></body></html>`;
  return {
    ImageFormat: { Code: format, Description: format },
    GraphicImage: labelImage(sale, number, format).toString("base64"),
    ...(["GIF", "PNG"].includes(format) && { HTMLImage: Buffer.from(page).toString("base64") }),
  };
}

function labelImage(sale: UpsSale, trackingNumber: string, format: string): Buffer {
  const label = { carrier: "UPS", service: sale.serviceName, trackingNumber, to: `${sale.to.name} ${sale.to.zip}` };
  if (format === "GIF") return gifLabel(label);
  if (format === "PNG") return pngLabel(label);
  if (format === "PDF") return pdfLabel(label);
  if (format === "ZPL") return zplLabel(label);
  return Buffer.from(`N\nA50,50,0,4,1,1,N,"${label.service}"\nB50,120,0,1,3,7,150,B,"${trackingNumber}"\nP1\n`);
}

function dayOf(at: string): string {
  return at.slice(0, 10).replaceAll("-", "");
}

/** 1Z, the account, the service, a serial number and a check digit. */
function trackingNumber(account: string, service: string, serial: number): string {
  const body = `${account.toUpperCase()}${service}${String(serial).padStart(7, "0")}`;
  const digits = body
    .split("")
    .map((letter) => (/\d/.test(letter) ? Number(letter) : (letter.charCodeAt(0) - 63) % 10));
  const sum = digits.reduce((total, digit, at) => total + (at % 2 === 0 ? digit : digit * 2), 0);
  return `1Z${body}${(10 - (sum % 10)) % 10}`;
}
