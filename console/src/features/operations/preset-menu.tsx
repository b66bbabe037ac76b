import type { SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { Menu } from "../../ui/menu.tsx";
import { showToast } from "../../ui/toast.tsx";
import { presetsQuery } from "./operations.queries.ts";
import { fromPreset, toActions } from "./pipeline.ts";

/** Copy and delete. `onDeleted`: the page of the preset is left. */
export function PresetMenu({ preset, onDeleted }: { preset: SavedPipeline; onDeleted?: () => void }) {
  const router = useRouter();
  const refused = missingScope(useMe(), "operations:write");
  const [isDeleting, setDeleting] = useState(false);
  const copy = useMutation({
    mutationFn: async () => {
      const all = await queryClient.fetchQuery(presetsQuery);
      const { description, atomic, is_shared } = preset;
      const name = copyName(preset.name, new Set(all.map((one) => one.name)));
      const body = { name, description, actions: toActions(fromPreset(preset)), atomic, is_shared };
      return await hub.call("POST /api/v1/operations/pipelines", { body });
    },
    onSuccess: async (made) => {
      await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
      showToast(`Preset ${made.name} created`);
      router.history.push(paths.preset(made.id));
    },
    onError: (error) => showToast("The preset was not copied", { text: error.message, tone: "bad" }),
  });
  return (
    <>
      <Menu
        kind="quiet"
        label="More"
        name={`More for ${preset.name}`}
        items={[
          { label: "Copy preset", disabledReason: refused, onPick: () => copy.mutate() },
          { label: "Delete preset", disabledReason: refused, onPick: () => setDeleting(true) },
        ]}
      />
      {isDeleting && (
        <Confirm
          title={`Delete ${preset.name}?`}
          yes="Delete preset"
          no="Cancel"
          run={async () => {
            await hub.call("DELETE /api/v1/operations/pipelines/{id}", { path: { id: preset.id } });
            await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
            showToast(`Preset ${preset.name} deleted`);
            onDeleted?.();
          }}
          onClose={() => setDeleting(false)}
        >
          <p>Runs of this preset stay as they are. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

/** "Morning (copy)", "Morning (copy 2)": names of presets are unique. */
function copyName(name: string, taken: ReadonlySet<string>): string {
  const nth = (count: number): string => `${name.slice(0, 85)} (copy${count === 1 ? "" : ` ${count}`})`;
  let count = 1;
  while (taken.has(nth(count))) count++;
  return nth(count);
}
