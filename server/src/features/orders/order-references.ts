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

/** The references in a request or an order. */
type References = Partial<Record<"locationId" | "assigneeId" | "bridgeId", string | null | undefined>> & {
  shipping?: { carrierAccountId?: string } | undefined;
};

/** Only new references: existing ones may have been deactivated since. */
export function newReferences({ locationId, assigneeId, bridgeId, shipping }: References, order: Order): References {
  return {
    ...(locationId === order.locationId ? {} : { locationId }),
    ...(assigneeId === order.assigneeId ? {} : { assigneeId }),
    ...(bridgeId === order.bridgeId ? {} : { bridgeId }),
    ...(shipping?.carrierAccountId === order.shipping.carrierAccountId ? {} : { shipping }),
  };
}

/** The requests with a reference that the organization does not have. One query per kind. */
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
      const message = `${id} does not exist in this organization.`;
      return [{ pointer: pointers[kind], code: `${kind}_not_found`, message }];
    });
    const [first] = errors;
    return first && { code: first.code as ErrorCode, message: first.message, errors };
  });
}

/** The IDs that exist. Sequential: in a transaction the queries share one connection. */
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
