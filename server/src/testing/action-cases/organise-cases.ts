import { now } from "../an-evaluation.ts";
import type { Cases } from "./case-parts.ts";
import { aNote, fullNotes, fullTags, noted } from "./case-parts.ts";

const user = "0199f0a0-0000-7000-8000-00000000e001";
const fullFields = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`field${i}`, i]));

export const organiseCases: Record<string, Cases> = {
  add_tags: {
    applied: [{ given: { tags: ["a"] }, params: { tags: ["b", "a"] }, gives: { tags: ["a", "b"] } }],
    unchanged: [
      { given: { tags: ["b", "a"] }, params: { tags: ["a"] } },
      { given: { tags: [...fullTags, "too many already"] }, params: { tags: ["tag-1"] } },
    ],
    blocked: [{ given: { tags: fullTags }, params: { tags: ["one more"] }, code: "too_many_tags" }],
  },
  remove_tags: {
    applied: [{ given: { tags: ["a", "b"] }, params: { tags: ["a", "c"] }, gives: { tags: ["b"] } }],
    unchanged: [{ given: { tags: ["a"] }, params: { tags: ["b"] } }],
    blocked: "any order may lose a tag",
  },
  set_tags: {
    applied: [
      { given: { tags: ["a", "b"] }, params: { tags: ["c"] }, gives: { tags: ["c"] } },
      { given: { tags: ["a", "b"] }, params: { tags: [] }, gives: { tags: [] } },
    ],
    unchanged: [{ given: { tags: ["a", "b"] }, params: { tags: ["b", "a"] } }],
    blocked: "more than fit are refused by the schema",
  },
  add_note: {
    applied: [
      { params: { text: "hello" }, gives: { notes: noted("hello") } },
      {
        given: { notes: [aNote] },
        params: { text: "hello", visibility: "gift" },
        gives: { notes: [aNote, { visibility: "gift" }] },
      },
      {
        given: { notes: [aNote] },
        params: { text: "first", mode: "prepend" },
        gives: { notes: [{ text: "first" }, aNote] },
      },
      {
        given: { notes: [aNote, { ...aNote, id: "note-2", visibility: "gift" }] },
        params: { text: "only", mode: "replace" },
        gives: { notes: [{ id: "note-2" }, { text: "only" }] },
      },
      { given: { notes: fullNotes }, params: { text: "only", mode: "replace" }, gives: { notes: noted("only") } },
    ],
    unchanged: "every run adds a note",
    blocked: [{ given: { notes: fullNotes }, params: { text: "hello" }, code: "too_many_notes" }],
  },
  set_custom_field: {
    applied: [
      {
        given: { customFields: { a: 1 } },
        params: { key: "b", value: true },
        gives: { customFields: { a: 1, b: true } },
      },
      { given: { customFields: { a: 1, b: 2 } }, params: { key: "a", value: null }, gives: { customFields: { b: 2 } } },
      {
        given: { customFields: fullFields },
        params: { key: "field0", value: "x" },
        gives: { customFields: { ...fullFields, field0: "x" } },
      },
    ],
    unchanged: [
      { given: { customFields: { a: "1" } }, params: { key: "a", value: "1" } },
      { params: { key: "constructor", value: null } },
    ],
    blocked: [
      {
        given: { customFields: fullFields },
        params: { key: "constructor", value: 1 },
        code: "too_many_custom_fields",
      },
    ],
  },
  assign_user: {
    applied: [
      { params: { user_id: user.toUpperCase() }, gives: { assigneeId: user } },
      { given: { assigneeId: user }, params: { user_id: null }, gives: { assigneeId: null } },
    ],
    unchanged: [{ given: { assigneeId: user }, params: { user_id: user } }],
    blocked: "any order may be assigned; whether the user exists is checked for the whole pipeline",
  },
  set_dates: {
    applied: [
      {
        given: { dispatchOn: now },
        params: { ship_by: "2026-03-04T01:00:00+01:00", deliver_by: "2026-03-05T00:00:00Z", dispatch_on: null },
        gives: { shipBy: "2026-03-04T00:00:00.000Z", deliverBy: "2026-03-05T00:00:00.000Z", dispatchOn: null },
      },
      // On a Monday before the cut-off time; Wednesday is a holiday.
      {
        params: {
          ship_by_after: { working_days: 2 },
          deliver_by_after: { working_days: 2, from: "ship_by", time: "18:00" },
        },
        gives: { shipBy: "2026-03-05T00:00:00.000Z", deliverBy: "2026-03-09T18:00:00.000Z" },
      },
      // Ordered on a Friday after the cut-off time: work starts on Monday.
      {
        given: { orderedAt: "2026-02-27T12:00:00.000Z" },
        params: { dispatch_on_after: { working_days: 1, from: "ordered_at" } },
        gives: { dispatchOn: "2026-03-03T00:00:00.000Z" },
      },
      {
        given: { deliverBy: "2026-03-09T10:00:00.000Z" },
        params: { ship_by_after: { working_days: -3, from: "deliver_by" } },
        gives: { shipBy: "2026-03-03T00:00:00.000Z" },
      },
    ],
    unchanged: [{ given: { shipBy: now }, params: { ship_by: "2026-03-02T09:00:00Z", deliver_by: null } }],
    blocked: [
      { given: { deliverBy: now }, params: { ship_by: "2026-03-03T00:00:00Z" }, code: "dates_out_of_order" },
      { params: { ship_by_after: { working_days: 1, from: "deliver_by" } }, code: "date_missing" },
      {
        given: { deliverBy: now },
        params: { ship_by_after: { working_days: 1 } },
        code: "dates_out_of_order",
      },
      { given: { status: "shipped" }, params: { ship_by: null }, code: "invalid_state" },
    ],
  },
};
