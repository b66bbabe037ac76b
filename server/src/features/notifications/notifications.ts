import { HubError } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEventsAcrossOrgs } from "../../events/record-event.ts";
import { canMailLinks, originOf, queueMails } from "../mails/mails.ts";
import * as making from "./make-notifications.store.ts";
import { digestText, presentNotification } from "./notification-texts.ts";
import type {
  Channels,
  Notification,
  NotificationKind,
  NotificationQuery,
  NotificationSettings,
  ReadRequest,
  SettingsRequest,
} from "./notifications.schemas.ts";
import * as store from "./notifications.store.ts";

const dayMs = 86_400_000;
const keptMs = 60 * dayMs;
const oneMailPerMs = 10 * 60_000;

/** What concerns one person comes by e-mail, too; what fails often is for those who look. */
const defaults: Record<NotificationKind, Channels> = {
  run_failed: { console: true, email: false },
  automation_paused: { console: true, email: true },
  exception_assigned: { console: true, email: true },
  mention: { console: true, email: true },
  connection_failing: { console: true, email: false },
};

export async function listNotifications(ctx: Ctx, query: NotificationQuery): Promise<Page<Notification>> {
  return mapPage(await store.listNotifications(ctx.db, ctx.orgId, ownId(ctx), query), presentNotification);
}

export async function countUnread(ctx: Ctx): Promise<{ unread: number }> {
  return { unread: await store.countUnread(ctx.db, ctx.orgId, ownId(ctx)) };
}

/** Records no event: what a user has read is private to them. */
export async function markRead(ctx: Ctx, { ids }: ReadRequest): Promise<{ read: number }> {
  return await change(ctx, async (tx) => ({
    read: await store.markRead(tx, ctx.orgId, ownId(ctx), { ids, at: ctx.clock.now() }),
  }));
}

export async function getSettings(ctx: Ctx): Promise<NotificationSettings> {
  const kinds = { ...defaults, ...(await store.findSettings(ctx.db, ctx.orgId, ownId(ctx))) };
  return { kinds, canEmail: canMailLinks(ctx) };
}

export async function replaceSettings(ctx: Ctx, { kinds }: SettingsRequest): Promise<NotificationSettings> {
  return await change(ctx, async (tx) => {
    await store.saveSettings(tx, ctx.orgId, ownId(ctx), kinds);
    return { kinds, canEmail: canMailLinks(ctx) };
  });
}

function ownId({ actor }: Ctx): string {
  if (actor.type === "user") return actor.id;
  throw new HubError("invalid_state", "API keys have no notifications; sign in as a user.");
}

/**
 * Background work: notifications of the events since the last pass, and one event that tells open consoles to look. By the clock, not
 * by the signal of each event: under load every pass would write the cursor.
 */
export async function makeNotifications(world: World, stopping?: AbortSignal): Promise<void> {
  if (!(await making.isAnyBehindAcrossOrgs(world.db))) return;
  await making.addCursorsAcrossOrgs(world.db);
  while (!stopping?.aborted && (await makeSome(world)) > 0);
}

const maxNamed = 200;

async function makeSome(world: World): Promise<number> {
  return await world.db.transaction(async (tx) => {
    const behind = await making.lockBehindAcrossOrgs(tx);
    if (behind.length === 0) return 0;
    const at = world.clock.now();
    const made = await making.makeAcrossOrgs(tx, behind, { defaults, canMail: canMailLinks(world), at });
    recordEventsAcrossOrgs(
      tx,
      world,
      [...Map.groupBy(made, ({ orgId }) => orgId)].map(([orgId, rows]) => ({
        type: "notification.created" as const,
        objectId: rows[0]!.id,
        data: { count: rows.length, userIds: [...new Set(rows.map(({ userId }) => userId))].slice(0, maxNamed) },
        orgId,
        actor: { type: "system" as const, name: "notifications" },
        requestId: "system:notifications",
      })),
    );
    return behind.length;
  });
}

/** Background work: at most one e-mail in ten minutes for each user. */
export async function mailDigests(world: World): Promise<void> {
  const origin = originOf(world.settings);
  if (!canMailLinks(world) || origin === undefined) return;
  const at = world.clock.real();
  await world.db.transaction(async (tx) => {
    const due = await store.takeDueMailsAcrossOrgs(tx, new Date(at.getTime() - oneMailPerMs), at);
    const digests = [...Map.groupBy(due, ({ userId }) => userId).values()];
    await queueMails(
      tx,
      world,
      digests.map((rows) => ({ orgId: rows[0]!.orgId, to: rows[0]!.email, ...digestText(rows, origin) })),
    );
  });
}

export async function removeOldNotifications({ db, clock }: World, stopping?: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMs);
  while (!stopping?.aborted && (await store.deleteOldAcrossOrgs(db, before)) > 0);
}
