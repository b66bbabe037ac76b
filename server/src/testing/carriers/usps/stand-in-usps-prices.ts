import type { PricedService } from "../stand-in-prices.ts";
import { addBusinessDays, freightCents, percentOf, transitDays, zoneBetween } from "../stand-in-prices.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";
import { apiOf, readBody, refuse } from "./stand-in-usps-replies.ts";
import { BaseRatesBody, OptionsBody, TotalRatesBody } from "./stand-in-usps-requests.ts";

type MailClass = PricedService & { productCode: string };
const mailClass = (
  code: string,
  name: string,
  cents: [number, number, number],
  days: number,
  promisesDay: boolean,
  productCode: string,
) => {
  const [baseCents, perPoundCents, perZoneCents] = cents;
  return { code, name, baseCents, perPoundCents, perZoneCents, days, promisesDay, productCode };
};

export const uspsClasses: MailClass[] = [
  mailClass("USPS_GROUND_ADVANTAGE", "USPS Ground Advantage", [560, 70, 45], 2, false, "U"),
  mailClass("PRIORITY_MAIL", "Priority Mail", [940, 95, 80], 2, false, "P"),
  mailClass("PRIORITY_MAIL_EXPRESS", "Priority Mail Express", [3120, 240, 210], 1, true, "E"),
  mailClass("MEDIA_MAIL", "Media Mail", [463, 83, 0], 5, false, "M"),
];

/** Boxes and envelopes of Priority Mail whose price does not depend on the weight. */
const flatRates = [
  { rateIndicator: "FE", description: "Priority Mail Flat Rate Envelope", cents: 1010, processingCategory: "FLATS" },
  {
    rateIndicator: "FB",
    description: "Priority Mail Medium Flat Rate Box",
    cents: 1910,
    processingCategory: "MACHINABLE",
  },
];

/** Percent off the retail price. */
const uspsDiscounts: Record<string, number> = { RETAIL: 0, COMMERCIAL: 15, CONTRACT: 30, NSA: 30 };

/** Prices of extra services by their code; others cost nothing. */
export const uspsExtras: Record<number, { name: string; cents: number }> = {
  920: { name: "USPS Tracking", cents: 0 },
  921: { name: "Signature Confirmation", cents: 345 },
  922: { name: "Adult Signature Required", cents: 875 },
  930: { name: "Insurance <= $500", cents: 290 },
};

type Parcel = { weight: number; length: number; width: number; height: number };
type Fee = { name: string; SKU: string; price: number };

/** Only what is larger than a cubic foot is priced by its size. */
export function dimensionalPounds({ length, width, height }: Parcel): number {
  const volume = length * width * height;
  return volume > 1728 ? Math.ceil(volume / 166) : 0;
}

export function uspsFees({ length, width, height }: Parcel): Fee[] {
  const longest = Math.max(length, width, height);
  return [
    ...(longest > 30 ? [{ name: "Nonstandard Length > 30", SKU: "D812XUXXXXX0000", price: 15 }] : []),
    ...(longest > 22 && longest <= 30 ? [{ name: "Nonstandard Length > 22", SKU: "D811XUXXXXX0000", price: 4 }] : []),
    ...(length * width * height > 3456
      ? [{ name: "Nonstandard Volume > 2 cu ft", SKU: "D813XUXXXXX0000", price: 18 }]
      : []),
  ];
}

export function postageCents(service: MailClass, parcel: Parcel, zone: number, priceType: string): number {
  const pounds = Math.max(1, Math.ceil(Math.max(parcel.weight, dimensionalPounds(parcel))));
  return discounted(freightCents(service, pounds, zone), priceType);
}

function discounted(cents: number, priceType: string): number {
  return cents - percentOf(cents, uspsDiscounts[priceType] ?? 0);
}

export function stockCode(service: MailClass, zone: number, pounds: number): string {
  return `D${service.productCode}XR0XXXXC${String(zone).padStart(2, "0")}${String(Math.ceil(pounds)).padStart(2, "0")}0`;
}

