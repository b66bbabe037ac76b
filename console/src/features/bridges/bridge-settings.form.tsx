import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { mergePatch, useRecordForm } from "../../live/use-record-form.ts";
import { Card, Heading } from "../../ui/card.tsx";
import { valueText } from "../../ui/change-text.ts";
import { sentence } from "../../ui/format.ts";
import { SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import type { FormSchema } from "../../ui/schema-form/schema.ts";
import { withoutEmpty } from "../../ui/schema-form/schema.ts";
import { Switch } from "../../ui/switch.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { pickEntity } from "../pick/entity.pick.tsx";
import { bridgeCan } from "./bridge.can.ts";
import { readBridge, connectorsQuery } from "./bridges.queries.ts";
import { DeleteBridge } from "./delete-bridge.tsx";

type Draft = Pick<Bridge, "name" | "settings" | "isActive" | "concurrency"> & {
  /** Required again when the settings change the host that receives them. */
  credentials: Record<string, unknown>;
};
const draftOf = ({ name, settings, isActive, concurrency }: Bridge): Draft => ({
  name,
  settings,
  isActive,
  concurrency,
  credentials: {},
});
const names = { name: "Name", isActive: "Active", concurrency: "Parallel requests", settings: "Settings" };

const isForCredentials = (error: unknown): boolean =>
  error instanceof HubApiError && error.code === "credentials_required";

function useSettingsForm(bridge: Bridge) {
  const [needsCredentials, setNeedsCredentials] = useState(false);
  const form = useRecordForm<Bridge, Draft>({
    kind: "bridges",
    record: bridge,
    draftOf,
    read: readBridge,
    neverShown: ["credentials"],
    write: async ({ settings, credentials, ...rest }, { id, version }, base) => {
      const body = {
        ...rest,
        ...(settings && { settings: mergePatch(base.settings, withoutEmpty(settings)) }),
        ...(credentials && { credentials: withoutEmpty(credentials) }),
      };
      try {
        return await hub.call("PATCH /api/v1/bridges/{id}", { path: { id }, ifMatch: version, body });
      } catch (error) {
        if (isForCredentials(error)) setNeedsCredentials(true);
        throw error;
      }
    },
    onSaved: (saved) => {
      setNeedsCredentials(false);
      showToast(`${saved.name} saved`);
    },
  });
  return { form, needsCredentials };
}

export function BridgeSettings({ bridge }: { bridge: Bridge }) {
  const refused = bridgeCan.change(useMe());
  const { data: connectors } = useQuery(connectorsQuery);
  const connector = connectors?.find(({ name }) => name === bridge.connector);
  const { form, needsCredentials } = useSettingsForm(bridge);
  const { draft, set, errors } = form;
  return (
    <div className="flex max-w-2xl flex-col gap-3.5">
      <Card className="px-3.5 py-3" label="Settings">
        <SaveForm
          form={form}
          names={names}
          textOf={(part, of) => (part === "settings" ? settingsText(of.settings, connector?.settingsSchema) : of[part])}
          fields={["/name", "/settings", "/concurrency", "/credentials"]}
          reason={refused}
        >
          <TextField label="Name" {...form.field("name")} />
          <div>
            <Switch label="Active" isOn={draft.isActive} onChange={(isActive) => set({ isActive })} />
            <p className="text-sm text-faint">An inactive connection runs no tasks.</p>
          </div>
          {connector && (
            <SchemaForm
              // Remount for another version: some fields keep their own typed text.
              key={form.basedOn}
              schema={connector.settingsSchema}
              value={draft.settings}
              onChange={(settings) => set({ settings })}
              errors={errors}
              pointer="/settings"
              pickEntity={pickEntity}
            />
          )}
          <TextField
            label="Parallel requests (optional)"
            hint="1 to 50. Leave empty for the default."
            type="number"
            min={1}
            max={50}
            error={errors.get("/concurrency")}
            value={draft.concurrency === null ? "" : String(draft.concurrency)}
            onChange={(text) => set({ concurrency: text === "" ? null : Number(text) })}
          />
          {needsCredentials && connector && (
            <div>
              <Heading title="Credentials for the new address" />
              <SchemaForm
                schema={connector.credentialsSchema}
                value={draft.credentials}
                onChange={(credentials) => set({ credentials })}
                errors={errors}
                pointer="/credentials"
              />
            </div>
          )}
        </SaveForm>
      </Card>
      <DeleteBridge bridge={bridge} refused={refused} />
    </div>
  );
}

/** Settings as text, with the titles that the form shows. */
function settingsText(settings: Record<string, unknown>, schema: FormSchema | undefined): string {
  const texts = Object.entries(withoutEmpty(settings)).map(([name, value]) => {
    const text = typeof value === "object" && value !== null ? JSON.stringify(value) : valueText(value);
    return `${schema?.properties?.[name]?.title ?? sentence(name)}: ${text}`;
  });
  return texts.join("; ");
}
