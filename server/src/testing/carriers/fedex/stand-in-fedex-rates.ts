import { addBusinessDays, transitDays } from "../stand-in-prices.ts";
import type { Operation } from "../stand-in-api.ts";
import type { FedexPrice, FedexService, PricedShipment } from "./stand-in-fedex-prices.ts";
import { fedexPrice, fedexSurcharges, findObstacle, recipientOf, servicesFor } from "./stand-in-fedex-prices.ts";
import { amount, readBody, refuse, reply } from "./stand-in-fedex-replies.ts";
import { RateBody } from "./stand-in-fedex-requests.ts";

const dayWords = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"];

export function fedexRating(account: string, today: () => string): Operation[] {
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/rate\/v1\/rates\/quotes$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, RateBody);
        if (!body) return refused;
        if (body.accountNumber.value !== account) {
          return refuse(400, "ACCOUNT.NUMBER.MISMATCH", "The account number is not that of the shipper.", request);
        }
        const shipment = body.requestedShipment;
        const obstacle = findObstacle(shipment);
        if (obstacle) return obstacle;
        const wanted = servicesFor(shipment).filter(
          ({ code }) => !shipment.serviceType || code === shipment.serviceType,
        );
        if (wanted.length === 0) {
          return refuse(
            400,
            "SERVICE.PACKAGECOMBINATION.INVALID",
            "Invalid service and packaging combination.",
            request,
          );
        }
        const offered = standIn.takeFault("partial_rates", "rate") ? wanted.slice(0, 1) : wanted;
        const asked = shipment.rateRequestType ?? ["ACCOUNT"];
        const types = (["ACCOUNT", "LIST"] as const).filter((type) => asked.includes(type) || type === "ACCOUNT");
        const rateTypes = standIn.takeFault("negotiated_missing", "rate") ? (["LIST"] as const) : types;
        const isNoisy = standIn.takeFault("float_noise", "rate");
        const withTransit = body.rateRequestControlParameters?.returnTransitTimes === true;
        const details = offered.map((one) => {
          const price = fedexPrice(shipment, one);
          const rated = rateTypes.map((type) => ratedDetail(price, type, isNoisy));
          return serviceReply(
            one,
            price,
            rated,
            withTransit ? (shipment.shipDateStamp ?? today()) : undefined,
            shipment,
          );
        });
        const alert = {
          code: "SHIPMENT.CHARGES.NOTE",
          message: "Shipment level charges have been added to first package.",
          alertType: "NOTE",
          parameterList: [],
        };
        const isSingle = standIn.takeFault("single_object", "rate");
        const rateReplyDetails = isSingle && details.length === 1 ? details[0] : details;
        return reply(request, { alerts: [alert], rateReplyDetails, quoteDate: today(), encoded: false });
      },
    },
  ];
}

function ratedDetail(price: FedexPrice, type: "ACCOUNT" | "LIST", isNoisy: boolean) {
  const { baseCents, fuelCents, otherCents, netCents, taxCents } = price.byType[type];
  // Rounding errors of sums that were computed as floats.
  const summed = (cents: number): number => amount(cents) * (isNoisy ? 1 + Number.EPSILON : 1);
  const surCharges = [
    ...price.lines.map(({ cents, ...line }) => ({ ...line, level: "PACKAGE", amount: amount(cents) })),
    { type: "FUEL", description: "Fuel Surcharge", level: "SHIPMENT", amount: amount(fuelCents) },
  ];
  const taxes = taxCents > 0 ? [{ type: "HST", description: "Canada HST", amount: amount(taxCents) }] : [];
  const weight = { units: "LB", value: price.pounds };
  return {
    rateType: type,
    ratedWeightMethod: "ACTUAL",
    totalDiscounts: 0,
    totalBaseCharge: summed(baseCents),
    totalNetCharge: summed(netCents + taxCents),
    totalNetFedExCharge: summed(netCents),
    shipmentRateDetail: {
      rateZone: String(price.zone),
      dimDivisor: fedexSurcharges.divisor,
      fuelSurchargePercent: fedexSurcharges.fuelPercent,
      totalSurcharges: amount(fuelCents + otherCents),
      totalFreightDiscount: 0,
      surCharges,
      taxes,
      pricingCode: "",
      totalBillingWeight: weight,
      dimDivisorType: "COUNTRY",
      currency: "USD",
      rateScale: "US0001F2_20_YOUR_PACKAGING",
      totalRateScaleWeight: weight,
    },
    ratedPackages: [
      {
        groupNumber: 0,
        effectiveNetDiscount: 0,
        packageRateDetail: {
          rateType: `PAYOR_${type}_SHIPMENT`,
          ratedWeightMethod: "ACTUAL",
          baseCharge: amount(baseCents),
          netFreight: amount(baseCents),
          totalSurcharges: amount(fuelCents + otherCents),
          netFedExCharge: amount(netCents),
          totalTaxes: amount(taxCents),
          netCharge: amount(netCents + taxCents),
          totalRebates: 0,
          billingWeight: weight,
          totalFreightDiscounts: 0,
          surcharges: surCharges,
          currency: "USD",
        },
        sequenceNumber: 1,
      },
    ],
    currency: "USD",
  };
}

function serviceReply(
  service: FedexService,
  price: FedexPrice,
  rated: unknown[],
  shipDay: string | undefined,
  shipment: PricedShipment,
) {
  const place = ({ countryCode, stateOrProvinceCode, postalCode }: ReturnType<typeof recipientOf>) => ({
    countryCode: countryCode ?? "",
    stateOrProvinceCode: stateOrProvinceCode ?? "",
    postalCode: postalCode ?? "",
    locationNumber: 0,
  });
  const days = transitDays(service, price.zone);
  const arrival = shipDay && addBusinessDays(shipDay, days);
  const weekday =
    arrival && ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][new Date(`${arrival}T00:00:00Z`).getUTCDay()];
  return {
    serviceType: service.code,
    serviceName: service.name,
    packagingType: shipment.packagingType ?? "YOUR_PACKAGING",
    commit: {
      ...(arrival
        ? {
            // Local to the recipient, without a zone.
            dateDetail: {
              dayOfWeek: weekday,
              dayFormat: `${arrival}T${service.promisesDay ? "10:30:00" : "23:59:00"}`,
            },
            ...(!service.promisesDay && {
              transitDays: { minimumTransitTime: `${dayWords[days]}_DAYS`, description: `${days} Business Days` },
            }),
          }
        : {
            label: "Delivery date unavailable",
            commitMessageDetails: "Delivery date and time estimates are not available for this shipment.",
          }),
      derivedOriginDetail: place(shipment.shipper.address),
      derivedDestinationDetail: place(recipientOf(shipment)),
      saturdayDelivery: false,
    },
    customerMessages: [
      { code: "SERVICE.TYPE.INTERNATIONAL.MESSAGE", message: "Rate does not include duties and taxes." },
    ],
    ratedShipmentDetails: rated,
    operationalDetail: {
      ineligibleForMoneyBackGuarantee: !service.promisesDay,
      astraDescription: service.astra,
      serviceCode: "20",
    },
    signatureOptionType: "SERVICE_DEFAULT",
    serviceDescription: {
      serviceId: "EP1000000013",
      serviceType: service.code,
      code: "20",
      names: [{ type: "long", encoding: "utf-8", value: service.name }],
      serviceCategory: "parcel",
      description: service.name,
      astraDescription: service.astra,
    },
  };
}
