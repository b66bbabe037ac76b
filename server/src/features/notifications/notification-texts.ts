import type { Notification, NotificationKind } from "./notifications.schemas.ts";
import type { NotificationRow } from "./notifications.store.ts";

export function presentNotification(row: NotificationRow): Notification {
  const { id, kind, objectType, objectId, data, createdAt, readAt } = row;
  return {
    id,
    kind,
    title: titleOf(row),
    detail: data.detail ?? null,
    subject: { type: objectType, id: objectId },
    createdAt: createdAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  };
}

const titles: Record<NotificationKind, (data: NotificationRow["data"]) => string> = {
  run_failed: ({ failed = 0, total = 0 }) => `Run failed for ${failed} of ${total} orders`,
  automation_paused: ({ name = "" }) => `Automation ${name} was paused`,
  exception_assigned: ({ by = "" }) => `${by} assigned an exception to you`,
  mention: ({ by = "" }) => `${by} mentioned you in a comment`,
  connection_failing: ({ name = "" }) => `Connection ${name} is failing`,
};

const titleOf = ({ kind, data }: NotificationRow): string => titles[kind](data);

const pathOf = {
  operation_run: (id: string) => `/operations/runs/${id}`,
  automation: (id: string) => `/operations/automations/${id}`,
  exception: (id: string) => `/exceptions?open=${id}`,
  bridge: (id: string) => `/bridges/${id}`,
};

/** Longer digests end with the number of the others. */
const maxInMail = 20;

/** One e-mail for all that is new to a user. */
export function digestText(rows: NotificationRow[], origin: string): { subject: string; text: string } {
  const shown = rows.slice(0, maxInMail).map((row) => {
    const { title, detail, subject } = presentNotification(row);
    return [title, detail, `${origin}${pathOf[subject.type](subject.id)}`].filter((line) => line !== null).join("\n");
  });
  const left = rows.length - shown.length;
  const subject = rows.length === 1 ? titleOf(rows[0]!) : `${rows.length} notifications`;
  const ending = `You choose what is sent to you in the console: ${origin}/settings/account`;
  return { subject, text: `${[...shown, ...(left > 0 ? [`And ${left} more.`] : []), ending].join("\n\n")}\n` };
}
