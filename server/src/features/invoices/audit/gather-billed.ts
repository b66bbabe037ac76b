import { toMg, toSides } from "../../../carriers/rate-card/measures.ts";
import { isInUnitedStates } from "../../../core/country-codes.ts";
import { isUuid } from "../../../core/ids.ts";
import { findCountry } from "../../../core/region-names.ts";
import type { Dimensions, Weight } from "../../../core/weight.ts";
import type { Ctx } from "../../../context.ts";
import { listLabelFacts } from "../../labels/labels.ts";
import { findAuditedShipments } from "../../shipments/shipments.ts";
import type { ParcelLine } from "./audit-input.store.ts";
import { listParcelLines } from "./audit-input.store.ts";
import { creditsOf, netReversals } from "./net-reversals.ts";
import type { BilledFacts, BilledParcel, EarlierBilling, OwnParcel } from "./billed-parcel.ts";

/** The parcels with these numbers, as the invoice bills them, and the credits that any invoice gives for each. */
export type GatheredParcel = BilledParcel & { credits: number[]; currency: string };

export async function gatherBilled(
  ctx: Ctx,
  invoiceId: string,
  numbers: string[],
  shipments: ReadonlyMap<string, number>,
): Promise<GatheredParcel[]> {
  const [lines, own] = await Promise.all([
    listParcelLines(ctx.db, ctx.orgId, invoiceId, numbers),
    findOwnParcels(ctx, numbers),
  ]);
  const byParcel = new Map<string, ParcelLine[]>();
  for (const line of lines) {
    const known = byParcel.get(line.parcel);
    if (known) known.push(line);
    else byParcel.set(line.parcel, [line]);
  }
  return [...byParcel].map(([number, stated]) => toParcel(number, netReversals(stated), shipments, own.get(number)));
}

function toParcel(
  number: string,
  all: ParcelLine[],
  shipments: ReadonlyMap<string, number>,
  own: OwnParcel | undefined,
): GatheredParcel {
  const facts = factsOf(all);
  return {
    number,
    facts,
    pieces: piecesOf(number, facts?.lead ?? null, shipments),
    lines: all.filter(({ place }) => place === "own"),
    earlier: earlierOf(all),
    own,
    credits: creditsOf(all),
    currency: all.find(({ place }) => place === "own")?.currency ?? all[0]!.currency,
  };
}

/** `shipments`: parcels of the invoice by lead number, where there are several. A lead under another number is a second one. */
function piecesOf(number: string, lead: string | null, shipments: ReadonlyMap<string, number>): number | null {
  return lead === null ? null : Math.max(shipments.get(lead) ?? 1, lead === number ? 1 : 2);
}

/** From the transport on the invoice itself, else on another one; a fact that it lacks from another line. */
function factsOf(lines: ParcelLine[]): BilledFacts | undefined {
  const transports = lines.filter(({ kind }) => kind === "base");
  const own = transports.filter(({ place }) => place === "own");
  const [base] = own.length > 0 ? own : transports;
  if (!base) return undefined;
  const others = lines.filter(({ place }) => place === base.place);
  const first = <Name extends keyof ParcelLine>(name: Name): ParcelLine[Name] | null =>
    base[name] ?? others.find((line) => line[name] !== null)?.[name] ?? null;
  return {
    service: first("service"),
    zone: first("zone"),
    shipDate: first("shipDate"),
    deliveryDate: first("deliveryDate"),
    currency: base.currency,
    lead: first("lead"),
    enteredMg: massOf(base.entered, base.enteredUnit),
    billedMg: massOf(base.billed, base.billedUnit),
    basis: base.basis,
    sides: sidesOf(base),
    senderZip: first("senderZip"),
    receiverZip: first("receiverZip"),
    countries: { sender: foreignCode(first("senderCountry")), receiver: foreignCode(first("receiverCountry")) },
  };
}

