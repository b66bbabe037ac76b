import { composeMail, messageIdOf } from "../../connectors/smtp/compose-mail.ts";
import { deliver } from "../../connectors/smtp/smtp-session.ts";
import { resolveBySystem, safeAddresses } from "../../core/outbound/outbound-guard.ts";
import type { MailServer } from "../../core/mail-server.ts";
import { RemoteError } from "../../core/remote-error.ts";
import type { World } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import type { WorkKind } from "../../queue/work.ts";
import type { MailRow } from "./mails.store.ts";
import * as store from "./mails.store.ts";

/** A mail of the hub itself. Mails of an organization to its customers are tasks of a bridge. */
export type HubMail = { orgId: string; to: string; subject: string; text: string };

/** The preview sends no mail. Links in mails need the public address of the hub besides. */
export function canMailLinks({ environment, settings }: Pick<World, "environment" | "settings">): boolean {
  return environment === "live" && settings.outbound.mailServer !== undefined && originOf(settings) !== undefined;
}

export const originOf = ({ publicUrls }: World["settings"]): string | undefined => publicUrls?.[0];

const contextOf = (orgId: string, id: string): string => `mail:${orgId}:${id}`;

/** Call in the transaction of the change that the mail is about: both are committed, or neither. */
export async function queueMails(
  tx: Tx,
  world: Pick<World, "newId" | "secrets" | "signals">,
  mails: HubMail[],
): Promise<void> {
  if (mails.length === 0) return;
  const rows = mails.map(({ orgId, ...mail }) => {
    const id = world.newId();
    return { id, org_id: orgId, sealed: world.secrets.seal(JSON.stringify(mail), contextOf(orgId, id)) };
  });
  store.insertMails(tx, rows);
  await world.signals.publish(tx, "mail_queued", "");
}

/** Servers that defer unknown senders accept them after some minutes: retries go on for half an hour. */
const maxAttempts = 35;

export const mailWork: WorkKind<World, MailRow> = {
  name: "mails",
  leases: store.mailLeases,
  wakeOn: ["mail_queued"],
  pollIntervalMs: 60_000,
  maxAttempts,
  async run(world, row, { signal }) {
    const { mailServer } = world.settings.outbound;
    if (!mailServer || world.environment !== "live") {
      world.log.warn({ mailId: row.id }, "a mail was dropped: the hub has no mail server");
    } else {
      await send(world, mailServer, row, signal);
    }
    await store.deleteMailAcrossOrgs(world.db, row.id);
    return "done";
  },
  /** The recipient asks for another link; the log says why none came. */
  async giveUp(world, row) {
    await store.deleteMailAcrossOrgs(world.db, row.id);
  },
};

async function send(world: World, server: MailServer, row: MailRow, signal: AbortSignal): Promise<void> {
  const mail = JSON.parse(world.secrets.open(row.sealed, contextOf(row.org_id, row.id))) as Omit<HubMail, "orgId">;
  const message = await composeMail({
    from: { name: "Order Operations Hub", address: server.from },
    to: [mail.to],
    subject: mail.subject,
    text: mail.text,
    messageId: messageIdOf(row.id, server.from),
    date: row.created_at,
  });
  // The operator of the hub chose this host, so private addresses are allowed.
  const [address] = await safeAddresses(server.host, true, resolveBySystem);
  try {
    const envelope = { from: server.from, to: [mail.to] };
    await deliver(server, address!, { envelope, message, signal });
  } catch (error) {
    if (!(error instanceof RemoteError) || error.retryable || error.code !== "rejected") throw error;
    world.log.warn({ mailId: row.id, err: error }, "the mail server refused a mail for good");
  }
}
