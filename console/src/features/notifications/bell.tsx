import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useMe } from "../../live/me.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { plural } from "../../ui/format.ts";
import { Icon } from "../../ui/icons.tsx";
import { Popover } from "../../ui/popover.tsx";
import { unreadQuery } from "./notifications.queries.ts";
import { loadPart } from "../../ui/load-part.ts";

const NotificationList = lazy(
  loadPart(async () => ({
    default: (await import("./notification-list.tsx")).NotificationList,
  })),
);

const maxShown = 99;

/** Bell of the header with the number of unread notifications. Load it lazily: it is not part of the first paint. */
export function Bell() {
  const me = useMe();
  const { data } = useQuery({ ...unreadQuery, enabled: me.actor.type === "user" });
  const unread = data?.unread ?? 0;
  return (
    <Popover
      title="Notifications"
      triggerClass={buttonClass("quiet", "relative")}
      triggerLabel={unread === 0 ? "Notifications" : `Notifications, ${plural(unread, "unread", "unread")}`}
      trigger={
        <>
          <Icon name="bell" />
          {unread > 0 && (
            <span className="absolute -end-0.5 -top-0.5 min-w-4 rounded-full bg-bad px-1 text-center text-[10px] leading-4 font-semibold text-panel">
              {unread > maxShown ? `${maxShown}+` : unread}
            </span>
          )}
        </>
      }
    >
      {(close) => (
        <Suspense fallback={<Skeleton rows={3} />}>
          <NotificationList onClose={close} />
        </Suspense>
      )}
    </Popover>
  );
}
