import type { Answer } from "@order-operations-hub/sdk/client";
import { hub } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { CopyText } from "../../ui/copy-text.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Fold } from "../../ui/fold.tsx";
import { plural } from "../../ui/format.ts";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import type { ScopeName } from "./api-keys.queries.ts";
import { keyBundles, scopesOfBundle } from "./key-bundles.ts";
import { ScopePicker } from "./scope-picker.tsx";

const dayMs = 86_400_000;
const expiryOptions = [
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "", label: "Never" },
];

const agentExpiryOptions = [
  { value: "1", label: "In a day" },
  { value: "6", label: "In 6 days" },
];

const custom = "custom";

export type CreatedKey = Pick<Answer<"POST /api/v1/api-keys">, "name" | "key">;

/** The key is shown once, so the dialog stays until the user confirms that they copied it. */
export function NewKey({ onClose }: { onClose(): void }) {
  const held = useMe().scopes as ScopeName[];
  const form = useCreateForm({
    start: () => ({
      name: "",
      days: "90",
      scopes: scopesOfBundle(keyBundles[0]!, held),
      bundle: keyBundles[0]!.id,
      user: "program",
      most: "100",
    }),
    create: ({ name, days, scopes, user, most }) =>
      hub.call("POST /api/v1/api-keys", {
        body: {
          name: name.trim(),
          scopes,
          ...(user === "agent" ? { agent: { maxOrdersPerRun: Number(most) } } : {}),
          ...(days ? { expiresAt: new Date(Date.now() + Number(days) * dayMs).toISOString() } : {}),
        },
      }),
    refetch: ["api-keys"],
  });
  if (form.created) return <KeyValue made={form.created} onClose={onClose} />;
  const { name, days, scopes, bundle, user, most } = form.draft;
  const isAgent = user === "agent";
  const reason =
    name.trim() === ""
      ? "Enter a name."
      : scopes.length === 0
        ? "Choose at least one permission."
        : isAgent && !/^[1-9]\d*$/.test(most) && "Enter how many orders a run may have.";
  return (
    <FormDialog title="Create key" submit="Create key" reason={reason} form={form} isWide onClose={onClose}>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Name"
          hint="The program that uses the key, such as Warehouse screen."
          {...form.field("name")}
          maxLength={100}
        />
        <Select
          label="Expires"
          hint={days ? undefined : "Keys that never expire are easily forgotten. Review them from time to time."}
          {...form.field("days", "/expiresAt")}
          options={isAgent ? agentExpiryOptions : expiryOptions}
        />
        <Select
          label="Used by"
          hint={isAgent ? "Its changes need a preview or a confirmation, and the audit log names it." : undefined}
          value={user}
          options={[
            { value: "program", label: "A program" },
            { value: "agent", label: "An AI assistant", note: "with limits" },
          ]}
          onChange={(next) => {
            // A key of an assistant lives for at most a week, and its permissions start with reading.
            const read = keyBundles[0]!;
            form.set({
              user: next,
              days: next === "agent" ? "1" : "90",
              ...(next === "agent" ? { bundle: read.id, scopes: scopesOfBundle(read, held) } : {}),
            });
          }}
        />
        {isAgent && (
          <TextField
            label="Orders per run, at most"
            inputMode="numeric"
            {...form.field("most", "/agent/maxOrdersPerRun")}
          />
        )}
      </div>
      <Select
        label="Permissions"
        hint={keyBundles.find(({ id }) => id === bundle)?.note ?? "Chosen one by one, see Details."}
        value={bundle}
        onChange={(id) => {
          const chosen = keyBundles.find((one) => one.id === id);
          form.set({ bundle: id, ...(chosen ? { scopes: scopesOfBundle(chosen, held) } : {}) });
        }}
        options={[
          ...keyBundles.map(({ id, label, note }) => ({ value: id, label, note })),
          { value: custom, label: "Custom", note: "Choose each permission" },
        ]}
      />
      <Fold
        title={`Details: ${plural(scopes.length, "permission")}`}
        key={String(bundle === custom)}
        isOpenAtFirst={bundle === custom}
      >
        <ScopePicker
          held={held}
          chosen={new Set(scopes)}
          onChange={(chosen) => form.set({ bundle: custom, scopes: [...chosen] })}
        />
      </Fold>
      <p className="text-sm text-muted">
        The key works in this organization only. When its creator loses a permission, the key loses it too.
      </p>
    </FormDialog>
  );
}

export function KeyValue({ made, onClose, note }: { made: CreatedKey; onClose(): void; note?: string }) {
  return (
    <Dialog
      title={`Key ${made.name}`}
      isOpen
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p className="mb-2">Copy the value now. It is shown once and cannot be read again.</p>
      <div className="rounded-md border border-line bg-bg px-2 py-1.5">
        <CopyText text={made.key} label="Copy value" />
      </div>
      {note && <p className="mt-2 text-muted">{note}</p>}
    </Dialog>
  );
}
