import type { Address } from "../../core/address.ts";
import { foldName } from "../../core/nearest.ts";
import type { Ctx } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { NewException } from "../exceptions/exceptions.ts";
import { exceptionKeys, openExceptions, resolveExceptions } from "../exceptions/exceptions.ts";
import type { Order } from "./order.ts";

type Move = { before: Order; after: Order };

/**
 * Opens an exception when the address changes after a label was purchased: the parcel still goes to the printed address. Runs in
 * the transaction of the change.
 */
export async function noteParcelAddresses(tx: Tx, ctx: Ctx, moves: Move[]): Promise<void> {
  const missed = moves.filter(({ before, after }) => hasParcels(after) && isElsewhere(before, after));
  const freed = moves.filter(({ before, after }) => before.shipments.length > 0 && after.shipments.length === 0);
  await resolveExceptions(
    tx,
    ctx,
    freed.map(({ after }) => exceptionKeys.parcelAddress(after.id)),
  );
  await openExceptions(
    tx,
    ctx,
    missed.map(({ after }) => troubleOf(after)),
  );
}

function hasParcels({ shipments, status }: Order): boolean {
  return shipments.length > 0 && status !== "delivered";
}

function isElsewhere(before: Order, after: Order): boolean {
  return (
    before.shippingAddress !== after.shippingAddress &&
    placeOf(before.shippingAddress) !== placeOf(after.shippingAddress)
  );
}

/** The address lines of a label, ignoring case and spacing. */
function placeOf(address: Address | null): string {
  const { name, company, address1, address2, city, province, provinceCode, zip, country, countryCode } = address ?? {};
  const parts = [name, company, address1, address2, city, provinceCode ?? province, zip, countryCode ?? country];
  return parts.map((part) => foldName(part ?? "")).join("|");
}

function troubleOf({ id, number, shipments }: Order): NewException {
  const parcels = shipments.length === 1 ? "A parcel of it goes" : `${shipments.length} parcels of it go`;
  const message = `${number}: the shipping address was changed after shipping. ${parcels} to the previous address: void the label and buy another, or ask the carrier to redirect it.`;
  return {
    key: exceptionKeys.parcelAddress(id),
    kind: "label",
    code: "address_changed",
    message,
    subject: { type: "order", id, name: number },
    orderId: id,
  };
}
