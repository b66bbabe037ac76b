import type { Answer } from "@order-operations-hub/sdk/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldError } from "../../ui/field-errors.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { plural } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { ScopeName } from "./api-keys.queries.ts";
import { ScopePicker } from "./scope-picker.tsx";

const dayMs = 86_400_000;
const ends = [
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

export type MadeKey = Pick<Answer<"POST /api/v1/api-keys">, "name" | "key">;

/** Its value is shown once: the dialog stays until somebody says that they have it. */
export function NewKey({ onClose }: { onClose(): void }) {
  const me = useMe();
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<ReadonlySet<ScopeName>>(new Set());
  const [made, setMade] = useState<MadeKey>();
  const create = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/api-keys", {
        body: {
          name: name.trim(),
          scopes: [...scopes],
          ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
        },
      }),
    onSuccess: async (key) => {
      setMade(key);
      await queryClient.invalidateQueries({ queryKey: ["api-keys"] });
    },
  });
  if (made) return <KeyValue made={made} onClose={onClose} />;
  const reason = name.trim() === "" ? "Give it a name." : scopes.size === 0 && "Choose what it may do.";
  return (
    <FormDialog
      title="New key"
      submit="Make the key"
      reason={reason}
      action={create}
      fields={["/name", "/expiresAt"]}
      isWide
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="Who or what uses it, such as Warehouse screen."
          error={fieldError(create.error, "/name")}
          value={name}
          onChange={setName}
          maxLength={100}
        />
        <Select
          label="Ends"
          hint={days ? undefined : "A key that never ends is forgotten sooner than lost."}
          error={fieldError(create.error, "/expiresAt")}
          value={days}
          options={ends}
          onChange={setDays}
        />
      </div>
      <ScopePicker held={me.scopes as ScopeName[]} chosen={scopes} onChange={setScopes} />
      <p className="text-sm text-muted">
        {plural(scopes.size, "scope")} chosen. A key keeps to its organization, and loses what its maker loses.
      </p>
    </FormDialog>
  );
}

export function KeyValue({ made, onClose, note }: { made: MadeKey; onClose(): void; note?: string }) {
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
