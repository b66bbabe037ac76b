import type { SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { buttonClass, IconButton } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { RowTable } from "../../ui/table.tsx";
import type { ListColumn } from "../../ui/table.tsx";
import { showToast } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { presetsQuery, useActionTitles } from "./operations.queries.ts";
import { fromPreset, summaryOf } from "./pipeline.ts";

type Given = { steps: (preset: SavedPipeline) => string; onDrop: ((preset: SavedPipeline) => void) | undefined };

const columnsWith = ({ steps, onDrop }: Given): Array<ListColumn<SavedPipeline>> => [
  {
    name: "Keys",
    className: "whitespace-nowrap text-muted",
    cell: ({ hotkey }) => (hotkey ? `Shift ${hotkey}` : "–"),
  },
  {
    name: "Name",
    className: "whitespace-nowrap",
    cell: ({ name, is_shared }) => (
      <>
        <span className="font-medium">{name}</span>
        {!is_shared && <span className="text-muted"> (only yours)</span>}
      </>
    ),
  },
  { name: "Steps", className: "max-w-[480px] truncate text-muted", cell: steps },
  {
    name: "Changed",
    className: "whitespace-nowrap text-muted",
    cell: (preset) => <Time at={preset.updated_at} />,
  },
  {
    name: "",
    isNumber: true,
    cell: (preset) =>
      onDrop && (
        <IconButton label={`Delete ${preset.name}`} onClick={() => onDrop(preset)}>
          <Icon name="trash" />
        </IconButton>
      ),
  },
];

/** Saved pipelines. Shift and their digit start one from the order list. */
export function PresetsPage() {
  const { data: presets, error, isPending } = useQuery(presetsQuery);
  const titleOf = useActionTitles();
  const refused = missingScope(useMe(), "operations:write");
  const [dropping, setDropping] = useState<SavedPipeline>();
  const stepsText = (preset: SavedPipeline): string =>
    fromPreset(preset)
      .steps.map((step) => [titleOf(step.type), ...summaryOf(step, (id) => id).map(([, value]) => value)].join(" "))
      .join(" → ");
  return (
    <>
      <PageHead title="Presets" note="on the list of orders: Shift and its digit" />
      {error && <ProblemBox error={error} />}
      <Card label="Presets">
        {isPending && <Skeleton />}
        {presets?.length === 0 && (
          <Empty text="No preset yet. Build a pipeline for some orders and save it there.">
            <Link href={paths.orders()} className={buttonClass("plain")}>
              To the orders
            </Link>
          </Empty>
        )}
        {presets && presets.length > 0 && (
          <RowTable
            label="Presets"
            rows={presets}
            idOf={({ id }) => id}
            columns={columnsWith({ steps: stepsText, onDrop: refused ? undefined : setDropping })}
          />
        )}
      </Card>
      {dropping && (
        <Confirm
          title={`Delete ${dropping.name}?`}
          yes="Delete"
          run={async () => {
            await hub.call("DELETE /api/v1/operations/pipelines/{id}", { path: { id: dropping.id } });
            await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
            showToast(`Preset ${dropping.name} deleted`);
          }}
          onClose={() => setDropping(undefined)}
        >
          <p>Runs that were made with it stay as they are.</p>
        </Confirm>
      )}
    </>
  );
}
