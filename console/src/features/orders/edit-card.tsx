import type { Order } from "@order-operations-hub/sdk/api-types";
import type { ReactNode } from "react";
import { useEffect, useRef } from "react";
import { hub } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { SaveForm } from "../../live/save-row.tsx";
import type { RecordForm } from "../../live/use-record-form.ts";
import { useRecordForm } from "../../live/use-record-form.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { firstField } from "../../ui/dialog.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { LeaveGuard } from "../../ui/leave-guard.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { OrderPatch } from "./orders.queries.ts";

/** Why the order cannot be edited. */
export const useEditRefusal = (): string | undefined => missingScope(useMe(), "orders:write");

/** The pencil of a card. */
export function EditButton({ what, onEdit }: { what: string; onEdit(): void }) {
  const refused = useEditRefusal();
  if (refused) return null;
  return (
    <IconButton label={`Edit ${what}`} onClick={onEdit}>
      <Icon name="pencil" />
    </IconButton>
  );
}

type Props<Draft extends object> = {
  order: Order;
  draftOf(order: Order): Draft;
  patchOf(change: Partial<Draft>, draft: Draft, base: Order): OrderPatch;
  /** Labels of the values in the conflict box. */
  names: { [Part in keyof Draft]?: string };
  textOf?(part: keyof Draft, draft: Draft): unknown;
  /** Pointers of the fields that show their own errors. */
  fields: readonly string[];
  onDone(): void;
  children(form: RecordForm<Draft>): ReactNode;
};

/** A form in the place of what it edits: Ctrl+Enter saves, Escape cancels. */
export function EditInPlace<Draft extends object>({
  order,
  draftOf,
  patchOf,
  names,
  textOf,
  fields,
  onDone,
  children,
}: Props<Draft>) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => firstField(box.current)?.focus(), []);
  const form = useRecordForm<Order, Draft>({
    kind: "orders",
    record: order,
    draftOf,
    read: (id) => hub.call("GET /api/v1/orders/{id}", { path: { id } }),
    write: (change, over, base) =>
      hub.call("PATCH /api/v1/orders/{id}", {
        path: { id: over.id },
        ifMatch: over.version,
        body: patchOf(change, { ...draftOf(base), ...change }, base),
      }),
    onSaved: () => {
      showToast("Saved");
      onDone();
    },
  });
  // A removed row takes the focus with it; the keys still belong to this form then.
  const isMine = (): boolean =>
    document.activeElement === document.body || box.current?.contains(document.activeElement) === true;
  useHotkeys([
    { keys: "$mod+Enter", name: "Save", run: () => isMine() && box.current?.querySelector("form")?.requestSubmit() },
    { keys: "Escape", name: "Cancel", run: () => isMine() && onDone() },
  ]);
  return (
    <div ref={box} className="py-1">
      <LeaveGuard isDirty={form.isChanged} />
      <SaveForm form={form} names={names} fields={fields} {...(textOf ? { textOf } : {})}>
        {children(form)}
        <p className="flex items-center gap-1.5 text-sm text-faint">
          <Kbd keys="$mod+Enter" /> saves, <Kbd keys="Escape" /> cancels
          <span className="flex-1" />
          <Button kind="quiet" onClick={onDone}>
            Cancel
          </Button>
        </p>
      </SaveForm>
    </div>
  );
}
