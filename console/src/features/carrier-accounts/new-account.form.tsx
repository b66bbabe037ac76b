import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { PluginMark } from "../../ui/plugin-mark.tsx";
import { hasFields, withoutEmpty } from "../../ui/schema-form/schema.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { CarrierKind } from "./carrier-account.queries.ts";

type Draft = {
  name: string;
  carrier: string;
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
};

/** A rate card is uploaded next; a connection is tested. */
function nextStep(kind: CarrierKind | undefined): Record<string, string> {
  if (kind?.supports.accountTest) return { new: "yes" };
  return kind?.usesRateCards ? { tab: "cards" } : {};
}

export function NewAccount({ kinds, onClose }: { kinds: readonly CarrierKind[]; onClose(): void }) {
  const router = useRouter();
  const kindOf = (name: string): CarrierKind | undefined => kinds.find((kind) => kind.name === name);
  const form = useCreateForm({
    start: (): Draft => ({ name: "", carrier: "", settings: {}, credentials: {} }),
    create: ({ name, carrier, settings, credentials }) =>
      hub.call("POST /api/v1/carrier-accounts", {
        body: {
          name: name.trim(),
          carrier: carrier as "rate-card",
          settings: withoutEmpty(settings),
          credentials: withoutEmpty(credentials),
        },
      }),
    refetch: ["carrier-accounts"],
    onCreated: ({ id }, { carrier }) => router.history.push(paths.carrier(id, nextStep(kindOf(carrier)))),
  });
  const { name, carrier } = form.draft;
  const kind = kindOf(carrier);
  return (
    <FormDialog
      title="Add carrier account"
      submit="Create account"
      reason={name.trim() === "" ? "Enter a name." : carrier === "" && "Choose the carrier."}
      form={form}
      onClose={onClose}
    >
      <TextField label="Name" placeholder="Ground contract 2026" {...form.field("name")} maxLength={100} />
      <Select
        label="Carrier"
        hint={kind?.description}
        {...form.field("carrier")}
        options={kinds.map((one) => ({ value: one.name, label: one.title }))}
      />
      {kind && <PluginMark plugin={kind.plugin} />}
      {hasFields(kind?.settings) && (
        <SchemaForm schema={kind.settings} {...form.field("settings")} errors={form.errors} pointer="/settings" />
      )}
      {hasFields(kind?.credentials) && (
        <SchemaForm
          schema={kind.credentials}
          {...form.field("credentials")}
          errors={form.errors}
          pointer="/credentials"
        />
      )}
    </FormDialog>
  );
}
