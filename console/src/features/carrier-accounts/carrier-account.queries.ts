import type { CarrierAccount, RateCardDetail } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

// Separate from the entity names, which are loaded with the first page.

/** Accounts that can price parcels. A carrier with its own rates needs no rate card. */
export const contractsQuery = queryOptions({
  queryKey: ["carrier-accounts", "contracts"],
  queryFn: async ({ signal }) => {
    const [{ data }, { data: carriers }] = await Promise.all([
      hub.call("GET /api/v1/carrier-accounts", { query: { limit: 100, isActive: true }, signal }),
      hub.call("GET /api/v1/carrier-accounts/carriers", { signal }),
    ]);
    const needsCard = new Map(carriers.map(({ name, usesRateCards }) => [name, usesRateCards]));
    return data.map(({ id, name, carrier, rateCard }) => ({
      id,
      name,
      hasPrices: rateCard !== null || needsCard.get(carrier) === false,
      /** Invoices are audited against rate cards only. */
      hasCard: rateCard !== null,
    }));
  },
  staleTime: 30_000,
});

/** A rate card with all prices. */
export const rateCardQuery = (accountId: string, rateCardId: string | undefined) =>
  queryOptions({
    queryKey: ["carrier-accounts", "card", accountId, rateCardId],
    queryFn: ({ signal }): Promise<RateCardDetail> =>
      hub.call("GET /api/v1/carrier-accounts/{id}/rate-cards/{rateCardId}", {
        path: { id: accountId, rateCardId: rateCardId! },
        signal,
      }),
    enabled: rateCardId !== undefined,
    staleTime: 60_000,
    retry: false,
  });

export type CarrierKind = Answer<"GET /api/v1/carrier-accounts/carriers">["data"][number];

/** Supported carriers. */
export const carrierKindsQuery = queryOptions({
  queryKey: ["carrier-accounts", "carriers"],
  queryFn: async ({ signal }): Promise<CarrierKind[]> =>
    (await hub.call("GET /api/v1/carrier-accounts/carriers", { signal })).data,
  staleTime: 300_000,
});

export const carrierAccountsQuery = (search: string | undefined, page: number) =>
  queryOptions({
    queryKey: ["carrier-accounts", "list", search, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/carrier-accounts", { query: { page, limit: 50, ...(search ? { search } : {}) }, signal }),
    placeholderData: keepPreviousData,
  });

export const readCarrierAccount = (id: string): Promise<CarrierAccount> =>
  hub.call("GET /api/v1/carrier-accounts/{id}", { path: { id } });

export type AccountPatch = NonNullable<Input<"PATCH /api/v1/carrier-accounts/{id}">["body"]>;

export const patchCarrierAccount = (body: AccountPatch, over: CarrierAccount): Promise<CarrierAccount> =>
  hub.call("PATCH /api/v1/carrier-accounts/{id}", { path: { id: over.id }, body, ifMatch: over.version });

export const carrierAccountQuery = (id: string) =>
  queryOptions({ queryKey: ["carrier-accounts", "one", id], queryFn: () => readCarrierAccount(id) });

export const rateCardsQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ["carrier-accounts", "cards", id, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/carrier-accounts/{id}/rate-cards", { path: { id }, query: { page, limit: 20 }, signal }),
    placeholderData: keepPreviousData,
  });

export type QuoteRequest = Input<"POST /api/v1/carrier-accounts/{id}/quote">["body"];
export type Quotes = Answer<"POST /api/v1/carrier-accounts/{id}/quote">;

/** Quotes a parcel for every service. */
export const quoteQuery = (id: string, body: QuoteRequest | undefined) =>
  queryOptions({
    queryKey: ["carrier-accounts", "quote", id, body],
    queryFn: ({ signal }): Promise<Quotes> =>
      hub.call("POST /api/v1/carrier-accounts/{id}/quote", { path: { id }, body: body!, signal }),
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
  });
