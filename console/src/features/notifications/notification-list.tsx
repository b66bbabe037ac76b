import { useMutation, useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { useRefetchOn } from "../../live/event-feed.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useMe } from "../../live/me.ts";
import { Button } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Link } from "../../ui/link.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { Time } from "../../ui/zone.tsx";
import type { Notification } from "./notifications.queries.ts";
import { notificationsQuery } from "./notifications.queries.ts";

const hrefs: Partial<Record<string, (id: string) => string>> = {
  operation_run: (id) => paths.run(id),
  automation: (id) => paths.automation(id),
  exception: (id) => paths.exceptions({ open: id }),
  bridge: (id) => paths.bridge(id),
};

/** Kinds that are newer than this page lead to the overview. */
const hrefOf = ({ subject }: Notification): string => hrefs[subject.type]?.(subject.id) ?? paths.overview();

/** The latest notifications, each leading to what it is about. */
export function NotificationList({ onClose }: { onClose(): void }) {
  const { data, error } = useQuery(notificationsQuery);
  useRefetchOn("notification.created", ["notifications"], useMe().scopes.includes("events:read"));
  const read = useMutation({
    mutationFn: (ids?: string[]) => hub.call("POST /api/v1/notifications/mark-read", { body: ids ? { ids } : {} }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["notifications"] }),
  });
  const rows = data?.data;
  const hasUnread = rows?.some(({ readAt }) => readAt === null) ?? false;
  return (
    <div className="-m-1 flex flex-col gap-1.5">
      <div className="flex min-h-7 items-center justify-between gap-2 px-1">
        <h2 className="font-semibold">Notifications</h2>
        {hasUnread && (
          <Button kind="quiet" isBusy={read.isPending} onClick={() => read.mutate(undefined)}>
            Mark all as read
          </Button>
        )}
      </div>
      {(error ?? read.error) && <ProblemBox error={error ?? read.error} />}
      {!data && !error && <Skeleton rows={3} />}
      {rows?.length === 0 && (
        <p className="px-1 text-muted">
          No notifications. Failed runs, mentions and exceptions assigned to you appear here.
        </p>
      )}
      {rows && rows.length > 0 && (
        <ul className="flex max-h-96 flex-col overflow-y-auto">
          {rows.map((one) => (
            <li key={one.id}>
              <Link
                href={hrefOf(one)}
                onClick={() => {
                  if (one.readAt === null) read.mutate([one.id]);
                  onClose();
                }}
                className="flex gap-2 rounded-md px-1 py-1.5 hover:bg-bg"
              >
                <span
                  className={cx(
                    "mt-1.5 size-1.5 shrink-0 rounded-full",
                    one.readAt === null ? "bg-accent" : "invisible",
                  )}
                />
                <span className="min-w-0">
                  {one.readAt === null && <span className="sr-only">Unread: </span>}
                  <span className={cx("block", one.readAt === null && "font-medium")}>{one.title}</span>
                  {one.detail && <span className="block truncate text-sm text-muted">{one.detail}</span>}
                  <span className="block text-sm text-muted">
                    <Time at={one.createdAt} />
                  </span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      <Link
        href={paths.account()}
        onClick={onClose}
        className="border-t border-line px-1 pt-1.5 text-accent-text underline underline-offset-2"
      >
        Choose notifications
      </Link>
    </div>
  );
}
