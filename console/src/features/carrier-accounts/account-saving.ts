import type { CarrierAccount } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";
import { hub, queryClient } from "../../live/hub.ts";
import { tell } from "../../ui/toast.tsx";
import { carrierAccountQuery } from "./carrier-account.queries.ts";

export type AccountPatch = NonNullable<Input<"PATCH /api/v1/carrier-accounts/{id}">["body"]>;

/** What the forms of an account do alike: each saves its own part of it. */
export const accountSaving = (id: string) => ({
  read: (): Promise<CarrierAccount> => hub.call("GET /api/v1/carrier-accounts/{id}", { path: { id } }),
  onSaved: async (saved: CarrierAccount): Promise<void> => {
    queryClient.setQueryData(carrierAccountQuery(id).queryKey, saved);
    await queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });
    tell("Saved");
  },
});

export const writeAccount = (id: string, body: AccountPatch, ifMatch: number): Promise<CarrierAccount> =>
  hub.call("PATCH /api/v1/carrier-accounts/{id}", { path: { id }, body, ifMatch });
