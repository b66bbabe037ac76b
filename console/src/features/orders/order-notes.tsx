import type { Order } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { TextArea } from "../../ui/text-field.tsx";
import { EditButton, EditInPlace } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import type { OrderPatch } from "./orders.queries.ts";

type Note = Order["notes"][number];
type Visibility = NonNullable<NonNullable<OrderPatch["notes"]>[number]["visibility"]>;

const titles: Record<string, string> = {
  customer: "From the customer",
  packing_slip: "On the packing slip",
  gift: "Gift message, on the packing slip",
};

/** Notes of the customer and for the packing slip. Internal notes are part of the activity. */
export function OrderNotes({ order }: { order: Order }) {
  const [isEditing, setEditing] = useState(false);
  const shown = order.notes.filter(({ visibility }) => visibility !== "internal");
  return (
    <OrderCard title="Notes" actions={!isEditing && <EditButton what="notes" onEdit={() => setEditing(true)} />}>
      {isEditing ? (
        <EditNotes order={order} onDone={() => setEditing(false)} />
      ) : (
        <div className="flex flex-col gap-2">
          {shown.map((note) => (
            <Quote key={note.id} title={titles[note.visibility] ?? "Note"} text={note.text} />
          ))}
          {order.giftMessage && <Quote title="Gift message" text={order.giftMessage} />}
          {shown.length === 0 && !order.giftMessage && <p className="text-muted">No notes</p>}
        </div>
      )}
    </OrderCard>
  );
}

function Quote({ title, text }: { title: string; text: string }) {
  return (
    <div className="border-s-2 border-line-strong ps-2.5">
      <p className="text-sm text-muted">{title}</p>
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </div>
  );
}

type Draft = { customer: string; packing_slip: string; giftMessage: string };

const noteOf = (order: Order, visibility: string): Note | undefined =>
  order.notes.find((note) => note.visibility === visibility);

/** Replaces the text of the first note of a kind, or adds one; an emptied one is removed. */
function notesOf(base: Order, change: Partial<Draft>) {
  let notes: NonNullable<OrderPatch["notes"]> = base.notes.map(({ id, text, visibility }) => ({
    id,
    text,
    visibility: visibility as Visibility,
  }));
  for (const visibility of ["customer", "packing_slip"] as const) {
    const text = change[visibility]?.trim();
    if (text === undefined) continue;
    const known = noteOf(base, visibility);
    notes = notes.filter(({ id }) => id === undefined || id !== known?.id);
    if (text) notes.push({ ...(known ? { id: known.id } : {}), text, visibility });
  }
  return notes;
}

function EditNotes({ order, onDone }: { order: Order; onDone(): void }) {
  return (
    <EditInPlace<Draft>
      order={order}
      draftOf={(from) => ({
        customer: noteOf(from, "customer")?.text ?? "",
        packing_slip: noteOf(from, "packing_slip")?.text ?? "",
        giftMessage: from.giftMessage ?? "",
      })}
      patchOf={(change, _, base) => ({
        ...("customer" in change || "packing_slip" in change ? { notes: notesOf(base, change) } : {}),
        ...(change.giftMessage === undefined ? {} : { giftMessage: change.giftMessage.trim() || null }),
      })}
      names={{ customer: "From the customer", packing_slip: "On the packing slip", giftMessage: "Gift message" }}
      fields={["/giftMessage"]}
      onDone={onDone}
    >
      {({ field }) => (
        <>
          <TextArea label="From the customer" rows={2} {...field("customer")} />
          <TextArea label="On the packing slip" rows={2} {...field("packing_slip")} />
          <TextArea label="Gift message" rows={2} {...field("giftMessage")} />
        </>
      )}
    </EditInPlace>
  );
}
