import { Button, IconButton } from "../../ui/button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Select } from "../../ui/select.tsx";
import { ConditionForm } from "../operations/condition.pick.tsx";
import type { BranchDraft } from "./automation-draft.ts";

type Option = { value: string; label: string };
type Props = {
  branches: readonly BranchDraft[];
  otherwise: string;
  presets: readonly Option[];
  errorAt(pointer: string): string | undefined;
  onChange(change: { branches?: BranchDraft[]; otherwise?: string }): void;
};

const maxBranches = 20;
const emptyBranch: BranchDraft = { when: undefined, pipelineId: "" };

/** A preset for each condition. The first that an order meets is its branch. */
export function BranchFields({ branches, otherwise, presets, errorAt, onChange }: Props) {
  const put = (at: number, change: Partial<BranchDraft>): void =>
    onChange({ branches: branches.map((one, index) => (index === at ? { ...one, ...change } : one)) });
  return (
    <div className="flex flex-col gap-2">
      <p className="text-muted">Each order takes the first branch whose condition it meets.</p>
      {branches.map((branch, at) => (
        <fieldset key={at} className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
          <legend className="px-1 text-sm font-medium text-muted">Branch {at + 1}</legend>
          <ConditionForm
            value={branch.when}
            onChange={(when) => put(at, { when })}
            error={errorAt(`/branches/${at}/when`)}
          />
          <div className="flex items-end gap-2">
            <div className="min-w-0 flex-1">
              <Select
                label="Preset"
                value={branch.pipelineId}
                options={presets}
                error={errorAt(`/branches/${at}/pipeline_id`)}
                onChange={(pipelineId) => put(at, { pipelineId })}
              />
            </div>
            <IconButton
              label={`Remove branch ${at + 1}`}
              onClick={() => onChange({ branches: branches.filter((_, index) => index !== at) })}
            >
              <Icon name="x" size={12} />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          kind="quiet"
          onClick={() => onChange({ branches: [...branches, emptyBranch] })}
          disabledReason={branches.length >= maxBranches && `At most ${maxBranches} branches.`}
        >
          <Icon name="plus" size={12} /> Add branch
        </Button>
      </div>
      <Select
        label="Other orders"
        value={otherwise}
        options={[{ value: "", label: "Leave unchanged" }, ...presets]}
        error={errorAt("/otherwise")}
        onChange={(next) => onChange({ otherwise: next })}
      />
    </div>
  );
}
