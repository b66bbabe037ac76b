import { Type } from "../../../core/type.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";
import { noteVisibilities } from "../../orders/orders.schemas.ts";
import { noteOf } from "./order-notes.ts";
import { filledIn } from "../template-params.ts";

export const addNote = defineAction({
  type: "add_note",
  title: "Add note",
  group: "organize",
  description: "Adds a note to the order. Each run adds another note, even with the same text.",
  params: Strict({
    text: filledIn(Type.String({ minLength: 1, maxLength: orderLimits.noteLength })),
    visibility: Type.Optional(OneOf(noteVisibilities, { default: "internal" })),
    mode: Type.Optional(
      OneOf(["append", "prepend", "replace"], {
        default: "append",
        description: "Add after or before existing notes, or replace those with the same visibility",
      }),
    ),
  }),
  example: { text: "Customer called: leave at the door", visibility: "packing_slip" },
  idempotent: false,
  check({ text }) {
    return text.trim() === "" ? [{ pointer: "/text", code: "blank", message: "The note is blank." }] : [];
  },
  apply(order, { text, visibility = "internal", mode = "append" }, env) {
    const kept = mode === "replace" ? order.notes.filter((note) => note.visibility !== visibility) : order.notes;
    if (kept.length >= orderLimits.notes)
      return refuse("too_many_notes", `An order has at most ${orderLimits.notes} notes.`);
    const note = noteOf(text, visibility, env);
    return { patch: { notes: mode === "prepend" ? [note, ...kept] : [...kept, note] } };
  },
});
