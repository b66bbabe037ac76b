import { Type } from "../core/type.ts";
import { Count, DateTime, optional } from "../core/schema.ts";
import { defineEvent } from "./define-event.ts";

const Text = Type.String();

/** The part of the catalogue that is about the hub itself: its preview, and what it tidies up. */
export const hubEvents = {
  "preview.clock_set": defineEvent("organization", "The preview clock was set", {
    mode: Text,
    ...optional({ offsetMs: Type.Number(), at: DateTime }),
  }),
  "preview.seeded": defineEvent("organization", "Demo data was loaded", {
    orders: Count,
    shipments: Count,
    carrierAccounts: Count,
    pickups: Count,
  }),
  "preview.reset": defineEvent("organization", "Preview data was reset", {}),

  "outbound.paused": defineEvent("organization", "Outbound requests were paused after a restore from a backup", {
    reason: Text,
    pausedAt: DateTime,
    backupTakenAt: DateTime,
  }),
  "outbound.resumed": defineEvent("organization", "A restored hub was allowed to call other systems", {
    reason: Text,
    pausedAt: DateTime,
  }),

  "retention.removed": defineEvent("retention", "Records older than their retention were deleted", {
    kind: Text,
    count: Count,
    endedBefore: DateTime,
  }),
};
