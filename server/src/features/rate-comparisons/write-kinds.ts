import type { Tx } from "../../db/database.ts";
import type { ItemKinds } from "./item-kinds.ts";
import { noteKind, positionsByKind } from "./item-kinds.ts";
import type { Revision } from "./item-kinds.store.ts";
import { insertKinds, readRatedItems } from "./item-kinds.store.ts";

const portion = 5_000;

/** For a revision that is about to be shown. False: there are too many kinds, so its items are filtered by reading them. */
export async function writeKinds(tx: Tx, of: Revision, kinds: ItemKinds): Promise<boolean> {
  // What was done before this worker took over.
  for (let from = 0; from < kinds.from; from += portion) {
    for (const row of await readRatedItems(tx, of, from, Math.min(kinds.from, from + portion))) {
      const { position, savings_cents: savings, service_type: serviceType, ...kind } = row;
      noteKind(kinds, position, { ...kind, serviceType, sign: savings === null ? null : Math.sign(savings) });
    }
  }
  kinds.from = 0;
  if (kinds.hasTooMany) return false;
  await insertKinds(tx, of, kinds.kinds, positionsByKind(kinds));
  return true;
}
