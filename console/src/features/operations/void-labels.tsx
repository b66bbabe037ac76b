import type { OperationRun } from "@order-operations-hub/sdk/api-types";
import { useMutation } from "@tanstack/react-query";
import { missingScope, useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { hasEnded } from "./run.can.ts";
import { useBulkEdit } from "./use-bulk-edit.ts";

/** Says what voiding does before its button: the preview of the step follows. */
export function VoidLabels({ run }: { run: OperationRun }) {
  const me = useMe();
  const open = useBulkEdit();
  const start = useMutation({
    mutationFn: () => open({ run: { id: run.id, status: "succeeded" } }, { step: "void_label" }),
  });
  if (run.labels.requested === 0 || !hasEnded(run)) return null;
  const services = run.label_services ?? [];
  const bought = services.reduce((sum, { labels }) => sum + labels, 0);
  const voidable = services.reduce((sum, one) => sum + one.voidable, 0);
  const { voided = 0, refunds_pending: pending } = run.labels;
  if (bought + voided === 0) return null;
  const can =
    voidable === 0
      ? "No label can be voided any more."
      : voidable === bought
        ? `All ${formatCount(bought)} can still be voided.`
        : `${formatCount(voidable)} of ${formatCount(bought)} can still be voided.`;
  return (
    <div className="border-t border-line px-4.5 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <Icon name="undo" />
        <p className="min-w-60 flex-1 text-sm">
          <strong className="font-medium">{can}</strong>{" "}
          <span className="text-muted">
            {voided > 0 && `${plural(voided, "label was", "labels were")} voided. `}
            {pending > 0 && `${plural(pending, "refund is", "refunds are")} pending. `}
            Voiding sets the orders back to Ready; the carrier credits the cost, usually within 2 to 4 weeks. A label
            cannot be voided after its first scan.
          </span>
        </p>
        <Button
          isBusy={start.isPending}
          disabledReason={missingScope(me, "shipments:write") ?? (voidable === 0 && can)}
          onClick={() => start.mutate()}
        >
          Void labels
        </Button>
      </div>
      {start.error && <ProblemBox error={start.error} />}
    </div>
  );
}
