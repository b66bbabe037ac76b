import type { OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { presetsQuery } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { missingOf, toActions } from "./pipeline.ts";

type Props = { draft: Draft; name?: string; onClose(): void };

/** Saves steps under a name, optionally with a key of the order list. */
export function SavePresetDialog({ draft, name = "", onClose }: Props) {
  const { data: presets } = useQuery(presetsQuery);
  const form = useCreateForm({
    start: { name, hotkey: "", isShared: true },
    create: (given) =>
      hub.call("POST /api/v1/operations/pipelines", {
        body: {
          name: given.name.trim(),
          actions: toActions(draft),
          atomic: draft.isAtomic,
          is_shared: given.isShared,
          ...(given.hotkey ? { hotkey: Number(given.hotkey) } : {}),
        },
      }),
    refetch: ["operations", "presets"],
    onCreated: (saved) => {
      showToast(
        `Preset ${saved.name} saved`,
        saved.hotkey ? { text: `Select orders and press Shift ${saved.hotkey}.` } : {},
      );
      onClose();
    },
  });
  return (
    <FormDialog title="Save as preset" submit="Save preset" form={form} onClose={onClose}>
      <TextField label="Preset name" {...form.field("name")} required maxLength={100} />
      <Select label="Key in the order list (optional)" {...form.field("hotkey")} options={keyOptions(presets ?? [])} />
      <Checkbox
        label="Share with the organization"
        isChecked={form.draft.isShared}
        onChange={(isShared) => form.set({ isShared })}
      />
    </FormDialog>
  );
}

/** Button of the bulk edit page. */
export function SavePreset({ draft, actions }: { draft: Draft; actions: ReadonlyArray<OperationAction | undefined> }) {
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  const isWhole = draft.steps.length > 0 && draft.steps.every((step, at) => missingOf(step, actions[at]).length === 0);
  const refused = missingScope(me, "operations:write") ?? (!isWhole && "Complete the steps first.");
  return (
    <>
      <Button kind="quiet" disabledReason={refused} onClick={() => setOpen(true)}>
        Save as preset
      </Button>
      {isOpen && <SavePresetDialog draft={draft} onClose={() => setOpen(false)} />}
    </>
  );
}

const digits = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** No key, and the keys that no other preset has. `own`: the key that the preset has already. */
export const keyOptions = (presets: readonly SavedPipeline[], own: number | null = null) => [
  { value: "", label: "None" },
  ...digits
    .filter((key) => key === own || !presets.some((preset) => preset.hotkey === key))
    .map((key) => ({ value: String(key), label: `Shift ${key}` })),
];
