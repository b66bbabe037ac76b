import type { OperationRun, PipelineAction } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { showToast } from "../../ui/toast.tsx";

async function renew(): Promise<void> {
  await Promise.all(
    ["orders", "operations", "exceptions"].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] })),
  );
}

/** Undoes a run and reports it. */
async function undo(run: OperationRun): Promise<void> {
  try {
    await hub.call("POST /api/v1/operations/runs/{id}/undo", { path: { id: run.id } });
    showToast("Undone");
  } catch (error) {
    showToast("Not undone", { tone: "bad", text: error instanceof Error ? error.message : "" });
  }
  await renew();
}

/** Why the only order of a run was not changed. */
const failureOf = (run: OperationRun): string | undefined => {
  const [result] = run.results ?? [];
  return result?.status === "failed" ? (result.error?.message ?? "The order was not changed.") : undefined;
};

/** Applies one action to one order, as a run of one step: checked by the same rules, logged, and undone from the toast. */
export function useQuickAct(orderId: string) {
  const me = useMe();
  const act = useMutation({
    mutationFn: async ({ step }: { step: PipelineAction; done: string }): Promise<OperationRun> => {
      const body = { order_ids: [orderId], actions: [step] };
      const run = await hub.call("POST /api/v1/operations/run", { body });
      const failure = failureOf(run);
      if (failure) throw new Error(failure);
      return run;
    },
    onSuccess: async (run, { done }) => {
      showToast(done, { action: { label: "Undo", onPick: () => void undo(run) } });
      await renew();
    },
  });
  return {
    refused: missingScope(me, "operations:run"),
    /** Throws when the order was not changed, for forms that show the error themselves. */
    apply: async (step: PipelineAction, done: string): Promise<void> => {
      await act.mutateAsync({ step, done });
    },
    run: (step: PipelineAction, done: string, onDone?: () => void) =>
      act.mutate({ step, done }, onDone && { onSuccess: onDone }),
    isBusy: act.isPending,
    error: act.error,
  };
}
