import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { missingScope, useMe } from "../../live/me.ts";
import { accountServicesQuery } from "../operations/operations.queries.ts";
import { useEntityNames } from "../pick/entity-names.queries.ts";
import { carrierName, serviceName } from "../../ui/carrier-name.ts";

export const useServices = (accountId: string | undefined) => {
  const mayRead = missingScope(useMe(), "carrier_accounts:read") === undefined;
  return useQuery({ ...accountServicesQuery(accountId), enabled: mayRead && accountId !== undefined });
};

/** Carrier account, or carrier, and service of an order by their names. */
export function ServiceName({ shipping: { carrierAccountId, carrier, service } }: Pick<Order, "shipping">) {
  const { data: accounts } = useEntityNames("carrier_account");
  const { data: services } = useServices(carrierAccountId ?? undefined);
  const by = accounts?.find(({ id }) => id === carrierAccountId)?.name ?? (carrier && carrierName(carrier));
  const name = services?.find((one) => one.service === service)?.name;
  return [by, service && (name ?? serviceName(service))].filter(Boolean).join(", ") || "–";
}
