import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { escapePointer } from "../../core/strict-json.ts";
import { createFinder } from "../../core/validation.ts";
import type { Weight } from "../../core/weight.ts";
import type { CardService, RateCard as Card, Surcharge } from "./card.schemas.ts";
import { RateCard, zonePattern } from "./card.schemas.ts";
import type { Report } from "./card-report.ts";
import { checkAscending, checkMoney, checkNames, checkPrice, checkUnique, checkZoneNames } from "./card-report.ts";
import { checkCardTerms, checkFuel, checkServiceTerms } from "./check-terms.ts";
import { flatZone } from "../zones/resolve-zone.ts";
import { toMg } from "./measures.ts";

const findShapeErrors = createFinder(RateCard, "body");
const isZone = new RegExp(zonePattern);
const maxReported = 200;

/** All errors of a card at once; empty if it is valid. */
export function checkCard(card: unknown, pointer = ""): FieldError[] {
  const shape = errorsAt(pointer, findShapeErrors(card));
  if (shape.length > 0) return shape;
  const errors: FieldError[] = [];
  const report: Report = (at, code, message, more = {}) => {
    if (errors.length < maxReported) errors.push({ pointer: pointer + at, code, message, ...more });
  };
  const sound = card as Card;
  checkDates(sound, report);
  checkBands(sound, report);
  checkUnique(
    sound.services.map((service) => service.code),
    (index) => `/services/${index}/code`,
    report,
  );
  for (const [index, service] of sound.services.entries()) {
    checkService(service, `/services/${index}`, report);
    if (sound.zoneScheme === "flat") checkFlatZone(service, `/services/${index}/rates`, report);
  }
  checkSurcharges(sound, report);
  if (sound.fuel) checkFuel(sound.fuel, "/fuel", report);
  checkCardTerms(sound, report);
  return errors;
}

function checkDates({ effectiveFrom, effectiveTo }: Card, report: Report): void {
  if (effectiveTo !== undefined && effectiveTo < effectiveFrom) {
    report(
      "/effectiveTo",
      "ends_before_start",
      `effectiveTo (${effectiveTo}) is before effectiveFrom (${effectiveFrom}).`,
    );
  }
}

function checkBands({ zoneScheme, bands }: Card, report: Report): void {
  if (zoneScheme === "bands" && !bands)
    report("/bands", "required", "The zone scheme `bands` requires distance bands.");
  if (zoneScheme !== "bands" && bands) report("/bands", "unused", "Distance bands require the zone scheme `bands`.");
  let last = -1;
  for (const [index, { upToMiles }] of (bands ?? []).entries()) {
    const reach = upToMiles ?? Infinity;
    if (reach <= last)
      report(`/bands/${index}/upToMiles`, "not_ascending", "Bands must be in ascending order; null comes last.");
    last = reach;
  }
}

function checkService(service: CardService, at: string, report: Report): void {
  const { weightBreaks, rates } = service;
  const isFlat = weightBreaks.length === 1 && weightBreaks[0]!.upTo === null;
  let last = 0;
  for (const [index, { upTo, unit }] of weightBreaks.entries()) {
    if (upTo === null) {
      if (!isFlat) report(`${at}/weightBreaks/${index}/upTo`, "null_not_alone", "null must be the only weight break.");
      continue;
    }
    const mg = toMg({ value: upTo, unit: unit ?? "lb" });
    if (mg <= last)
      report(`${at}/weightBreaks/${index}/upTo`, "not_ascending", "Weight breaks must be in ascending order.");
    last = mg;
  }
  if (Object.keys(rates).length === 0) report(`${at}/rates`, "minProperties", "At least one zone is required.");
  for (const [zone, cells] of Object.entries(rates)) {
    const zoneAt = `${at}/rates/${escapePointer(zone)}`;
    if (!isZone.test(zone)) report(zoneAt, "zone_name", `${zone} is not a valid zone name, such as 5 or 44.`);
    if (cells.length !== weightBreaks.length) {
      report(
        zoneAt,
        "cell_count",
        `There are ${weightBreaks.length} weight breaks, but ${cells.length} prices for zone ${zone}.`,
      );
    }
    for (const [index, cell] of cells.entries()) if (cell !== null) checkPrice(cell, `${zoneAt}/${index}`, report);
  }
  if (service.perUnitAbove) {
    if (isFlat)
      report(`${at}/perUnitAbove`, "unused", "A price that does not depend on the weight has no last weight.");
    checkZoneNames(Object.keys(service.perUnitAbove.rates), rates, `${at}/perUnitAbove/rates`, report);
    for (const [zone, amount] of Object.entries(service.perUnitAbove.rates))
      checkPrice(amount, `${at}/perUnitAbove/rates/${escapePointer(zone)}`, report);
  }
  checkZoneNames(Object.keys(service.transitDays ?? {}), rates, `${at}/transitDays`, report);
  checkDiscounts(service, at, report);
  checkMinimum(service, `${at}/minimum`, report);
  checkServiceTerms(service, at, report);
}

/** With `flat` every parcel is in this zone; prices of other zones would never apply. */
function checkFlatZone({ rates }: CardService, at: string, report: Report): void {
  if (Object.hasOwn(rates, flatZone)) return;
  report(at, "unknown_zone", `The only zone of the zone scheme \`flat\` is ${flatZone}.`, { allowed: [flatZone] });
}

