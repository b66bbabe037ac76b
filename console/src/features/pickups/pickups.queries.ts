import type { Pickup, PickupCheck, PickupRequest } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

/** Page size of the week; the page says so if there are more. */
const maxShown = 100;

export const pickupsQuery = (from: string, to: string) =>
  queryOptions({
    queryKey: ["pickups", "week", from, to],
    queryFn: ({ signal }) => hub.call("GET /api/v1/pickups", { query: { from, to, limit: maxShown }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
  });

export const pickupQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["pickups", "one", id],
    queryFn: ({ signal }): Promise<Pickup> => hub.call("GET /api/v1/pickups/{id}", { path: { id: id! }, signal }),
    enabled: id !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.hasPendingChange || state.data?.status === "requested" ? 2_000 : false,
  });

export type PickupAccount = { id: string; name: string; carrier: string };

/** Accounts of carriers that offer pickups. */
export const pickupAccountsQuery = queryOptions({
  queryKey: ["pickups", "accounts"],
  queryFn: async ({ signal }): Promise<PickupAccount[]> => {
    const [accounts, carriers] = await Promise.all([
      hub.call("GET /api/v1/carrier-accounts", { query: { limit: 100, isActive: true }, signal }),
      hub.call("GET /api/v1/carrier-accounts/carriers", { signal }),
    ]);
    const takers = new Set(
      carriers.data.filter(({ capabilities }) => capabilities.includes("pickup")).map(({ name }) => name),
    );
    return accounts.data
      .filter(({ carrier }) => takers.has(carrier))
      .map(({ id, name, carrier }) => ({ id, name, carrier }));
  },
  staleTime: 60_000,
});

export type PickupLocation = { id: string; name: string; city: string | undefined; isDefault: boolean };

export const pickupLocationsQuery = queryOptions({
  queryKey: ["pickups", "places"],
  queryFn: async ({ signal }): Promise<PickupLocation[]> => {
    const { data } = await hub.call("GET /api/v1/locations", { query: { limit: 100, is_active: true }, signal });
    return data
      .map(({ id, name, address, is_default }) => ({ id, name, city: address.city, isDefault: is_default }))
      .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault) || a.name.localeCompare(b.name));
  },
  staleTime: 60_000,
});

export type SlotDays = Answer<"GET /api/v1/pickups/slots">;
export type SlotRequest = {
  carrierAccountId: string;
  locationId: string;
  readyTime?: string;
  closeTime?: string;
  excludePickupId?: string;
};

export const slotsQuery = (wish: SlotRequest | undefined) =>
  queryOptions({
    queryKey: ["pickups", "slots", wish],
    queryFn: ({ signal }): Promise<SlotDays> => hub.call("GET /api/v1/pickups/slots", { query: wish!, signal }),
    enabled: wish !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });

export const checkQuery = (body: PickupRequest | undefined, excludePickupId: string | undefined) =>
  queryOptions({
    queryKey: ["pickups", "check", body, excludePickupId],
    queryFn: ({ signal }): Promise<PickupCheck> =>
      hub.call("POST /api/v1/pickups/check", {
        body: body!,
        query: excludePickupId ? { excludePickupId } : {},
        signal,
      }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
