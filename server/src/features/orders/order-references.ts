import type { FieldError } from "../../core/errors.ts";
import type { Queryable } from "../../db/database.ts";
import { findBridgeIds } from "../bridges/bridges.ts";
import { findCarrierAccountIds } from "../carrier-accounts/carrier-accounts.ts";
import { findLocationIds } from "../locations/locations.ts";
import { findUserIds } from "../users/users.ts";
import type { OrderRequest } from "./orders.schemas.ts";

const pointers = {
  location: "/locationId",
  user: "/assigneeId",
  bridge: "/bridgeId",
  carrier_account: "/shipping/carrierAccountId",
} as const;
type Kind = keyof typeof pointers;

type References = Pick<OrderRequest, "locationId" | "assigneeId" | "bridgeId" | "shipping">;

/** For each request the ids in it that point at nothing in the organization; one query for each kind, however many there are. */
export async function findMissingReferences(
  db: Queryable,
  orgId: string,
  requests: readonly References[],
): Promise<FieldError[][]> {
  const referred = requests.map(({ locationId, assigneeId, bridgeId, shipping }) => ({
    location: locationId,
    user: assigneeId,
    bridge: bridgeId,
    carrier_account: shipping?.carrierAccountId,
  }));
  const known = await findReferred(db, orgId, (kind) => referred.flatMap((ids) => ids[kind] ?? []));
  return referred.map((ids) =>
    (Object.keys(pointers) as Kind[]).flatMap((kind) => {
      const id = ids[kind];
      if (id === undefined || known[kind].has(id.toLowerCase())) return [];
      const message = `There is no ${id} in this organization.`;
      return [{ pointer: pointers[kind], code: `${kind}_not_found`, message }];
    }),
  );
}

/** Those of these ids that the organization has. One kind after the other: in a transaction they share one connection. */
export async function findReferred(
  db: Queryable,
  orgId: string,
  idsOf: (kind: Kind) => string[],
): Promise<Record<Kind, ReadonlySet<string>>> {
  const distinct = (kind: Kind): string[] => [...new Set(idsOf(kind))];
  return {
    location: await findLocationIds(db, orgId, distinct("location")),
    user: await findUserIds(db, orgId, distinct("user")),
    bridge: await findBridgeIds(db, orgId, distinct("bridge")),
    carrier_account: await findCarrierAccountIds(db, orgId, distinct("carrier_account")),
  };
}
