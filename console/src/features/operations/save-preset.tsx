import type { OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { presetsQuery } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { missingOf, toActions } from "./pipeline.ts";

export function SavePreset({ draft, actions }: { draft: Draft; actions: ReadonlyArray<OperationAction | undefined> }) {
  const [name, setName] = useState("");
  const [hotkey, setHotkey] = useState("");
  const [isShared, setShared] = useState(true);
  const { data: presets } = useQuery(presetsQuery);
  const me = useMe();
  const isWhole = draft.steps.length > 0 && draft.steps.every((step, at) => missingOf(step, actions[at]).length === 0);
  const save = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/operations/pipelines", {
        body: {
          name: name.trim(),
          actions: toActions(draft),
          atomic: draft.isAtomic,
          is_shared: isShared,
          ...(hotkey ? { hotkey: Number(hotkey) } : {}),
        },
      }),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
      tell(`Preset ${saved.name} saved`, saved.hotkey ? { text: `Pick orders and press Shift ${saved.hotkey}.` } : {});
    },
  });
  const reason = missingScope(me, "operations:write") ?? (!isWhole && "Build a pipeline first.");
  if (reason) {
    return (
      <Button kind="quiet" disabledReason={reason}>
        Save preset
      </Button>
    );
  }
  return (
    <Popover title="Save as a preset" triggerClass={buttonClass("quiet")} trigger="Save preset">
      {(close) => (
        <form
          className="flex flex-col gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim()) save.mutate(undefined, { onSuccess: close });
          }}
        >
          <TextField label="Name of the preset" value={name} onChange={setName} required maxLength={100} />
          <Select
            label="Key on the list of orders (optional)"
            value={hotkey}
            options={[{ value: "", label: "None" }, ...freeKeys(presets ?? [])]}
            onChange={setHotkey}
          />
          <Checkbox label="Everybody in the organization sees it" isChecked={isShared} onChange={setShared} />
          {save.error && <ProblemBox error={save.error} />}
          <Button kind="primary" type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </form>
      )}
    </Popover>
  );
}

const freeKeys = (presets: readonly SavedPipeline[]) =>
  [1, 2, 3, 4, 5, 6, 7, 8, 9]
    .filter((key) => !presets.some((preset) => preset.hotkey === key))
    .map((key) => ({ value: String(key), label: `Shift ${key}` }));
