import type { Bridge } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural, words } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { showToast } from "../../ui/toast.tsx";

export function DeleteBridge({ bridge, refused }: { bridge: Bridge; refused: string | undefined }) {
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const drop = useMutation({
    mutationFn: (force: boolean) =>
      hub.call("DELETE /api/v1/bridges/{id}", {
        path: { id: bridge.id },
        query: force ? { force } : {},
        ifMatch: bridge.version,
      }),
    onSuccess: () => {
      showToast(`${bridge.name} deleted`);
      router.history.push(paths.bridges());
      void queryClient.invalidateQueries({ queryKey: ["bridges", "list"] });
    },
  });
  const uses = usesOf(drop.error);
  return (
    <div>
      <Button kind="danger" disabledReason={refused} onClick={() => setOpen(true)}>
        Delete connection
      </Button>
      <Dialog
        title={`Delete ${bridge.name}?`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button kind="danger" isBusy={drop.isPending} onClick={() => drop.mutate(uses.length > 0)}>
              {uses.length > 0 ? "Delete anyway" : "Delete"}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-2.5">
          <p>Deletes the connection and its credentials. Its orders, locations and executions are kept.</p>
          {uses.length > 0 && (
            <div role="alert" className="rounded-lg border border-warn bg-warn-soft px-3 py-2.5">
              <p className="font-medium text-warn">The connection is in use: {uses.join(", ")}.</p>
              <p className="mt-1">
                Its schedules are paused, its field mappings deactivated, and running tasks cancelled.
              </p>
            </div>
          )}
          {drop.error && uses.length === 0 && <ProblemBox error={drop.error} />}
        </div>
      </Dialog>
    </div>
  );
}

/** "2 schedules", "1 transformation": the users of the bridge, as named by the error. */
function usesOf(error: unknown): string[] {
  if (!(error instanceof HubApiError) || error.status !== 409) return [];
  const { usedByCounts } = error.problem as { usedByCounts?: Record<string, number> };
  return Object.entries(usedByCounts ?? {}).map(([name, count]) => plural(count, words(name)));
}
