import type { OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Select } from "../../ui/select.tsx";
import { FormPopover } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { presetsQuery } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { missingOf, toActions } from "./pipeline.ts";

export function SavePreset({ draft, actions }: { draft: Draft; actions: ReadonlyArray<OperationAction | undefined> }) {
  const { data: presets } = useQuery(presetsQuery);
  const me = useMe();
  const form = useCreateForm({
    start: { name: "", hotkey: "", isShared: true },
    create: ({ name, hotkey, isShared }) =>
      hub.call("POST /api/v1/operations/pipelines", {
        body: {
          name: name.trim(),
          actions: toActions(draft),
          atomic: draft.isAtomic,
          is_shared: isShared,
          ...(hotkey ? { hotkey: Number(hotkey) } : {}),
        },
      }),
    refetch: ["operations", "presets"],
    onCreated: ({ name, hotkey }) =>
      showToast(`Preset ${name} saved`, hotkey ? { text: `Pick orders and press Shift ${hotkey}.` } : {}),
  });
  const isWhole = draft.steps.length > 0 && draft.steps.every((step, at) => missingOf(step, actions[at]).length === 0);
  const refused = missingScope(me, "operations:write") ?? (!isWhole && "Build a pipeline first.");
  if (refused) {
    return (
      <Button kind="quiet" disabledReason={refused}>
        Save preset
      </Button>
    );
  }
  return (
    <FormPopover
      title="Save as a preset"
      triggerClass={buttonClass("quiet")}
      trigger="Save preset"
      submit="Save"
      form={form}
    >
      <TextField label="Name of the preset" {...form.field("name")} required maxLength={100} />
      <Select
        label="Key on the list of orders (optional)"
        {...form.field("hotkey")}
        options={[{ value: "", label: "None" }, ...freeKeys(presets ?? [])]}
      />
      <Checkbox
        label="Share with the organization"
        isChecked={form.draft.isShared}
        onChange={(isShared) => form.set({ isShared })}
      />
    </FormPopover>
  );
}

const freeKeys = (presets: readonly SavedPipeline[]) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .filter((key) => !presets.some((preset) => preset.hotkey === key))
    .map((key) => ({ value: String(key), label: `Shift ${key}` }));