export function commitmentOf(service: MailClass, zone: number, mailingDate: string) {
  const days = transitDays(service, zone);
  return { name: `${days} Days`, scheduleDeliveryDate: addBusinessDays(mailingDate, days) };
}

/** The price of the contract; without a contract, the published price with a warning. */
function resolvePriceType(standIn: StandIn, asked: string, account: string | undefined, ownAccount: string) {
  const isOwn = !["CONTRACT", "NSA"].includes(asked);
  if (isOwn || (account === ownAccount && !standIn.takeFault("negotiated_missing", "rate")))
    return { priceType: asked, warnings: [] };
  const warning = {
    warningCode: "001",
    warningDescription: "Contract rate not found for request. Published rate returned.",
  };
  return { priceType: "COMMERCIAL", warnings: [warning] };
}

type Query = Parcel & {
  originZIPCode: string;
  destinationZIPCode: string;
  mailingDate: string;
  extraServices: number[];
};

/** Several rows for each class: single piece or dimensional weight, and flat rates. A client has to choose among them. */
function rowsOf(service: MailClass, query: Query, resolved: ReturnType<typeof resolvePriceType>) {
  const zone = zoneBetween(query.originZIPCode, query.destinationZIPCode);
  const fees = uspsFees(query);
  const feeCents = fees.reduce((sum, { price }) => sum + price * 100, 0);
  const isDimensional = dimensionalPounds(query) > query.weight;
  const own = postageCents(service, query, zone, resolved.priceType);
  const row = (indicator: string, category: string, description: string, cents: number, withFees: boolean) => ({
    totalBasePrice: (cents + (withFees ? feeCents : 0)) / 100,
    rates: [
      {
        SKU: stockCode(service, zone, query.weight),
        description,
        priceType: resolved.priceType,
        price: cents / 100,
        weight: query.weight,
        dimWeight: isDimensional ? dimensionalPounds(query) : 0,
        fees: withFees ? fees : [],
        startDate: "2026-01-18",
        endDate: "",
        mailClass: service.code,
        zone: String(zone).padStart(2, "0"),
        productName: "",
        productDefinition: "",
        processingCategory: category,
        rateIndicator: indicator,
        destinationEntryFacilityType: "NONE",
        ...(resolved.warnings.length > 0 && { warnings: resolved.warnings }),
      },
    ],
    extraServices: query.extraServices.map((code) => ({
      extraService: String(code),
      name: uspsExtras[code]?.name ?? `Extra Service ${code}`,
      SKU: "DXTU0EXXXCX0000",
      priceType: resolved.priceType,
      price: (uspsExtras[code]?.cents ?? 0) / 100,
      warnings: resolved.warnings,
    })),
  });
  const category = fees.length > 0 ? "NONSTANDARD" : "MACHINABLE";
  const kind = fees.length > 0 ? "Nonstandard" : "Machinable";
  const rows = [
    row(
      isDimensional ? "DR" : "SP",
      category,
      `${service.name} ${kind} ${isDimensional ? "Dimensional Rectangular" : "Single-piece"}`,
      own,
      true,
    ),
  ];
  if (service.code === "PRIORITY_MAIL") {
    for (const { rateIndicator, description, cents, processingCategory } of flatRates) {
      rows.push(row(rateIndicator, processingCategory, description, discounted(cents, resolved.priceType), false));
    }
  }
  return rows.map((one) => {
    const extraCents = query.extraServices.reduce((sum, code) => sum + (uspsExtras[code]?.cents ?? 0), 0);
    return { ...one, totalPrice: Math.round(one.totalBasePrice * 100 + extraCents) / 100 };
  });
}

function findObstacle(api: string, { weight, length, width, height }: Parcel): CarrierReply | undefined {
  if (weight <= 0) return refuse(400, api, "The weight must be more than 0.", "weight");
  if (weight > 70) return refuse(400, api, "The weight must not be more than 70 pounds.", "weight");
  const sides = [length, width, height].toSorted((one, other) => other - one);
  if (sides[0]! + 2 * (sides[1]! + sides[2]!) > 130) {
    return refuse(400, api, "Length and girth combined must not be more than 130 inches.", "length");
  }
  return undefined;
}

