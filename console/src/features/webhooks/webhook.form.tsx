import type { Webhook } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { SaveRow } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Card } from "../../ui/card.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EventTypesPick } from "./event-types.pick.tsx";
import { webhookCan } from "./webhook.can.ts";
import { HeaderFields } from "./header-fields.tsx";
import { readWebhook } from "./webhooks.queries.ts";
import { orderingOptions, signingOptions } from "./webhooks.text.ts";

type Draft = {
  url: string;
  description: string;
  types: string[];
  ordering: string;
  maxInFlight: string;
  signing: string;
  /** Undefined: keep the stored headers. */
  headers: Array<[name: string, value: string]> | undefined;
};

const draftOf = (webhook: Webhook): Draft => ({
  url: webhook.url,
  description: webhook.description,
  types: webhook.types,
  ordering: webhook.ordering,
  maxInFlight: String(webhook.maxInFlight),
  signing: webhook.signing,
  headers: undefined,
});
const fresh: Draft = {
  url: "",
  description: "",
  types: [],
  ordering: "none",
  maxInFlight: "8",
  signing: "hmac",
  headers: [],
};

export type Made = Answer<"POST /api/v1/webhooks">;
type Props = { webhook?: Webhook; onDone(saved: Webhook | Made): void };

const onFields = ["/url", "/types", "/description", "/maxInFlight", "/headers"];
const names = {
  url: "URL",
  description: "Name",
  types: "Events",
  ordering: "Order",
  maxInFlight: "Parallel deliveries",
};

const given = (headers: Draft["headers"]): Record<string, string> | undefined => {
  const named = headers?.filter(([name]) => name.trim()) ?? [];
  return named.length > 0 ? Object.fromEntries(named) : undefined;
};

function partsOf({ url, description, types, ordering, maxInFlight }: Partial<Draft>) {
  return {
    ...(url !== undefined && { url: url.trim() }),
    ...(description !== undefined && { description: description.trim() }),
    ...(types && { types }),
    ...(ordering !== undefined && { ordering: ordering as "none" }),
    ...(maxInFlight !== undefined && { maxInFlight: Number(maxInFlight) || 8 }),
  };
}

function useWebhookForm({ webhook, onDone }: Props) {
  return useRecordForm<Webhook | Made, Draft>({
    kind: "webhooks",
    record: webhook,
    draftOf,
    start: fresh,
    create: (draft) => {
      const { url = "", types = [], ...rest } = partsOf(draft);
      const headers = given(draft.headers);
      const body = { ...rest, url, types, signing: draft.signing as "hmac", ...(headers && { headers }) };
      return hub.call("POST /api/v1/webhooks", { body });
    },
    read: readWebhook,
    neverShown: ["headers"],
    write: (change, { id, version }) => {
      const body = { ...partsOf(change), ...(change.headers && { headers: given(change.headers) ?? null }) };
      return hub.call("PATCH /api/v1/webhooks/{id}", { path: { id }, ifMatch: version, body });
    },
    onSaved: onDone,
  });
}

function missingOf({ url, types }: Draft): string | undefined {
  if (!url.trim()) return "Enter a URL.";
  return types.length === 0 ? "Choose at least one event." : undefined;
}

/** URL, event types and delivery options of a webhook. */
export function WebhookForm(props: Props) {
  const { webhook } = props;
  const form = useWebhookForm(props);
  return (
    <form onSubmit={form.submit} className="max-w-4xl">
      <Card className="flex flex-col gap-3 px-4 py-3" label="Webhook">
        <TextField label="URL" type="url" placeholder="https://erp.example.com/hooks/orders" {...form.field("url")} />
        <TextField label="Name (optional)" {...form.field("description")} maxLength={500} />
        <EventTypesPick {...form.field("types")} />
        <DeliveryFields form={form} />
        <HeaderFields stored={webhook?.headerNames ?? []} {...form.field("headers")} />
        <SaveRow
          form={form}
          names={names}
          fields={onFields}
          reason={webhookCan.change(useMe()) ?? missingOf(form.draft)}
          save={form.isNew ? "Create webhook" : "Save"}
        />
      </Card>
    </form>
  );
}

function DeliveryFields({ form }: { form: RecordForm<Draft> }) {
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Select label="Delivery order" {...form.field("ordering")} options={orderingOptions} />
      {form.draft.ordering === "strict" ? null : (
        <TextField label="Parallel deliveries" type="number" min={1} max={32} {...form.field("maxInFlight")} />
      )}
      {form.isNew && <Select label="Signature" {...form.field("signing")} options={signingOptions} />}
    </div>
  );
}
