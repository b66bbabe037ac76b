import { escapePointer } from "../../core/strict-json.ts";
import { prefixesOfState } from "../../core/zip-states.ts";
import { rangeOf } from "../zones/zone-chart.ts";
import type { CardService, RateCard } from "./card.schemas.ts";
import type { Report } from "./card-report.ts";
import { checkAscending, checkMoney, checkNames, checkPrice, checkZoneNames } from "./card-report.ts";

type Fuel = NonNullable<RateCard["fuel"]>;

export function checkFuel(fuel: Fuel, at: string, report: Report): void {
  if ((fuel.percent === undefined) === (fuel.table === undefined))
    report(at, "one_of", "Exactly one of percent and table is required.");
  checkAscending(fuel.table ?? [], ({ from }) => from, `${at}/table`, "from", report);
}

/** The terms of a whole card that are not surcharges. */
export function checkCardTerms(card: RateCard, report: Report): void {
  for (const [index, fuel] of (card.fuelByService ?? []).entries()) {
    const at = `/fuelByService/${index}`;
    checkFuel(fuel, at, report);
    if (!fuel.services && !fuel.mode)
      report(at, "required", "It requires `services` or `mode`; `fuel` is for the others.");
    checkServices(card, fuel.services, at, report);
  }
  checkAscending(card.weeklyRevenue ?? [], ({ from }) => from, "/weeklyRevenue", "from", report);
  checkAscending(card.weeklyPieces ?? [], ({ from }) => from, "/weeklyPieces", "from", report);
  checkVolumes(card, report);
  checkExceptions(card, report);
  checkCountryZones(card, report);
}

/** Tiers and conditions on the volume of a week say nothing without that volume. */
function checkVolumes({ services, surcharges = [], weeklyRevenue, weeklyPieces }: RateCard, report: Report): void {
  const isEarned = services.some(({ discounts }) => discounts?.some(({ tiers }) => tiers));
  if (isEarned && !weeklyRevenue)
    report("/weeklyRevenue", "required", "Discounts with tiers require the weekly revenue.");
  for (const [index, { when }] of surcharges.entries()) {
    const { weeklyPiecesOver: over, weeklyPiecesUpTo: upTo } = when ?? {};
    if (over === undefined && upTo === undefined) continue;
    const at = `/surcharges/${index}/when/weeklyPieces${over === undefined ? "UpTo" : "Over"}`;
    if (!weeklyPieces) report(at, "no_volume", "This condition requires `weeklyPieces` of the card.");
    if (over !== undefined && upTo !== undefined && upTo <= over)
      report(at, "never", `No number is more than ${over} and at most ${upTo}.`);
  }
}

function checkExceptions(card: RateCard, report: Report): void {
  const zones = Object.fromEntries(card.services.flatMap(({ rates }) => Object.keys(rates).map((zone) => [zone, []])));
  for (const [index, exception] of (card.zoneExceptions ?? []).entries()) {
    const at = `/zoneExceptions/${index}`;
    const { destinations = [], destinationStates = [], origins = [], zone } = exception;
    if (card.zoneScheme === "flat") report(at, "unused", "With the zone scheme `flat` there is one zone only.");
    if (destinations.length + destinationStates.length === 0)
      report(at, "required", "It requires `destinations` or `destinationStates`.");
    for (const [name, ranges] of Object.entries({ destinations, origins })) {
      for (const [number, range] of ranges.entries())
        if (!rangeOf(range)) report(`${at}/${name}/${number}`, "zip_range", `${range} is not a valid range.`);
    }
    for (const [number, state] of destinationStates.entries()) {
      if (prefixesOfState(state).length === 0)
        report(`${at}/destinationStates/${number}`, "unknown_state", `${state} is not a state with ZIPs.`);
    }
    if (zone !== null) checkZoneNames([zone], zones, `${at}/zone`, report);
    checkServices(card, exception.services, at, report);
  }
}

function checkCountryZones(card: RateCard, report: Report): void {
  const zones = Object.fromEntries(card.services.flatMap(({ rates }) => Object.keys(rates).map((zone) => [zone, []])));
  for (const [index, { zone, services }] of (card.countryZones ?? []).entries()) {
    const at = `/countryZones/${index}`;
    if (card.zoneScheme === "flat") report(at, "unused", "With the zone scheme `flat` there is one zone only.");
    if (zone !== null) checkZoneNames([zone], zones, `${at}/zone`, report);
    checkServices(card, services, at, report);
  }
}

function checkServices({ services }: RateCard, names: string[] | undefined, at: string, report: Report): void {
  const codes = services.map(({ code }) => code);
  checkNames(names ?? [], codes, `${at}/services`, "unknown_service", report);
}

export function checkServiceTerms(service: CardService, at: string, report: Report): void {
  const { dim, cubic, hundredweight, zoneNames, rates } = service;
  checkAscending(dim?.tiers ?? [], ({ upToVolume }) => upToVolume, `${at}/dim/tiers`, "upToVolume", report);
  checkAscending(dim?.dated ?? [], ({ from }) => from, `${at}/dim/dated`, "from", report);
  for (const [index, { tiers = [] }] of (dim?.dated ?? []).entries())
    checkAscending(tiers, ({ upToVolume }) => upToVolume, `${at}/dim/dated/${index}/tiers`, "upToVolume", report);
  if (cubic) {
    checkAscending(cubic.tiers, (tier) => tier, `${at}/cubic/tiers`, "", report);
    checkCells(cubic.rates, cubic.tiers.length, rates, `${at}/cubic/rates`, report);
  }
  if (hundredweight) {
    const here = `${at}/hundredweight`;
    checkAscending(hundredweight.weightFrom, (from) => from, `${here}/weightFrom`, "", report);
    checkCells(hundredweight.rates, hundredweight.weightFrom.length, rates, `${here}/rates`, report);
    if (hundredweight.minimum !== undefined) checkMoney(hundredweight.minimum, `${here}/minimum`, report);
  }
  checkZoneNames(Object.values(zoneNames ?? {}), rates, `${at}/zoneNames`, report);
}

/** A table of prices beside the one by weight: its zones are among those of the service, one price per row. */
function checkCells(
  table: Record<string, (number | null)[]>,
  count: number,
  rates: CardService["rates"],
  at: string,
  report: Report,
): void {
  if (Object.keys(table).length === 0) report(at, "minProperties", "At least one zone is required.");
  checkZoneNames(Object.keys(table), rates, at, report);
  for (const [zone, cells] of Object.entries(table)) {
    const here = `${at}/${escapePointer(zone)}`;
    if (cells.length !== count)
      report(here, "cell_count", `There are ${count} tiers, but ${cells.length} prices for zone ${zone}.`);
    for (const [index, cell] of cells.entries()) if (cell !== null) checkPrice(cell, `${here}/${index}`, report);
  }
}
