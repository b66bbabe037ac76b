import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import type { Draft } from "./pipeline.ts";
import { missingOf, toActions } from "./pipeline.ts";

export function SavePreset({ draft, actions }: { draft: Draft; actions: ReadonlyArray<OperationAction | undefined> }) {
  const [name, setName] = useState("");
  const me = useMe();
  const isWhole = draft.steps.length > 0 && draft.steps.every((step, at) => missingOf(step, actions[at]).length === 0);
  const save = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/operations/pipelines", {
        body: { name: name.trim(), actions: toActions(draft), atomic: draft.isAtomic },
      }),
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
      tell(`Preset ${saved.name} saved`, { text: "Pick orders and press Shift and its number." });
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
          {save.error && <ProblemBox error={save.error} />}
          <Button kind="primary" type="submit" isBusy={save.isPending}>
            Save
          </Button>
        </form>
      )}
    </Popover>
  );
}
