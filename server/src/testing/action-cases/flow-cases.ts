import { aHold } from "../an-order.ts";
import { now } from "../an-evaluation.ts";
import type { Cases } from "./case-parts.ts";
import { systemHold, fullHolds, aNote, fullNotes, partly, entirely, merged, noted } from "./case-parts.ts";

const user = "0199f0a0-0000-7000-8000-00000000e001";

export const flowCases: Record<string, Cases> = {
  hold: {
    applied: [
      { gives: { holds: [{ handle: "operator", source: "user", until: null }] } },
      {
        params: { reason: "upsell_window", duration_days: 2, handle: "wait" },
        gives: { holds: [{ handle: "wait", until: "2026-03-04T09:00:00.000Z" }] },
      },
      { params: { until: "2026-03-05" }, gives: { holds: [{ until: "2026-03-05T00:00:00.000Z" }] } },
      {
        given: { holds: [aHold()] },
        params: { note: "call", until: "2026-03-05T01:00:00+01:00" },
        gives: { holds: [aHold({ note: "call", until: "2026-03-05T00:00:00.000Z" })] },
      },
    ],
    unchanged: [
      { given: { holds: [aHold()] } },
      { params: { until: "2026-03-02" }, warning: "hold_already_expired" },
      {
        given: { holds: [aHold({ until: "2026-03-05T00:00:00.000Z" })] },
        params: { until: "2026-03-05T01:00:00+01:00" },
      },
    ],
    blocked: [
      { given: { status: "shipped" }, code: "invalid_state" },
      { given: { holds: fullHolds }, code: "too_many_holds" },
      {
        given: { holds: [systemHold] },
        params: { handle: "address_validation", duration_days: 1 },
        code: "override_required",
      },
    ],
  },
  release_hold: {
    applied: [
      {
        given: { holds: [aHold(), systemHold] },
        gives: { holds: [systemHold] },
        warning: "still_on_hold",
      },
      { given: { holds: [aHold()] }, params: { handles: ["operator"] }, gives: { holds: [] } },
      { given: { holds: [aHold()] }, params: { reasons: ["operator"] }, gives: { holds: [] } },
      { given: { holds: [aHold(), systemHold] }, params: { all: true }, mayOverride: true, gives: { holds: [] } },
      { given: { holds: [aHold()] }, params: { all: true }, gives: { holds: [] } },
    ],
    unchanged: [
      {},
      { given: { holds: [aHold()] }, params: { handles: ["other"] } },
      { given: { holds: [systemHold] }, warning: "still_on_hold" },
    ],
    blocked: [
      { given: { holds: [aHold(), systemHold] }, params: { all: true }, code: "override_required" },
      { given: { holds: [systemHold] }, params: { reasons: ["incorrect_address"] }, code: "override_required" },
    ],
  },
  approve: {
    applied: [
      {
        given: { status: "review_required" },
        params: { note: "fine" },
        gives: { status: "ready", notes: noted("Approved: fine") },
      },
    ],
    unchanged: [{ params: { note: "fine" } }],
    blocked: [{ given: { status: "awaiting_payment" }, code: "invalid_state" }],
  },
  require_review: {
    applied: [
      {
        params: { reason: "odd", assignee_id: user.toUpperCase() },
        gives: { status: "review_required", assigneeId: user, notes: noted("Review required: odd") },
      },
      {
        given: { status: "review_required" },
        params: { reason: "odd", assignee_id: user },
        gives: { assigneeId: user, notes: [] },
      },
    ],
    unchanged: [{ given: { status: "review_required" }, params: { reason: "odd" } }],
    blocked: [{ given: { status: "sent" }, code: "invalid_state" }],
  },
  set_status: {
    applied: [
      {
        given: { status: "new" },
        params: { status: "ready", reason: "ok" },
        gives: { status: "ready", notes: noted("Status set to ready: ok") },
      },
      { params: { status: "shipped" }, gives: { status: "shipped" }, warning: "no_shipment" },
      { given: entirely, params: { status: "delivered" }, gives: { status: "delivered" } },
      {
        given: { status: "delivered" },
        params: { status: "draft", force: true },
        mayOverride: true,
        gives: { status: "draft" },
      },
      {
        given: { holds: [aHold()] },
        params: { status: "sent", force: true },
        mayOverride: true,
        gives: { status: "sent" },
      },
    ],
    unchanged: [{ params: { status: "ready", reason: "ok" } }],
    blocked: [
      { given: { status: "delivered" }, params: { status: "ready" }, code: "invalid_state" },
      { given: { holds: [aHold()] }, params: { status: "sent" }, code: "on_hold" },
      { given: { status: "sent" }, params: { status: "cancelled" }, code: "requires_recall" },
      { given: { ...entirely, status: "cancelled" }, params: { status: "ready" }, code: "already_shipped" },
      { given: merged, params: { status: "ready", force: true }, mayOverride: true, code: "merged" },
    ],
  },
  cancel: {
    applied: [
      { params: { reason: "fraud" }, gives: { status: "cancelled", notes: noted("Cancelled: fraud") } },
      {
        given: { status: "draft" },
        params: { reason: "other", note: "test" },
        gives: { status: "cancelled", notes: noted("Cancelled: other: test") },
      },
      {
        given: { notes: fullNotes },
        params: { reason: "staff" },
        gives: { status: "cancelled" },
      },
    ],
    unchanged: [{ given: { status: "cancelled" }, params: { reason: "customer" } }],
    blocked: [
      { given: { status: "sent" }, params: { reason: "customer" }, code: "requires_recall" },
      { given: partly, params: { reason: "customer" }, code: "invalid_state" },
      { given: { ...partly, status: "ready" }, params: { reason: "customer" }, code: "already_shipped" },
    ],
  },
  restore: {
    applied: [
      { given: { status: "cancelled", notes: [aNote] }, gives: { status: "ready", notes: [aNote] } },
      { given: { status: "cancelled", archivedAt: now }, gives: { archivedAt: now }, warning: "still_archived" },
      { given: { status: "cancelled" }, params: { status: "ready" }, gives: { status: "ready" } },
    ],
    unchanged: [{}],
    blocked: [
      { given: { ...entirely, status: "cancelled" }, code: "already_shipped" },
      { given: merged, code: "merged" },
      { given: { status: "new" }, code: "invalid_state" },
    ],
  },
  archive: {
    applied: [{ given: { status: "delivered" }, gives: { archivedAt: now } }],
    unchanged: [{ given: { status: "shipped", archivedAt: "2026-02-01T00:00:00.000Z" } }],
    blocked: [{ code: "invalid_state" }],
  },
  unarchive: {
    applied: [{ given: { status: "shipped", archivedAt: now }, gives: { archivedAt: null } }],
    unchanged: [{}],
    blocked: "any order may be in the lists",
  },
  set_priority: {
    applied: [{ params: { priority: "urgent" }, gives: { priority: "urgent" } }],
    unchanged: [{ params: { priority: "normal" } }],
    blocked: [{ given: { status: "cancelled" }, params: { priority: "low" }, code: "invalid_state" }],
  },
  assert: {
    applied: "it changes nothing",
    unchanged: [{ params: { when: { path: "lines.sku", op: "eq", value: "A" } } }],
    blocked: [
      { params: { when: { path: "total", op: "gt", value: 1000 }, message: "too small" }, code: "assertion_failed" },
      { params: { when: { path: "total", op: "nonsense" } }, code: "assertion_failed" },
    ],
  },
};
