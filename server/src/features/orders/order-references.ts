import type { ErrorCode, FieldError } from "../../core/errors.ts";
import type { RowFailure } from "../../core/row-failure.ts";
import type { Queryable } from "../../db/database.ts";
import { findBridgeIds } from "../bridges/bridges.ts";
import { findCarrierAccountIds } from "../carrier-accounts/carrier-accounts.ts";
import { findLocationIds } from "../locations/locations.ts";
import { findUserIds } from "../users/users.ts";
import type { Order } from "./order.ts";

const pointers = {
  location: "/locationId",
  user: "/assigneeId",
  bridge: "/bridgeId",
  carrier_account: "/shipping/carrierAccountId",
} as const;
type Kind = keyof typeof pointers;

/** What a request says, or what is to become of an order. */
type References = Partial<Record<"locationId" | "assigneeId" | "bridgeId", string | null | undefined>> & {
  shipping?: { carrierAccountId?: string } | undefined;
};

/** Only what the order is about to point at: what it points at already may have been closed since. */
export function newReferences({ locationId, assigneeId, bridgeId, shipping }: References, order: Order): References {
  return {
    ...(locationId === order.locationId ? {} : { locationId }),
    ...(assigneeId === order.assigneeId ? {} : { assigneeId }),
    ...(bridgeId === order.bridgeId ? {} : { bridgeId }),
    ...(shipping?.carrierAccountId === order.shipping.carrierAccountId ? {} : { shipping }),
  };
}

/** Which of these point at something that the organization does not have; one query for each kind, however many there are. */
export async function findMissingReferences(
  db: Queryable,
  orgId: string,
  requests: readonly References[],
): Promise<(RowFailure | undefined)[]> {
  const referred = requests.map(({ locationId, assigneeId, bridgeId, shipping }) => ({
    location: locationId,
    user: assigneeId,
    bridge: bridgeId,
    carrier_account: shipping?.carrierAccountId,
  }));
  const known = await findReferred(db, orgId, (kind) => referred.flatMap((ids) => ids[kind] ?? []));
  return referred.map((ids) => {
    const errors = (Object.keys(pointers) as Kind[]).flatMap((kind): FieldError[] => {
      const id = ids[kind] ?? undefined;
      if (id === undefined || known[kind].has(id.toLowerCase())) return [];
      const message = `There is no ${id} in this organization.`;
      return [{ pointer: pointers[kind], code: `${kind}_not_found`, message }];
    });
    const [first] = errors;
    return first && { code: first.code as ErrorCode, message: first.message, errors };
  });
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
