import type { Order } from "@order-operations-hub/sdk/api-types";
import { Button } from "../../ui/button.tsx";
import { sentence } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Select } from "../../ui/select.tsx";
import { SubmitForm } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { Time } from "../../ui/zone.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useCreateForm } from "../../live/use-create-form.ts";
import { actorName } from "./order-timeline.tsx";
import { holdReasons } from "./orders.text.ts";
import { useQuickAct } from "./quick-act.ts";

/** Why the order waits: reason, note, until when and who placed it. */
export function OrderHolds({ order }: { order: Order }) {
  const act = useQuickAct(order.id);
  if (order.holds.length === 0) return null;
  return (
    <ul aria-label="Holds" className="mb-3 flex flex-col gap-2">
      {order.holds.map((hold) => (
        <li
          key={hold.id}
          className="flex flex-wrap items-center gap-x-2.5 gap-y-1 rounded-lg border border-warn bg-warn-soft px-3 py-2"
        >
          <span className="text-warn">
            <Icon name="pause" size={16} />
          </span>
          <span className="font-medium text-warn">{`On hold: ${sentence(hold.reason)}`}</span>
          <span className="min-w-0 break-words">
            {hold.note && `${hold.note} · `}
            placed by {actorName(hold.by)} <Time at={hold.placedAt} />
            {hold.until && (
              <>
                {" "}
                · until <Time at={hold.until} />
              </>
            )}
          </span>
          <span className="flex-1" />
          <Button
            isBusy={act.isBusy}
            disabledReason={act.refused}
            onClick={() => act.run({ type: "release_hold", params: { handles: [hold.handle] } }, "Hold released")}
          >
            Release
          </Button>
        </li>
      ))}
      {act.error && <ProblemBox error={act.error} />}
    </ul>
  );
}

type Draft = { reason: string; note: string; until: string };

export function HoldDialog({ order, onClose }: { order: Order; onClose(): void }) {
  const act = useQuickAct(order.id);
  const form = useCreateForm<Draft, void>({
    start: { reason: "other", note: "", until: "" },
    create: async ({ reason: chosen, note, until }) => {
      const reason = holdReasons.find(({ value }) => value === chosen)?.value ?? "other";
      const params = { reason, ...(note.trim() ? { note: note.trim() } : {}), ...(until ? { until } : {}) };
      await act.apply({ type: "hold", params }, `${order.number} is on hold`);
    },
    onCreated: onClose,
  });
  return (
    <Dialog title={`Hold ${order.number}`} isOpen onClose={onClose}>
      <SubmitForm form={form} submit="Hold" reason={act.refused}>
        <Select label="Reason" options={holdReasons} {...form.field("reason")} />
        <TextField label="Note" {...form.field("note")} />
        <TextField label="Until" type="date" hint="Empty: until it is released" {...form.field("until")} />
      </SubmitForm>
    </Dialog>
  );
}
