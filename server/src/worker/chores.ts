import { automationWork } from "../features/automations/automations.ts";
import {
  answerResetRequests,
  purgeOldAttempts,
  removeExpiredSessions,
  removeOldResets,
} from "../features/auth/auth.ts";
import { removeOldCarrierWebhooks } from "../features/carrier-webhooks/carrier-webhooks.ts";
import { removeOldInvitations } from "../features/invitations/invitations.ts";
import { auditWork } from "../features/invoices/invoices.ts";
import { labelWork, voidCancelledLabels } from "../features/labels/labels.ts";
import { mailWork } from "../features/mails/mails.ts";
import { mailDigests, makeNotifications, removeOldNotifications } from "../features/notifications/notifications.ts";
import { manifestWork } from "../features/manifests/manifests.ts";
import { removeExpiredSelections, runWork, applyLabelResults } from "../features/operations/operations.ts";
import { foldOrderCounts, releaseDueHolds } from "../features/orders/orders.ts";
import { comparisonWork } from "../features/rate-comparisons/rate-comparisons.ts";
import { pickupWork } from "../features/pickups/pickups.ts";
import { trackingWork } from "../features/shipments/shipments.ts";
import { removeEndedReservations } from "../features/stock/stock.ts";
import { removeOldInboundWebhooks, removeOldSamples } from "../features/tasks/tasks.ts";
import { deliveryLeases } from "../features/webhooks/webhooks.ts";
import type { World } from "../context.ts";
import type { LeasedRow } from "../queue/leases.ts";
import type { Worker, WorkKind } from "../queue/work.ts";
import { startWork } from "../queue/work.ts";
import { purgeExpired } from "./retention.ts";
import type { Chore } from "./worker.ts";

const minute = 60_000;

/** Everything the worker does by itself. Each one's look into the database counts: an idle hub has two queries a second. */
export const chores: Chore[] = [
  { name: "timed holds", intervalMs: 10_000, wakeOn: ["clock"], run: releaseDueHolds },
  { name: "labels of runs", intervalMs: minute, wakeOn: ["label_ended"], run: applyLabelResults },
  { name: "labels cancelled by carriers", intervalMs: minute, run: voidCancelledLabels },
  { name: "order counts", intervalMs: 30_000, run: foldOrderCounts },
  { name: "old samples", intervalMs: 10 * minute, run: removeOldSamples },
  { name: "old inbound webhooks", intervalMs: 10 * minute, run: removeOldInboundWebhooks },
  { name: "old carrier webhooks", intervalMs: 10 * minute, run: removeOldCarrierWebhooks },
  { name: "expired selections", intervalMs: 10 * minute, run: removeExpiredSelections },
  { name: "ended reservations", intervalMs: 10 * minute, run: removeEndedReservations },
  { name: "retention", intervalMs: 10 * minute, run: purgeExpired },
  { name: "expired sessions", intervalMs: 10 * minute, run: removeExpiredSessions },
  { name: "password resets", intervalMs: minute, wakeOn: ["password_reset"], run: answerResetRequests },
  { name: "notifications", intervalMs: 5_000, run: makeNotifications },
  { name: "notification mails", intervalMs: minute, run: mailDigests },
  { name: "old notifications", intervalMs: 10 * minute, run: removeOldNotifications },
  {
    name: "old links",
    intervalMs: 10 * minute,
    run: (world) => Promise.all([removeOldInvitations(world), removeOldResets(world)]),
  },
  { name: "failed sign-ins", intervalMs: 5 * minute, run: purgeOldAttempts },
];

/** Each on up to two connections; one organization has at most two of them. */
const runSlots = 3;
/** Each on two connections; a process has one thread to rate with. */
const comparisonSlots = 2;
/** Each looks at some events, and begins a run that another place does. */
const automationSlots = 3;
/** The hub's own mails are few. */
const mailSlots = 2;
/** They wait for carriers most of the time. */
const slots = 8;

const leased = <Row extends LeasedRow>(work: WorkKind<World, Row>, places: number) => ({
  name: work.name,
  leases: work.leases,
  start: (world: World): Worker => startWork(world, work, { slots: places }),
});

/** Work that is taken under leases: started, freed and measured by this list. Tasks and webhooks have engines of their own. */
const localWorks = [leased(comparisonWork, comparisonSlots), leased(auditWork, comparisonSlots)];
/** Runs and automations as well: their steps ask bridges and carriers. */
const outboundWorks = [
  leased(runWork, runSlots),
  leased(automationWork, automationSlots),
  leased(pickupWork, slots),
  leased(labelWork, slots),
  leased(manifestWork, slots),
  leased(trackingWork, slots),
  leased(mailWork, mailSlots),
];
export const leasedWorks = [...localWorks, ...outboundWorks];

export function startLocalWork(world: World): Worker[] {
  return localWorks.map(({ start }) => start(world));
}

export function startOutboundWork(world: World): Worker[] {
  return outboundWorks.map(({ start }) => start(world));
}

/** Only when no other process can be at work on this database: what a killed one held is taken up at once. */
export async function freeLeasedWork({ db }: World): Promise<void> {
  const works = [...leasedWorks, { leases: deliveryLeases }];
  await Promise.all(works.map(({ leases }) => leases.endAllAcrossOrgs(db)));
}