function checkDiscounts(service: CardService, at: string, report: Report): void {
  for (const [index, discount] of (service.discounts ?? []).entries()) {
    const here = `${at}/discounts/${index}`;
    const given = [discount.percent, discount.amount, discount.tiers].filter((term) => term !== undefined);
    if (given.length !== 1) report(here, "one_of", "Exactly one of percent, amount and tiers is required.");
    checkAscending(discount.tiers ?? [], ({ revenueFrom }) => revenueFrom, `${here}/tiers`, "revenueFrom", report);
    if (discount.amount !== undefined) checkMoney(discount.amount, `${here}/amount`, report);
    checkZoneNames(discount.zones ?? [], service.rates, `${here}/zones`, report);
    checkRange(discount.weightFrom, discount.weightTo, `${here}/weightTo`, report);
  }
}

function checkRange(from: Weight | undefined, to: Weight | undefined, at: string, report: Report): void {
  if (from && to && toMg(to) < toMg(from)) report(at, "ends_before_start", "weightTo is less than weightFrom.");
}

function checkMinimum(service: CardService, at: string, report: Report): void {
  const { minimum, rates } = service;
  if (!minimum) return;
  const isCell = minimum.zone !== undefined || minimum.weight !== undefined;
  if (isCell === (minimum.amount !== undefined)) {
    report(
      at,
      "one_of",
      "A minimum is either an amount, or the price of a zone and weight with an optional reduction.",
    );
    return;
  }
  if (minimum.amount !== undefined) checkMoney(minimum.amount, `${at}/amount`, report);
  if (minimum.reduction !== undefined) checkMoney(minimum.reduction, `${at}/reduction`, report);
  if (!isCell) {
    for (const field of ["reduction", "reductionPercent"] as const) {
      if (minimum[field] !== undefined)
        report(`${at}/${field}`, "unused", "A reduction requires zone and weight; an amount is not reduced.");
    }
    return;
  }
  if (minimum.zone === undefined) report(`${at}/zone`, "required", "This field is required.");
  else checkZoneNames([minimum.zone], rates, `${at}/zone`, report);
  if (minimum.weight === undefined) report(`${at}/weight`, "required", "This field is required.");
  else if (minimum.zone !== undefined && rates[minimum.zone] && !hasPrice(service, minimum.zone, minimum.weight))
    report(`${at}/weight`, "no_rate_cell", "The card has no price for this zone and weight.");
}

function hasPrice({ weightBreaks, rates }: CardService, zone: string, weight: Weight): boolean {
  const mg = toMg(weight);
  const index = weightBreaks.findIndex(({ upTo, unit = "lb" }) => upTo === null || mg <= toMg({ value: upTo, unit }));
  return index !== -1 && rates[zone]?.[index] != null;
}

function checkSurcharges(card: Card, report: Report): void {
  const surcharges = card.surcharges ?? [];
  const codes = surcharges.map((surcharge) => surcharge.code);
  checkUnique(codes, (index) => `/surcharges/${index}/code`, report);
  const services = card.services.map((service) => service.code);
  const zones = new Set(card.services.flatMap((service) => Object.keys(service.rates)));
  const zoneList = Object.fromEntries([...zones].map((zone) => [zone, []]));
  for (const [index, surcharge] of surcharges.entries()) {
    const at = `/surcharges/${index}`;
    if (["base", "discount", "minimum", "fuel"].includes(surcharge.code))
      report(`${at}/code`, "reserved", `${surcharge.code} is reserved for another line of the price.`);
    checkAmount(surcharge, at, report);
    const when = surcharge.when ?? {};
    if (when.from !== undefined && when.to !== undefined && when.to < when.from)
      report(`${at}/when/to`, "ends_before_start", "`to` is before `from`.");
    checkNames(when.services ?? [], services, `${at}/when/services`, "unknown_service", report);
    checkZoneNames(when.zones ?? [], zoneList, `${at}/when/zones`, report);
    checkZoneNames(Object.keys(surcharge.amountByZone ?? {}), zoneList, `${at}/amountByZone`, report);
    checkRequired(surcharge, surcharges, `${at}/when/${when.requiresAny ? "requiresAny" : "requires"}`, report);
  }
}

function checkAmount(surcharge: Surcharge, at: string, report: Report): void {
  const isPercent = surcharge.kind === "percent";
  const wanted = isPercent ? "percent" : "amount";
  if (surcharge[wanted] === undefined)
    report(`${at}/${wanted}`, "required", `A ${surcharge.kind} surcharge requires it.`);
  const other = isPercent ? "amount" : "percent";
  if (surcharge[other] !== undefined) report(`${at}/${other}`, "unused", `A ${surcharge.kind} surcharge has none.`);
  if (isPercent && surcharge.amountByZone) report(`${at}/amountByZone`, "unused", "A percentage has no amounts.");
  if (surcharge.amount !== undefined) checkPrice(surcharge.amount, `${at}/amount`, report);
  for (const [zone, amount] of Object.entries(surcharge.amountByZone ?? {}))
    checkPrice(amount, `${at}/amountByZone/${escapePointer(zone)}`, report);
}

function checkRequired(surcharge: Surcharge, all: Surcharge[], at: string, report: Report): void {
  const { requires, requiresAny } = surcharge.when ?? {};
  if (requires !== undefined && requiresAny)
    report(at, "one_of", "Either requires, with one surcharge, or requiresAny, with several.");
  const codes = all.map((other) => other.code).filter((other) => other !== surcharge.code);
  for (const code of requiresAny ?? (requires === undefined ? [] : [requires])) {
    const required = all.find((other) => other.code === code);
    if (!required || required === surcharge) checkNames([code], codes, at, "unknown_surcharge", report);
    else if (required.when?.requires !== undefined || required.when?.requiresAny)
      report(at, "chained", `${code} itself requires another surcharge; name that one instead.`);
  }
}
