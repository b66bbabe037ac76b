import type { Ctx } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { matchCredits } from "./match-credits.ts";
import { creditsOf, netReversals } from "./net-reversals.ts";
import * as store from "./save-findings.store.ts";

const batchSize = 5_000;

/** Assigns the credits of these parcels to their findings. `credits`: by parcel; those without any are not in it. */
export async function settleCredits(
  tx: Tx,
  ctx: Ctx,
  carrier: string,
  { parcels, credits }: { parcels: string[]; credits: ReadonlyMap<string, number[]> },
): Promise<void> {
  const open = await store.listCreditable(tx, ctx.orgId, carrier, { parcels, credited: [...credits.keys()] });
  const changed = [...Map.groupBy(open, ({ parcel }) => parcel)].flatMap(([number, of]) =>
    matchCredits(credits.get(number) ?? [], of),
  );
  await store.saveCredits(tx, ctx.orgId, changed, ctx.clock.now());
}

/** Deletes an invoice with `remove`, and takes its credits from the findings that they covered. */
export async function withoutCreditsOf(
  tx: Tx,
  ctx: Ctx,
  invoice: { id: string; carrier: string },
  remove: () => Promise<void>,
): Promise<void> {
  const numbers = await store.listCreditedParcels(tx, ctx.orgId, invoice.id);
  await remove();
  for (let start = 0; start < numbers.length; start += batchSize) {
    const parcels = numbers.slice(start, start + batchSize);
    const left = await store.listCorrections(tx, ctx.orgId, invoice.carrier, parcels);
    const byParcel = [...Map.groupBy(left, ({ parcel }) => parcel)];
    const credits = new Map(
      byParcel.flatMap(([parcel, lines]): [string, number[]][] => {
        const amounts = creditsOf(netReversals(lines));
        return amounts.length > 0 ? [[parcel, amounts]] : [];
      }),
    );
    await settleCredits(tx, ctx, invoice.carrier, { parcels, credits });
  }
}
