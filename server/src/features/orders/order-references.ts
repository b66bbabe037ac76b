import type { ErrorCode, FieldError } from "../../core/errors.ts";
import type { Queryable } from "../../db/database.ts";
import { findBridgeIds } from "../bridges/bridges.ts";
import { findCarrierAccountIds } from "../carrier-accounts/carrier-accounts.ts";
import { findLocationIds } from "../locations/locations.ts";
import { findUserIds } from "../users/users.ts";
import type { OrderRequest } from "./orders.schemas.ts";

type References = Pick<OrderRequest, "locationId" | "assigneeId" | "bridgeId" | "shipping">;

/** For each request the ids in it that point at nothing in the organization; one query for each kind, however many there are. */
export async function findMissingReferences(
  db: Queryable,
  orgId: string,
  requests: readonly References[],
): Promise<FieldError[][]> {
  // One after the other: in a transaction they share one connection.
  const locations = await findLocationIds(db, orgId, distinct(requests.map(({ locationId }) => locationId)));
  const users = await findUserIds(db, orgId, distinct(requests.map(({ assigneeId }) => assigneeId)));
  const bridges = await findBridgeIds(db, orgId, distinct(requests.map(({ bridgeId }) => bridgeId)));
  const accountIds = distinct(requests.map(({ shipping }) => shipping?.carrierAccountId));
  const accounts = await findCarrierAccountIds(db, orgId, accountIds);
  return requests.map(({ locationId, assigneeId, bridgeId, shipping }) => [
    ...missing(locationId, locations, "/locationId", "location_not_found"),
    ...missing(assigneeId, users, "/assigneeId", "user_not_found"),
    ...missing(bridgeId, bridges, "/bridgeId", "bridge_not_found"),
    ...missing(shipping?.carrierAccountId, accounts, "/shipping/carrierAccountId", "carrier_account_not_found"),
  ]);
}

function distinct(ids: (string | undefined)[]): string[] {
  return [...new Set(ids.filter((id) => id !== undefined))];
}

function missing(id: string | undefined, known: ReadonlySet<string>, pointer: string, code: ErrorCode): FieldError[] {
  if (id === undefined || known.has(id.toLowerCase())) return [];
  return [{ pointer, code, message: `There is no ${id} in this organization.` }];
}
