import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { errorAt, fieldErrors } from "../../ui/field-errors.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { hasFields, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";

export function NewAccount({ kinds, onClose }: { kinds: readonly CarrierKind[]; onClose(): void }) {
  const router = useRouter();
  const [name, setName] = useState("");
  const [carrier, setCarrier] = useState("");
  const [settings, setSettings] = useState<Record<string, unknown>>({});
  const [credentials, setCredentials] = useState<Record<string, unknown>>({});
  const kind = kinds.find((one) => one.name === carrier);
  const create = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/carrier-accounts", {
        body: {
          name: name.trim(),
          carrier: carrier as "rate-card",
          settings: withoutEmpty(settings),
          credentials: withoutEmpty(credentials),
        },
      }),
    onSuccess: (account) => {
      void queryClient.invalidateQueries({ queryKey: ["carrier-accounts"] });
      router.history.push(paths.carrier(account.id, kind?.usesRateCards ? { tab: "cards" } : {}));
    },
  });
  const errors = fieldErrors(create.error);
  const below = (part: string): Map<string, string> =>
    new Map([...errors].flatMap(([at, text]) => (at.startsWith(part) ? [[at.slice(part.length), text]] : [])));
  return (
    <FormDialog
      title="New carrier account"
      submit="Make it"
      reason={name.trim() === "" ? "It needs a name." : carrier === "" && "Choose the carrier."}
      action={create}
      fields={["/name", "/carrier", "/settings", "/credentials"]}
      onClose={onClose}
    >
      <TextField
        label="Name"
        placeholder="Ground contract 2026"
        value={name}
        maxLength={100}
        error={errorAt(errors, "/name")}
        onChange={setName}
      />
      <Select
        label="Carrier"
        value={carrier}
        hint={kind?.description}
        error={errorAt(errors, "/carrier")}
        options={kinds.map((one) => ({ value: one.name, label: one.title }))}
        onChange={setCarrier}
      />
      {hasFields(kind?.settings) && (
        <SchemaForm schema={kind.settings} value={settings} onChange={setSettings} errors={below("/settings")} />
      )}
      {hasFields(kind?.credentials) && (
        <SchemaForm
          schema={kind.credentials}
          value={credentials}
          onChange={setCredentials}
          errors={below("/credentials")}
        />
      )}
    </FormDialog>
  );
}
