import type { CompiledCard } from "../../carriers/rate-card/compile-card.ts";
import type { Parcel, Piece, Situation } from "../../carriers/rate-card/price.ts";
import { piecesOf } from "../../carriers/rate-card/price-shipment.ts";
import { normaliseZip } from "../../carriers/zones/zip.ts";
import type { RateItem, Rater } from "./rater.ts";
import { situationOfItem } from "./rate-item.ts";

/** What parcels bear of their shipments, by position. */
export type Pieces = ReadonlyMap<number, Piece>;

type Member = { position: number; parcel: Parcel; situation: Situation };

export type Shipments = {
  /** False: the stored item cannot be part of a shipment, and need not be parsed. */
  mayBelong(line: string): boolean;
  add(position: number, item: RateItem): void;
  pieces(): Pieces;
};

/** Finds the parcels that are rated together. Undefined: the cards have no prices for shipments of several parcels. */
export function startShipments(rater: Rater): Shipments | undefined {
  const cards = [rater, ...rater.dated.values()].map(({ tariff }) => tariff.card);
  if (!cards.some(hasShipmentTerms)) return undefined;
  const isByDay = cards.some(({ card }) => card.shipmentsBy === "day_and_destination");
  const hasSingles = cards.some(({ services }) => services.some(({ hundredweight }) => hundredweight?.minPieces === 1));
  const shipments = new Map<string, Member[]>();
  return {
    mayBelong: (line) => isByDay || hasSingles || line.includes('"lead":'),
    add(position, item) {
      if (item.weightMg === null) return;
      const situation = situationOfItem(rater, item);
      if (!situation) return;
      const { service, zone, card } = situation;
      const key = [keyOf(card, item, position), service.code, zone, card.card.effectiveFrom].join("|");
      const members = shipments.getOrInsertComputed(key, () => []);
      members.push({ position, parcel: { weightMg: item.weightMg, sides: item.sides }, situation });
    },
    pieces() {
      const pieces = new Map<number, Piece>();
      for (const members of shipments.values()) {
        const { situation } = members[0]!;
        if (members.length === 1 && situation.service.hundredweight?.minPieces !== 1) continue;
        const own = piecesOf(
          situation,
          members.map(({ parcel }) => parcel),
        );
        for (const [index, { position }] of members.entries()) pieces.set(position, own[index]!);
      }
      return pieces;
    },
  };
}

function hasShipmentTerms({ services, surcharges }: CompiledCard): boolean {
  return (
    services.some(({ hundredweight, isRatedByTotal }) => hundredweight !== undefined || isRatedByTotal) ||
    surcharges.some(({ isPerShipment }) => isPerShipment)
  );
}

/** The same for the parcels of a shipment. */
function keyOf({ card }: CompiledCard, { lead, shipDate, origin, destination }: RateItem, position: number): string {
  if (lead !== undefined) return `lead ${lead}`;
  if (card.shipmentsBy !== "day_and_destination" || shipDate === null) return `alone ${position}`;
  const [from, to] = [normaliseZip(origin.zip), normaliseZip(destination.zip)];
  return from === undefined || to === undefined ? `alone ${position}` : `day ${shipDate} ${from} ${to}`;
}
