import type { SePackage, SeWeight } from "./stand-in-shipengine-bodies.ts";
import type { ServicePrice } from "../stand-in-prices.ts";
import { priceOf } from "../stand-in-prices.ts";

export type SeService = ServicePrice & { code: string; name: string; days: number; isGuaranteed: boolean };
export type SeCarrier = {
  id: string;
  code: string;
  name: string;
  takesSeveralPackages: boolean;
  services: SeService[];
};

export const shipengineCarriers: SeCarrier[] = [
  {
    id: "se-100001",
    code: "stamps_com",
    name: "Stamps.com",
    takesSeveralPackages: false,
    services: [
      {
        code: "usps_ground_advantage",
        name: "USPS Ground Advantage",
        baseCents: 440,
        perOunceCents: 9,
        perZoneCents: 22,
        days: 4,
        isGuaranteed: false,
      },
      {
        code: "usps_priority_mail",
        name: "USPS Priority Mail",
        baseCents: 690,
        perOunceCents: 12,
        perZoneCents: 41,
        days: 2,
        isGuaranteed: false,
      },
    ],
  },
  {
    id: "se-100002",
    code: "ups",
    name: "UPS",
    takesSeveralPackages: true,
    services: [
      {
        code: "ups_ground",
        name: "UPS® Ground",
        baseCents: 990,
        perOunceCents: 6,
        perZoneCents: 33,
        days: 4,
        isGuaranteed: false,
      },
      {
        code: "ups_2nd_day_air",
        name: "UPS 2nd Day Air®",
        baseCents: 1880,
        perOunceCents: 15,
        perZoneCents: 88,
        days: 2,
        isGuaranteed: true,
      },
      {
        code: "ups_next_day_air",
        name: "UPS Next Day Air®",
        baseCents: 4050,
        perOunceCents: 25,
        perZoneCents: 150,
        days: 1,
        isGuaranteed: true,
      },
    ],
  },
];

const ouncesIn = { ounce: 1, pound: 16, gram: 1 / 28.349_523_125, kilogram: 1000 / 28.349_523_125 };
export const ouncesOf = ({ value, unit }: SeWeight): number => value * ouncesIn[unit];

/** Signatures cost extra, in an amount of their own. */
const confirmationCents: Record<string, number> = { signature: 335, adult_signature: 760, direct_signature: 640 };

type SePrice = {
  shippingCents: number;
  confirmationCents: number;
  otherCents: number;
  totalCents: number;
  publishedCents: number;
};

/** The price is the sum of the amounts. The fuel surcharge, a tenth of the whole, is `other_amount`. */
export function shipenginePrice(
  service: ServicePrice,
  parcel: { packages: Pick<SePackage, "weight">[]; fromZip: string; toZip: string; confirmation: string },
  isNegotiated = true,
): SePrice {
  const prices = parcel.packages.map(({ weight }) => priceOf(service, { ...parcel, ounces: ouncesOf(weight) }));
  const sum = (field: "publishedCents" | "negotiatedCents"): number =>
    prices.reduce((cents, price) => cents + price[field], 0);
  const cents = sum(isNegotiated ? "negotiatedCents" : "publishedCents");
  const otherCents = Math.round(cents / 10);
  const extra = confirmationCents[parcel.confirmation] ?? 0;
  return {
    shippingCents: cents - otherCents,
    confirmationCents: extra,
    otherCents,
    totalCents: cents + extra,
    publishedCents: sum("publishedCents") + extra,
  };
}
