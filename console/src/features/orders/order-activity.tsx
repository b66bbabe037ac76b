import type { Order } from "@order-operations-hub/sdk/api-types";
import { useRef, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { LeaveGuard } from "../../ui/leave-guard.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Time } from "../../ui/zone.tsx";
import { useEditRefusal } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { useQuickAct } from "./quick-act.ts";
import { actorName, OrderTimeline } from "./order-timeline.tsx";

/** A field for notes, the internal notes, then what happened. */
export function OrderActivity({ order }: { order: Order }) {
  const refused = useEditRefusal();
  const notes = order.notes.filter(({ visibility }) => visibility === "internal").toReversed();
  return (
    <OrderCard title="Activity">
      {!refused && <NoteField order={order} />}
      {notes.length > 0 && (
        <ul aria-label="Internal notes" className="mb-3 flex flex-col gap-2">
          {notes.map((note) => (
            <li key={note.id} className="rounded-lg bg-skip-soft px-3 py-2">
              <p className="text-sm text-muted">
                <span className="font-medium text-text">{actorName(note.by)}</span> <Time at={note.at} />
              </p>
              <p className="break-words whitespace-pre-wrap">{note.text}</p>
            </li>
          ))}
        </ul>
      )}
      <OrderTimeline reference={order.id} />
    </OrderCard>
  );
}

function NoteField({ order }: { order: Order }) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useHotkeys([{ keys: "n", name: "Add a note", run: () => field.current?.focus() }]);
  const act = useQuickAct(order.id);
  const submit = (): void => {
    if (!text.trim() || act.isBusy) return;
    act.run({ type: "add_note", params: { text: text.trim() } }, "Note added", () => setText(""));
  };
  return (
    <form
      className="mb-3 flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="relative">
        <textarea
          ref={field}
          aria-label="Add a note"
          placeholder="Add a note"
          rows={text ? 3 : 1}
          maxLength={5000}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
            if (event.key !== "Escape") return;
            // The key leaves the field, not the panel around it.
            event.preventDefault();
            event.stopPropagation();
            field.current?.blur();
          }}
          className="w-full rounded-md border border-line-strong bg-raised px-2.5 py-1.5 placeholder:text-muted"
        />
        {!text && (
          <span className="absolute end-2 top-1.5">
            <Kbd keys="n" />
          </span>
        )}
      </div>
      {text && (
        <div>
          <Button type="submit" isBusy={act.isBusy}>
            Add note
          </Button>
        </div>
      )}
      {act.error && <ProblemBox error={act.error} />}
      <LeaveGuard isDirty={text.trim() !== ""} what="Your note" />
    </form>
  );
}
