import type { Webhook } from "@order-operations-hub/sdk/api-types";
import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ConflictBox, isConflict } from "../../ui/conflict-box.tsx";
import { errorAt, fieldErrors, isAllOnFields } from "../../ui/field-errors.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { EventTypesPick } from "./event-types.pick.tsx";
import { webhookCan } from "./webhook.can.ts";
import { HeaderFields } from "./header-fields.tsx";
import { webhookQuery } from "./webhooks.queries.ts";
import { orderingOptions, signingOptions } from "./webhooks.text.ts";

type Draft = {
  url: string;
  description: string;
  types: string[];
  ordering: string;
  maxInFlight: string;
  signing: string;
  /** Undefined: those that are stored stay. */
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

function bodyOf({ headers, ordering, maxInFlight, url, description, types }: Draft) {
  return {
    url: url.trim(),
    description: description.trim(),
    types,
    ordering: ordering as "none",
    maxInFlight: Number(maxInFlight) || 8,
    ...(headers ? { headers: Object.fromEntries(headers.filter(([name]) => name.trim())) } : {}),
  };
}

/** Who is told of what, and how. */
export function WebhookForm({ webhook, onDone }: Props) {
  const me = useMe();
  const [base, setBase] = useState(webhook);
  const [theirs, setTheirs] = useState<Webhook>();
  const [draft, setDraft] = useState(() => (webhook ? draftOf(webhook) : fresh));
  const save = useMutation({
    mutationFn: (version: number | undefined): Promise<Webhook | Made> => {
      const { headers, ...body } = bodyOf(draft);
      const given = headers && Object.keys(headers).length > 0 ? headers : undefined;
      if (!base || version === undefined)
        return hub.call("POST /api/v1/webhooks", {
          body: { ...body, signing: draft.signing as "hmac", ...(given ? { headers: given } : {}) },
        });
      return hub.call("PATCH /api/v1/webhooks/{id}", {
        path: { id: base.id },
        ifMatch: version,
        body: { ...body, ...(headers ? { headers: given ?? null } : {}) },
      });
    },
    onSuccess: async (saved) => {
      if (webhook) setBase(saved);
      await queryClient.invalidateQueries({ queryKey: ["webhooks"] });
      onDone(saved);
    },
    onError: async (error) => {
      if (base && isConflict(error))
        setTheirs(await queryClient.fetchQuery({ ...webhookQuery(base.id), staleTime: 0 }));
    },
  });
  const set = (change: Partial<Draft>): void => {
    setDraft((before) => ({ ...before, ...change }));
    // What was said of the former is not true of this.
    if (save.error && !isConflict(save.error)) save.reset();
  };
  const wrong = fieldErrors(save.error);
  const reason =
    webhookCan.change(me) ??
    (!draft.url.trim() ? "Say where to deliver." : draft.types.length === 0 ? "Pick what it is told of." : undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!reason) save.mutate(base?.version);
      }}
    >
      <Card className="flex max-w-4xl flex-col gap-3 px-4 py-3" label="Webhook">
        <TextField
          label="Address"
          type="url"
          placeholder="https://erp.example.com/hooks/orders"
          value={draft.url}
          error={errorAt(wrong, "/url")}
          onChange={(url) => set({ url })}
        />
        <TextField
          label="Name (optional)"
          value={draft.description}
          maxLength={500}
          error={wrong.get("/description")}
          onChange={(description) => set({ description })}
        />
        <EventTypesPick value={draft.types} error={errorAt(wrong, "/types")} onChange={(types) => set({ types })} />
        <DeliveryFields draft={draft} set={set} isNew={!webhook} error={wrong.get("/maxInFlight")} />
        <HeaderFields
          stored={webhook?.headerNames ?? []}
          value={draft.headers}
          error={errorAt(wrong, "/headers")}
          onChange={(headers) => set({ headers })}
        />
        {theirs && isConflict(save.error) && (
          <ConflictBox
            fields={conflictsOf(draft, draftOf(theirs))}
            isBusy={save.isPending}
            onTakeTheirs={() => {
              setBase(theirs);
              setDraft(draftOf(theirs));
              save.reset();
            }}
            onKeepMine={() => {
              setBase(theirs);
              save.mutate(theirs.version);
            }}
          />
        )}
        {save.error && !isConflict(save.error) && !isAllOnFields(save.error, onFields) && (
          <ProblemBox error={save.error} />
        )}
        <div className="flex justify-end">
          <Button kind="primary" type="submit" isBusy={save.isPending} disabledReason={reason}>
            {webhook ? "Save" : "Set it up"}
          </Button>
        </div>
      </Card>
    </form>
  );
}

type FieldProps = { draft: Draft; set(change: Partial<Draft>): void; isNew: boolean; error: string | undefined };

function DeliveryFields({ draft, set, isNew, error }: FieldProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      <Select
        label="Order of deliveries"
        value={draft.ordering}
        options={orderingOptions}
        onChange={(ordering) => set({ ordering })}
      />
      {draft.ordering === "strict" ? null : (
        <TextField
          label="At most at a time"
          type="number"
          min={1}
          max={32}
          value={draft.maxInFlight}
          error={error}
          onChange={(maxInFlight) => set({ maxInFlight })}
        />
      )}
      {isNew && (
        <Select
          label="Signed with"
          value={draft.signing}
          options={signingOptions}
          onChange={(signing) => set({ signing })}
        />
      )}
    </div>
  );
}

const conflictsOf = (mine: Draft, theirs: Draft) => [
  { name: "Address", mine: mine.url, theirs: theirs.url },
  { name: "Name", mine: mine.description, theirs: theirs.description },
  { name: "Is told of", mine: mine.types.join(", "), theirs: theirs.types.join(", ") },
  { name: "Order", mine: mine.ordering, theirs: theirs.ordering },
  { name: "At most at a time", mine: mine.maxInFlight, theirs: theirs.maxInFlight },
];