export function uspsPrices(account: string, today: () => string): Operation[] {
  const classes = (asked: string[]): MailClass[] =>
    uspsClasses.filter(({ code }) => asked.includes("ALL") || asked.includes(code));
  return [
    {
      name: "rate",
      method: "POST",
      path: /^\/prices\/v3\/total-rates\/search$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, TotalRatesBody);
        if (!body) return refused;
        const obstacle = findObstacle(apiOf(request), body);
        if (obstacle) return obstacle;
        const resolved = resolvePriceType(standIn, body.priceType ?? "RETAIL", body.accountNumber, account);
        const wanted = classes(body.mailClasses ?? [body.mailClass ?? "ALL"]);
        const query = { ...body, mailingDate: body.mailingDate ?? today(), extraServices: body.extraServices ?? [920] };
        const rows = wanted.flatMap((one) => rowsOf(one, query, resolved));
        if (rows.length === 0) return refuse(404, apiOf(request), "No rate was found for the request.", "mailClass");
        return {
          status: 200,
          body: { rateOptions: standIn.takeFault("partial_rates", "rate") ? rows.slice(0, 1) : rows },
        };
      },
    },
    {
      name: "rate",
      method: "POST",
      path: /^\/prices\/v3\/base-rates\/search$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, BaseRatesBody);
        if (!body) return refused;
        const obstacle = findObstacle(apiOf(request), body);
        if (obstacle) return obstacle;
        const resolved = resolvePriceType(standIn, body.priceType, body.accountNumber, account);
        const service = uspsClasses.find(({ code }) => code === body.mailClass);
        const query = { ...body, mailingDate: body.mailingDate ?? today(), extraServices: [] };
        const row =
          service &&
          rowsOf(service, query, resolved).find(({ rates }) => rates[0]!.rateIndicator === body.rateIndicator);
        if (!row) return refuse(404, apiOf(request), "No rate was found for the request.", "rateIndicator");
        return { status: 200, body: { totalBasePrice: row.totalBasePrice, rates: row.rates } };
      },
    },
    {
      name: "rate",
      method: "POST",
      path: /^\/shipments\/v3\/options\/search$/,
      answer(request, _match, standIn) {
        const { body, refused } = readBody(request, OptionsBody);
        if (!body) return refused;
        const parcel = body.packageDescription;
        const obstacle = findObstacle(apiOf(request), parcel);
        if (obstacle) return obstacle;
        const { originZIPCode, destinationZIPCode } = body;
        const mailingDate = parcel.mailingDate ?? today();
        const query = {
          ...parcel,
          originZIPCode,
          destinationZIPCode,
          mailingDate,
          extraServices: parcel.extraServices ?? [920],
        };
        const zone = zoneBetween(originZIPCode, destinationZIPCode);
        const wanted = classes([parcel.mailClass ?? "ALL"]);
        const isSingle = standIn.takeFault("one_object", "rate");
        const offered = standIn.takeFault("partial_rates", "rate") || isSingle ? wanted.slice(0, 1) : [...wanted];
        if (standIn.takeFault("duplicate_rates", "rate")) offered.push(...offered);
        const listed = (list: object[]): unknown => (isSingle ? list[0] : list);
        const pricingOptions = body.pricingOptions.map(({ priceType, paymentAccount }) => {
          const resolved = resolvePriceType(standIn, priceType, paymentAccount?.accountNumber, account);
          const shippingOptions = offered.map((service) => ({
            mailClass: service.code,
            rateOptions: listed(
              rowsOf(service, query, resolved).map((row) => ({
                commitment: { ...commitmentOf(service, zone, mailingDate), guaranteedDelivery: service.promisesDay },
                ...row,
              })),
            ),
          }));
          return { shippingOptions: listed(shippingOptions), priceType, ...(paymentAccount && { paymentAccount }) };
        });
        return { status: 200, body: { originZIPCode, destinationZIPCode, pricingOptions: listed(pricingOptions) } };
      },
    },
  ];
}
