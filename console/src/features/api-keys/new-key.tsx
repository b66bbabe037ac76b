import type { Answer } from "@order-operations-hub/sdk/client";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { ScopeName } from "./api-keys.queries.ts";
import { ScopePicker } from "./scope-picker.tsx";

const dayMs = 86_400_000;
const expiryOptions = [
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

export type CreatedKey = Pick<Answer<"POST /api/v1/api-keys">, "name" | "key">;

/** The key is shown once, so the dialog stays until the user confirms that they copied it. */
export function NewKey({ onClose }: { onClose(): void }) {
  const me = useMe();
  const form = useCreateForm({
    start: { name: "", days: "90", scopes: [] as ScopeName[] },
    create: ({ name, days, scopes }) =>
      hub.call("POST /api/v1/api-keys", {
        body: {
          name: name.trim(),
          scopes,
          ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
        },
      }),
    refetch: ["api-keys"],
  });
  if (form.created) return <KeyValue made={form.created} onClose={onClose} />;
  const { name, days, scopes } = form.draft;
  const reason = name.trim() === "" ? "Give it a name." : scopes.length === 0 && "Choose what it may do.";
  return (
    <FormDialog title="New key" submit="Make the key" reason={reason} form={form} isWide onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Who or what uses it, such as Warehouse screen."
          {...form.field("name")}
          maxLength={100}
        />
        <Select
          label="Expires"
          hint={days ? undefined : "A key that never expires is forgotten sooner than lost."}
          {...form.field("days", "/expiresAt")}
          options={expiryOptions}
        />
      </div>
      <ScopePicker
        held={me.scopes as ScopeName[]}
        chosen={new Set(scopes)}
        onChange={(chosen) => form.set({ scopes: [...chosen] })}
      />
      <p className="text-sm text-muted">
        {plural(scopes.length, "scope")} chosen. A key keeps to its organization, and loses what its creator loses.
      </p>
    </FormDialog>
  );
}

export function KeyValue({ made, onClose, note }: { made: CreatedKey; onClose(): void; note?: string }) {
  return (
    <Dialog
      title={`The key ${made.name}`}
      isOpen
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          I have it
        </Button>
      }
    >
      <p className="mb-2">Copy its value now: it is shown this one time, and kept nowhere.</p>
      <div className="rounded-md border border-line bg-bg px-2 py-1.5">
        <CopyText text={made.key} label="Copy the value" />
      </div>
      {note && <p className="mt-2 text-muted">{note}</p>}
    </Dialog>
  );
}
