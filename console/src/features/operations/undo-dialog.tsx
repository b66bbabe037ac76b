import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { hub } from "../../live/hub.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { plural } from "../../ui/format.ts";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { catalogQuery } from "./operations.queries.ts";

/** What taking a run back would do, before it is done. */
export function UndoDialog({ run, isOpen, onClose }: { run: OperationRun; isOpen: boolean; onClose(): void }) {
  const router = useRouter();
  const { data: catalog } = useQuery(catalogQuery);
  const undo = useMutation({
    mutationFn: () =>
      hub.call("POST /api/v1/operations/runs/{id}/undo", { path: { id: run.id }, prefer: "respond-async" }),
    onSuccess: (next) => {
      onClose();
      router.history.push(paths.run(next.id));
    },
  });
  const lasting = run.actions.flatMap((action, at) => {
    const known = catalog?.find((one) => one.type === action["type"]);
    return known && !known.reversible ? [`${at + 1} ${known.title.toLowerCase()}`] : [];
  });
  return (
    <Dialog
      title="Undo this run?"
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button kind="primary" isBusy={undo.isPending} onClick={() => undo.mutate()}>
            Undo on {plural(run.summary.succeeded, "order")}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <p>
          The fields that this run changed get back what they were before, on {plural(run.summary.succeeded, "order")}.
        </p>
        <p>Fields that somebody has changed since stay as they are, and are named order by order in the result.</p>
        {lasting.length > 0 && <p className="text-warn">Cannot be taken back: {lasting.join(", ")}.</p>}
        {undo.error && <ProblemBox error={undo.error} />}
      </div>
    </Dialog>
  );
}
