import type { OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useParams, useRouter } from "@tanstack/react-router";
import { useMemo } from "react";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Card, Heading } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { RecordPage } from "../../ui/record-page.tsx";
import { Select } from "../../ui/select.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { catalogQuery, presetQuery, presetsQuery, readPreset } from "./operations.queries.ts";
import type { Draft } from "./pipeline.ts";
import { fromPreset, missingOf, toActions } from "./pipeline.ts";
import { PipelineForm } from "./pipeline.form.tsx";
import { PresetMenu } from "./preset-menu.tsx";
import { keyOptions } from "./save-preset.tsx";
import { stepErrors } from "./step-errors.ts";

const above = { href: paths.presets(), name: "Presets" };
const noActions: OperationAction[] = [];

export function PresetPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery(presetQuery(id));
  return (
    <RecordPage above={above} query={query}>
      {(preset) => <Preset key={id} preset={preset} />}
    </RecordPage>
  );
}

type PresetDraft = { name: string; description: string; hotkey: string; is_shared: boolean; pipeline: Draft };

const draftOf = (preset: SavedPipeline): PresetDraft => {
  const { steps, isAtomic } = fromPreset(preset);
  return {
    name: preset.name,
    description: preset.description,
    hotkey: preset.hotkey === null ? "" : String(preset.hotkey),
    is_shared: preset.is_shared,
    // Keys of steps differ each time; the form compares drafts.
    pipeline: { steps: steps.map((step, at) => ({ ...step, key: -1 - at })), isAtomic },
  };
};

function patchOf({ pipeline, hotkey, ...change }: Partial<PresetDraft>) {
  return {
    ...change,
    ...(hotkey === undefined ? {} : { hotkey: hotkey === "" ? null : Number(hotkey) }),
    // What is to happen on an error is kept per step.
    ...(pipeline ? { actions: toActions(pipeline), atomic: pipeline.isAtomic, on_error: "skip_order" as const } : {}),
  };
}

const names = { name: "Name", description: "Description", hotkey: "Key", is_shared: "Shared", pipeline: "Steps" };

function Preset({ preset }: { preset: SavedPipeline }) {
  const router = useRouter();
  const refused = missingScope(useMe(), "operations:write");
  const { data: presets = [] } = useQuery(presetsQuery);
  const { data: catalog = noActions } = useQuery(catalogQuery);
  const form = useRecordForm<SavedPipeline, PresetDraft>({
    record: preset,
    kind: "operations",
    draftOf,
    read: readPreset,
    write: (change, over) =>
      hub.call("PATCH /api/v1/operations/pipelines/{id}", {
        path: { id: over.id },
        body: patchOf(change),
        ifMatch: over.version,
      }),
  });
  const { pipeline } = form.draft;
  const errors = useMemo(() => stepErrors(form.error), [form.error]);
  const isWhole =
    pipeline.steps.length > 0 &&
    pipeline.steps.every(
      (step) =>
        missingOf(
          step,
          catalog.find(({ type }) => type === step.type),
        ).length === 0,
    );
  return (
    <>
      <PageHead above={above} title={preset.name} note={preset.hotkey ? `Shift ${preset.hotkey}` : undefined}>
        <PresetMenu preset={preset} onDeleted={() => router.history.push(paths.presets())} />
      </PageHead>
      <SaveForm
        className="max-w-[860px]"
        form={form}
        names={names}
        fields={["/name", "/description", "/hotkey", "/is_shared", "/actions"]}
        textOf={(part, draft) => (part === "pipeline" ? toActions(draft.pipeline) : draft[part])}
        reason={refused ?? (isWhole ? undefined : "Complete the steps first.")}
        save="Save preset"
      >
        <Card label="Preset" className="flex flex-col gap-2.5 p-3.5">
          <TextField label="Name" {...form.field("name")} required maxLength={100} />
          <TextField label="Description (optional)" {...form.field("description")} maxLength={500} />
          <Select
            label="Key in the order list (optional)"
            {...form.field("hotkey")}
            options={keyOptions(presets, preset.hotkey)}
          />
          <Checkbox
            label="Share with the organization"
            isChecked={form.draft.is_shared}
            onChange={(is_shared) => form.set({ is_shared })}
          />
        </Card>
        <section aria-label="Steps" className="max-w-[480px]">
          <Heading title="Steps" />
          <PipelineForm
            draft={pipeline}
            catalog={catalog}
            errors={errors}
            onChange={(next) => form.set({ pipeline: typeof next === "function" ? next(pipeline) : next })}
          />
        </section>
      </SaveForm>
    </>
  );
}
