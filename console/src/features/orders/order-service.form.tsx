import { useQuery } from "@tanstack/react-query";
import { missingScope, useMe } from "../../live/me.ts";
import { serviceName } from "../../ui/carrier-name.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { carrierAccountsQuery } from "../carrier-accounts/carrier-account.queries.ts";
import { useServices } from "./order-service.tsx";

type Draft = { carrierAccountId: string; carrier: string; service: string };
type Props = {
  draft: Draft;
  set(change: Partial<Draft>): void;
  errors: { carrierAccountId?: string | undefined; carrier?: string | undefined; service?: string | undefined };
};

/** The account and one of its services; without an account, carrier and service as the shop named them. */
export function ServiceFields({ draft, set, errors }: Props) {
  const mayRead = missingScope(useMe(), "carrier_accounts:read") === undefined;
  const { data } = useQuery({ ...carrierAccountsQuery(undefined, 1), enabled: mayRead });
  const accounts = data?.data ?? [];
  const { data: services = [] } = useServices(draft.carrierAccountId || undefined);
  const isKnown = draft.service === "" || services.some(({ service }) => service === draft.service);
  const choose = (id: string): void => {
    if (id === draft.carrierAccountId) return;
    const account = accounts.find((one) => one.id === id);
    // Services belong to their account.
    set({ carrierAccountId: id, carrier: account?.carrier ?? draft.carrier, service: "" });
  };
  return (
    <>
      <Select
        label="Carrier account"
        value={draft.carrierAccountId}
        error={errors.carrierAccountId}
        options={[{ value: "", label: "Not set" }, ...accounts.map(({ id, name }) => ({ value: id, label: name }))]}
        onChange={choose}
      />
      {draft.carrierAccountId === "" && (
        <TextField
          label="Carrier"
          value={draft.carrier}
          error={errors.carrier}
          onChange={(carrier) => set({ carrier })}
        />
      )}
      {services.length > 0 ? (
        <Select
          label="Service"
          value={draft.service}
          error={errors.service}
          options={[
            { value: "", label: "Not set" },
            ...(isKnown ? [] : [{ value: draft.service, label: serviceName(draft.service) }]),
            ...services.map(({ service, name }) => ({ value: service, label: name })),
          ]}
          onChange={(service) => set({ service })}
        />
      ) : (
        <TextField
          label="Service"
          value={draft.service}
          error={errors.service}
          onChange={(service) => set({ service })}
        />
      )}
    </>
  );
}
