import type { Weight } from "../../core/weight.ts";
import { formatCents, fromCents } from "../../core/money.ts";
import type { QuotedWeight, QuoteLine } from "../seam/quotes.ts";
import type { CompiledCard, CompiledService } from "./compile-card.ts";
import { fromMg } from "./measures.ts";
import type { Price, PriceLine, Situation } from "./price-types.ts";

/** Each line with the numbers it was computed from. */
export function explainLines(situation: Situation, price: Price): QuoteLine[] {
  return price.lines.map((line) => ({
    code: line.code,
    label: labelOf(situation.card, line.code),
    amount: fromCents(line.cents),
    explanation: explain(situation, price, line),
  }));
}

export function explainWeight({ breakUnit }: CompiledService, price: Price): QuotedWeight {
  return {
    actual: fromMg(price.actualMg, breakUnit),
    dimensional: price.dimMg === 0 ? null : fromMg(price.dimMg, breakUnit),
    billable: fromMg(price.billableMg, breakUnit),
    rated: fromMg(price.ratedMg, breakUnit),
  };
}

const fixedLabels = new Map([
  ["base", "Base price"],
  ["discount", "Discount"],
  ["minimum", "Raised to the minimum"],
  ["fuel", "Fuel"],
]);

function labelOf(card: CompiledCard, code: string): string {
  return fixedLabels.get(code) ?? card.surcharges.find((surcharge) => surcharge.code === code)?.label ?? code;
}

const fuelBases = {
  base_list: "the list price",
  base_net: "the base price after discount and minimum",
  subtotal: "the base price plus the surcharges to which fuel applies",
};

function explain(situation: Situation, price: Price, line: PriceLine): string {
  const { service, zone } = situation;
  const of = formatCents(line.ofCents ?? 0);
  const percent = Math.round((line.ppm ?? 0) * 10_000) / 100_000_000;
  switch (line.code) {
    case "base":
      if (line.pieces !== undefined) return explainPieces(situation, price, line);
      if (line.cubicFeet !== undefined) return `${service.name}, zone ${zone}, up to ${line.cubicFeet} cubic feet`;
      return service.isFlat
        ? `${service.name}, zone ${zone}, any weight`
        : `${service.name}, zone ${zone}, up to ${say(fromMg(price.ratedMg, service.breakUnit))}`;
    case "discount":
      return line.cents === -Math.floor(((line.ofCents ?? 0) * (line.ppm ?? 0) + 500_000) / 1_000_000)
        ? `${percent} % of ${of}`
        : `${percent} % of ${of} and a fixed amount`;
    case "minimum":
      return `The price after discount is raised to the minimum of ${of}`;
    case "fuel":
      return `${percent} % of ${of}, ${fuelBases[service.fuel!.appliesTo]}`;
    default:
      return explainSurcharge(situation, line, of, percent);
  }
}

function explainPieces({ service, zone }: Situation, price: Price, { pieces, quantity }: PriceLine): string {
  const unit = service.hundredweight?.unit ?? service.breakUnit;
  const weight = quantity === undefined ? say(fromMg(price.ratedMg, service.breakUnit)) : `${quantity} ${unit}`;
  const way = quantity === undefined ? "" : " by hundredweight";
  return `${service.name}, zone ${zone}, ${pieces} parcels of ${weight} together${way}`;
}

function explainSurcharge({ card }: Situation, line: PriceLine, of: string, percent: number): string {
  const surcharge = card.surcharges.find(({ code }) => code === line.code)!;
  const share = line.ppm === 1_000_000 ? "" : `${percent} % of `;
  const group = surcharge.group === undefined ? "" : `; highest priority in group ${surcharge.group}`;
  if (surcharge.kind === "percent") return `${percent} % of ${of}${group}`;
  const times = surcharge.kind === "per_weight" ? ` for ${line.quantity} units of weight` : "";
  return `${share}${of}${times}${group}`;
}

function say({ value, unit }: Weight): string {
  return `${value} ${unit}`;
}
