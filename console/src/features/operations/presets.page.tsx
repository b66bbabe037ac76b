import type { SavedPipeline } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { Button, buttonClass, IconButton } from "../../ui/button.tsx";
import { Card, Empty, Skeleton } from "../../ui/card.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Link } from "../../ui/link.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Table, Td, Th } from "../../ui/table.tsx";
import { tell } from "../../ui/toast.tsx";
import { Time } from "../../ui/zone.tsx";
import { catalogQuery, presetsQuery } from "./operations.queries.ts";
import { fromPreset, summaryOf } from "./pipeline.ts";

/** Pipelines that have a name. On the list of orders, Shift and its digit begin one. */
export function PresetsPage() {
  const { data: presets, error, isPending } = useQuery(presetsQuery);
  const { data: catalog } = useQuery(catalogQuery);
  const refused = missingScope(useMe(), "operations:write");
  const [dropping, setDropping] = useState<SavedPipeline>();
  const drop = useMutation({
    mutationFn: ({ id }: SavedPipeline) => hub.call("DELETE /api/v1/operations/pipelines/{id}", { path: { id } }),
    onSuccess: async (_, { name }) => {
      setDropping(undefined);
      await queryClient.invalidateQueries({ queryKey: ["operations", "presets"] });
      tell(`Preset ${name} deleted`);
    },
  });
  const stepsText = (preset: SavedPipeline): string =>
    fromPreset(preset)
      .steps.map((step) => {
        const title = catalog?.find((action) => action.type === step.type)?.title ?? step.type;
        return [title, ...summaryOf(step, (id) => id).map(([, value]) => value)].join(" ");
      })
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
          <Table label="Presets">
            <thead>
              <tr>
                <Th>Keys</Th>
                <Th>Name</Th>
                <Th>Steps</Th>
                <Th>Changed</Th>
                <Th>
                  <span className="sr-only">Actions</span>
                </Th>
              </tr>
            </thead>
            <tbody>
              {presets.map((preset) => (
                <tr key={preset.id}>
                  <Td className="whitespace-nowrap text-muted">{preset.hotkey ? `Shift ${preset.hotkey}` : "–"}</Td>
                  <Td className="whitespace-nowrap">
                    <span className="font-medium">{preset.name}</span>
                    {!preset.shared && <span className="text-muted"> (only yours)</span>}
                  </Td>
                  <Td className="max-w-[480px] truncate text-muted">{stepsText(preset)}</Td>
                  <Td className="whitespace-nowrap text-muted">
                    <Time at={preset.updated_at} />
                  </Td>
                  <Td isNumber>
                    {!refused && (
                      <IconButton label={`Delete ${preset.name}`} onClick={() => setDropping(preset)}>
                        <Icon name="trash" />
                      </IconButton>
                    )}
                  </Td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Card>
      <Dialog
        title={`Delete ${dropping?.name ?? ""}?`}
        isOpen={dropping !== undefined}
        onClose={() => setDropping(undefined)}
        footer={
          <>
            <Button onClick={() => setDropping(undefined)}>Keep it</Button>
            <Button kind="danger" isBusy={drop.isPending} onClick={() => dropping && drop.mutate(dropping)}>
              Delete
            </Button>
          </>
        }
      >
        <p>Runs that were made with it stay as they are.</p>
        {drop.error && <ProblemBox error={drop.error} />}
      </Dialog>
    </>
  );
}
