import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { ConfirmButton } from "../../ui/confirm.tsx";
import { Popover } from "../../ui/popover.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import type { ImportPreset, PresetSettings } from "../import-presets/import-presets.queries.ts";
import type { ImportAnswer, Reading } from "./order-import.queries.ts";

type Props = {
  reading: Reading;
  answer: ImportAnswer;
  /** The one it is read as. */
  saved: ImportPreset | undefined;
  /** Its id; undefined when there is none any more. */
  onSaved(preset: string): void;
};

/** What was said by hand on top of what it is read as. */
function settingsOf({ reading, answer, saved }: Pick<Props, "reading" | "answer" | "saved">): PresetSettings {
  const { mapping, preset, encoding: _encoding, onExisting: _onExisting, ...signs } = reading;
  const base = saved?.settings.base ?? (preset === "none" ? "none" : (answer.detectedPreset ?? "auto"));
  const whole = { ...saved?.settings.mapping, ...mapping };
  const settings = { ...saved?.settings, ...signs, base, ...(Object.keys(whole).length > 0 ? { mapping: whole } : {}) };
  // What the hub has answered, it takes.
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
      tell(`Preset ${name} changed`);
    },
  });
  const isChanged =
    Object.keys(reading.mapping).length > 0 ||
    (["delimiter", "decimalSeparator", "dateOrder", "country", "currency"] as const).some((name) => reading[name]);
  return (
    <div className="flex flex-col gap-2 border-t border-line pt-2.5">
      {update.error && <ProblemBox error={update.error} />}
      <div className="flex flex-wrap gap-2">
        {saved && (
          <Button
            isBusy={update.isPending}
            disabledReason={refused ?? (!isChanged && "Nothing was said that it does not say.")}
            onClick={() => update.mutate(saved)}
          >
            Save into {saved.name}
          </Button>
        )}
        <SaveAs {...props} refused={refused} onDone={refresh} />
        {saved && (
          <ConfirmButton
            label="Delete preset"
            kind="quiet"
            title={`Delete the preset ${saved.name}?`}
            yes="Delete it"
            isDangerous
            disabledReason={refused}
            run={async () => {
              const { id, version } = saved;
              await hub.call("DELETE /api/v1/import-presets/{id}", { path: { id }, ifMatch: version });
              onSaved("");
              await refresh();
            }}
          >
            <p>Files that were read with it stay as they are. Imports that name it are refused from then on.</p>
          </ConfirmButton>
        )}
      </div>
    </div>
  );
}

function SaveAs({ refused, onDone, ...props }: Props & { refused: string | undefined; onDone(): Promise<void> }) {
  const [name, setName] = useState("");
  const create = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/import-presets", { body: { name: name.trim(), settings: settingsOf(props) } }),
    onSuccess: async (made) => {
      setName("");
      await onDone();
      props.onSaved(made.id);
      tell(`Preset ${made.name} saved`);
    },
  });
  if (refused) return <Button disabledReason={refused}>Save as preset</Button>;
  return (
    <Popover title="Save as preset" triggerClass={buttonClass("plain")} trigger="Save as preset">
      {(close) => (
        <form
          className="flex flex-col gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (!name.trim() || create.isPending) return;
            create.mutate(undefined, { onSuccess: close });
          }}
        >
          <TextField label="Name of the preset" value={name} onChange={setName} required maxLength={100} />
          <p className="text-sm text-muted">Columns and signs as they are now, for everybody in the organization.</p>
          {create.error && <ProblemBox error={create.error} />}
          <Button kind="primary" type="submit" isBusy={create.isPending}>
            Save
          </Button>
        </form>
      )}
    </Popover>
  );
}
