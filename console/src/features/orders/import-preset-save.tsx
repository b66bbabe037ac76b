import { useMutation } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { FormPopover } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { ImportPreset, PresetSettings } from "../import-presets/import-presets.queries.ts";
import type { ImportAnswer, Reading } from "./order-import.queries.ts";

type Props = {
  reading: Reading;
  answer: ImportAnswer;
  /** The preset in use. */
  saved: ImportPreset | undefined;
  /** The ID of the preset, empty after it was deleted. */
  onSaved(preset: string): void;
};

/** The preset in use with the manual changes on top. */
function settingsOf({ reading, answer, saved }: Pick<Props, "reading" | "answer" | "saved">): PresetSettings {
  const { mapping, preset, encoding: _encoding, onExisting: _onExisting, ...signs } = reading;
  const base = saved?.settings.base ?? (preset === "none" ? "none" : (answer.detectedPreset ?? "auto"));
  const whole = { ...saved?.settings.mapping, ...mapping };
  const settings = { ...saved?.settings, ...signs, base, ...(Object.keys(whole).length > 0 ? { mapping: whole } : {}) };
  // The hub accepts what it has returned.
  return settings as PresetSettings;
}

export function SavePreset(props: Props) {
  const { saved, reading, onSaved } = props;
  const refused = missingScope(useMe(), "orders:write");
  const refresh = async (): Promise<void> => await queryClient.invalidateQueries({ queryKey: ["import-presets"] });
  const update = useMutation({
    mutationFn: ({ id, version }: ImportPreset) =>
      hub.call("PATCH /api/v1/import-presets/{id}", {
        path: { id },
        body: { settings: settingsOf(props) },
        ifMatch: version,
      }),
    onSuccess: async ({ id, name }) => {
      await refresh();
      onSaved(id);
      showToast(`Preset ${name} updated`);
    },
  });
  const isChanged =
    Object.keys(reading.mapping).length > 0 ||
    (["delimiter", "decimalSeparator", "dateOrder", "country", "currency", "strict"] as const).some(
      (name) => reading[name] !== undefined,
    );
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-2.5">
      {update.error && <ProblemBox error={update.error} />}
      <div className="flex flex-wrap gap-2">
        {saved && (
          <Button
            isBusy={update.isPending}
            disabledReason={refused ?? (!isChanged && "Nothing has changed.")}
            onClick={() => update.mutate(saved)}
          >
            Update {saved.name}
          </Button>
        )}
        <SaveAs {...props} refused={refused} onDone={refresh} />
        {saved && (
          <ConfirmButton
            label="Delete preset"
            kind="quiet"
            title={`Delete the preset ${saved.name}?`}
            yes="Delete preset"
            isDangerous
            disabledReason={refused}
            run={async () => {
              const { id, version } = saved;
              await hub.call("DELETE /api/v1/import-presets/{id}", { path: { id }, ifMatch: version });
              onSaved("");
              await refresh();
            }}
          >
            <p>Deletes the preset. Orders that were imported with it are kept. API requests that name it fail.</p>
          </ConfirmButton>
        )}
      </div>
    </div>
  );
}

function SaveAs({ refused, onDone, ...props }: Props & { refused: string | undefined; onDone(): Promise<void> }) {
  const form = useCreateForm({
    start: { name: "" },
    create: ({ name }) =>
      hub.call("POST /api/v1/import-presets", { body: { name: name.trim(), settings: settingsOf(props) } }),
    onCreated: async ({ id, name }) => {
      await onDone();
      props.onSaved(id);
      showToast(`Preset ${name} saved`);
      form.reset();
    },
  });
  if (refused) return <Button disabledReason={refused}>Save as preset</Button>;
  return (
    <FormPopover
      title="Save as preset"
      triggerClass={buttonClass("plain")}
      trigger="Save as preset"
      submit="Save"
      form={form}
    >
      <TextField label="Preset name" {...form.field("name")} required maxLength={100} />
      <p className="text-sm text-muted">Saves the current columns and formats for the whole organization.</p>
    </FormPopover>
  );
}
