import type { OperationAction, SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { Link, RecordLink } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { Time } from "../../ui/zone.tsx";
import { catalogQuery, presetsQuery } from "./operations.queries.ts";
import { fromPreset, summaryOf } from "./pipeline.ts";
import { PresetMenu } from "./preset-menu.tsx";
import type { NameOf } from "./named-values.ts";
import { useRecordNames } from "./record-names.ts";

type Given = { catalog: readonly OperationAction[]; nameOf: NameOf };

const columnsWith = ({ catalog, nameOf }: Given): Array<ListColumn<SavedPipeline>> => [
  {
    name: "Key",
    className: "whitespace-nowrap text-muted",
    cell: ({ hotkey }) => (hotkey ? `Shift ${hotkey}` : "–"),
  },
  {
    name: "Name",
    className: "whitespace-nowrap",
    cell: ({ id, name, is_shared }) => (
      <>
        <RecordLink href={paths.preset(id)}>{name}</RecordLink>
        {!is_shared && <span className="text-muted"> (private)</span>}
      </>
    ),
  },
  {
    name: "Steps",
    className: "max-w-[480px] truncate text-muted",
    cell: (preset) =>
      fromPreset(preset)
        .steps.map((step) => {
          const action = catalog.find(({ type }) => type === step.type);
          return [action?.title ?? step.type, ...summaryOf(step, action, nameOf).map(([, value]) => value)].join(" ");
        })
        .join(" → "),
  },
  { name: "Changed", className: "whitespace-nowrap text-muted", cell: (preset) => <Time at={preset.updated_at} /> },
  { name: "", isNumber: true, cell: (preset) => <PresetMenu preset={preset} /> },
];

const noActions: OperationAction[] = [];

/** Saved pipelines. Shift and their digit start one from the order list. */
export function PresetsPage() {
  const { data: presets, error, isPending } = useQuery(presetsQuery);
  const { data: catalog = noActions } = useQuery(catalogQuery);
  const nameOf = useRecordNames();
  return (
    <>
      <PageHead title="Presets" note="In the order list, Shift and the digit open the preview of a preset" />
      {error && <ProblemBox error={error} />}
      <Card label="Presets">
        {isPending && <Skeleton />}
        {presets?.length === 0 && (
          <Empty text="Presets are saved steps for bulk edits. Select orders, add steps, and choose Save as preset.">
            <Link href={paths.orders()} className={buttonClass("primary")}>
              Select orders
            </Link>
          </Empty>
        )}
        {presets && presets.length > 0 && (
          <RowTable label="Presets" rows={presets} idOf={({ id }) => id} columns={columnsWith({ catalog, nameOf })} />
        )}
      </Card>
    </>
  );
}