function foreignCode(country: string | null): string | null {
  if (country === null) return null;
  const code = findCountry(country)?.alpha2 ?? country.toUpperCase();
  return isInUnitedStates(code) ? null : code;
}

function massOf(value: number | null, unit: string | null): number | null {
  return value === null || value <= 0 ? null : toMg({ value, unit: unit as Weight["unit"] });
}

function sidesOf({ length, width, height, sideUnit }: ParcelLine): BilledFacts["sides"] {
  if (length === null || width === null || height === null) return undefined;
  return toSides({ length, width, height, unit: sideUnit as Dimensions["unit"] });
}

function earlierOf(lines: ParcelLine[]): EarlierBilling | undefined {
  const earlier = lines.filter(({ place, kind }) => place === "earlier" && kind !== "tax" && kind !== "duty");
  const [first] = earlier;
  if (!first) return undefined;
  const base = earlier.find(({ kind }) => kind === "base");
  return {
    invoiceNumber: base?.invoiceNumber ?? first.invoiceNumber,
    net: earlier.reduce((sum, { net }) => sum + net, 0),
    hasTransport: base !== undefined,
    shipDate: base?.shipDate ?? null,
    surcharges: notCredited(lines),
  };
}

/** Surcharges of earlier invoices. A credit of the same amount on one of them takes one off. */
function notCredited(lines: ParcelLine[]): ParcelLine[] {
  const credits = creditsOf(lines.filter(({ place }) => place === "earlier"));
  return lines.filter(({ place, kind, net }) => {
    if (place !== "earlier" || kind !== "surcharge") return false;
    const credit = credits.indexOf(net);
    if (credit !== -1) credits.splice(credit, 1);
    return credit === -1;
  });
}

/** Promises of the order or of the service's level are the organization's own. */
const carrierPromises = new Set(["request", "carrier", "contract", "quote"]);

async function findOwnParcels(ctx: Ctx, numbers: string[]): Promise<Map<string, OwnParcel>> {
  const shipments = await findAuditedShipments(ctx, numbers);
  const labelIds = [...shipments.values()].flatMap(({ labelId }) => (labelId && isUuid(labelId) ? [labelId] : []));
  const labels = await listLabelFacts(ctx.db, ctx.orgId, [...new Set(labelIds)]);
  const byShipment = new Map(labels.map((label) => [label.shipmentId, label]));
  const own = new Map<string, OwnParcel>();
  for (const [number, shipment] of shipments) {
    const label = byShipment.get(shipment.id);
    const weight = label?.weight ?? shipment.weight;
    const { promisedDay, promiseSource } = shipment;
    const isPromised = promisedDay !== null && promiseSource !== null && carrierPromises.has(promiseSource);
    own.set(number, {
      isLabel: shipment.isLabel,
      isVoided: shipment.isVoided,
      isScanned: shipment.isScanned,
      weightMg: weight && weight.value > 0 ? toMg(weight) : null,
      sides: label?.dimensions ? toSides(label.dimensions) : undefined,
      residential: label?.residential ?? null,
      promise: isPromised ? { day: promisedDay, source: promiseSource } : null,
      deliveredDay: shipment.deliveredDay,
    });
  }
  return own;
}

export type KnownParcels = { sellsLabels: boolean; hasScans: boolean };

/** Keys per query. */
const batchSize = 10_000;

/** Whether most parcels of an invoice have labels of the hub, and whether most of those it knows have scans. */
export async function countKnown(ctx: Ctx, numbers: string[]): Promise<KnownParcels> {
  let [known, labels, scanned] = [0, 0, 0];
  for (let start = 0; start < numbers.length; start += batchSize) {
    for (const shipment of (await findAuditedShipments(ctx, numbers.slice(start, start + batchSize))).values()) {
      known++;
      if (shipment.isLabel) labels++;
      if (shipment.isScanned) scanned++;
    }
  }
  return { sellsLabels: labels > 0 && 2 * labels >= numbers.length, hasScans: scanned > 0 && 2 * scanned >= known };
}
