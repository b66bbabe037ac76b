import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import type { EntityPicker } from "../../ui/schema-form/schema-form.tsx";
import { SearchSelect } from "../../ui/search-select.tsx";
import { Field, TextField } from "../../ui/text-field.tsx";
import { pickEntity } from "../pick/entity.pick.tsx";
import { accountServicesQuery } from "./operations.queries.ts";

type Given = Parameters<EntityPicker>[0];

/** The schema of the params, with a list for the service where it depends on a carrier account. */
export function paramSchema({ params_schema: schema }: OperationAction): FormSchema {
  const { properties = {} } = schema as FormSchema;
  const { service, carrier_account_id: account, weight } = properties;
  return {
    ...schema,
    properties: {
      ...properties,
      ...(service && account ? { service: { ...service, "x-entity": "service" } } : {}),
      ...(weight ? { weight: withoutUnitHint(weight) } : {}),
    },
  };
}

/** Other spellings of a unit matter to callers of the API, not to a list. */
function withoutUnitHint(weight: FormSchema): FormSchema {
  const { unit, ...others } = weight.properties ?? {};
  if (!unit) return weight;
  const { description: _description, ...plain } = unit;
  return { ...weight, properties: { ...others, unit: plain } };
}

/** Fields of params that refer to records: a location can be created in place, a service is one of the account. */
export const paramPicker =
  (params: Record<string, unknown>): EntityPicker =>
  (given) => {
    if (given.entity === "location") return <LocationField {...given} />;
    if (given.entity === "service") {
      const account = params["carrier_account_id"];
      return <ServiceField given={given} accountId={typeof account === "string" ? account : undefined} />;
    }
    return pickEntity(given);
  };

/** Services that the account offers. Without an account any text is accepted. */
function ServiceField({ given, accountId }: { given: Given; accountId: string | undefined }) {
  const { label, hint, error, value, onChange } = given;
  const { data: services = [] } = useQuery(accountServicesQuery(accountId));
  if (services.length === 0) {
    return (
      <TextField
        label={label}
        hint={accountId ? hint : "Choose a carrier account to see its services. Default: the one set on the order."}
        error={error}
        value={value}
        onChange={(next) => onChange(next || null)}
      />
    );
  }
  return (
    <Field label={label} hint={hint} error={error}>
      {() => (
        <SearchSelect
          label={label}
          placeholder="The one set on the order"
          value={value}
          options={services.map(({ service, name }) => ({ value: service, label: name, note: service }))}
          onChange={(next) => onChange(next || null)}
        />
      )}
    </Field>
  );
}

function LocationField(given: Given) {
  const [isOpen, setOpen] = useState(false);
  const refused = missingScope(useMe(), "locations:write");
  return (
    <div className="flex flex-col gap-1">
      {pickEntity(given)}
      <div>
        <Button kind="quiet" disabledReason={refused} onClick={() => setOpen(true)}>
          Create location
        </Button>
      </div>
      {isOpen && <NewLocation onClose={() => setOpen(false)} onCreated={(id) => given.onChange(id)} />}
    </div>
  );
}

const blank = { name: "", company: "", address1: "", city: "", provinceCode: "", zip: "", countryCode: "US" };

function NewLocation({ onClose, onCreated }: { onClose(): void; onCreated(id: string): void }) {
  const form = useCreateForm({
    start: blank,
    create: ({ name, ...address }) => {
      const given = Object.entries(address).filter(([, part]) => part.trim() !== "");
      return hub.call("POST /api/v1/locations", { body: { name: name.trim(), address: Object.fromEntries(given) } });
    },
    refetch: ["locations"],
    onCreated: ({ id }) => {
      onCreated(id);
      onClose();
    },
  });
  const at = (part: keyof typeof blank) => form.field(part, `/address/${part}`);
  return (
    <FormDialog title="Create location" submit="Create location" form={form} onClose={onClose}>
      <TextField label="Name" {...form.field("name")} required maxLength={100} />
      <TextField label="Company" {...at("company")} required />
      <TextField label="Address line 1" {...at("address1")} required />
      <div className="grid grid-cols-2 gap-2.5">
        <TextField label="City" {...at("city")} required />
        <TextField label="State or province" {...at("provinceCode")} />
        <TextField label="Postal code" {...at("zip")} required />
        <TextField label="Country code" {...at("countryCode")} required maxLength={2} />
      </div>
    </FormDialog>
  );
}
