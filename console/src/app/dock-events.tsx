import { useEventFeed } from "../live/event-feed.ts";
import { missingScope, useMe } from "../live/me.ts";
import { Empty } from "../ui/card.tsx";
import { Time } from "../ui/zone.tsx";

export function DockEvents() {
  const missing = missingScope(useMe(), "events:read");
  const events = useEventFeed(missing === undefined);
  if (missing) return <Empty text={missing} />;
  if (!events) return <Empty text="Listening for events…" />;
  if (events.length === 0)
    return <Empty text="No events since the panel was opened. New events appear here as they happen." />;
  return (
    <ul className="text-sm">
      {events.map((event) => (
        <li key={event.id} className="flex min-h-6 items-center gap-3 border-b border-line px-3">
          <span className="w-32 shrink-0 text-faint">
            <Time at={event.time} withSeconds />
          </span>
          <code className="w-48 shrink-0 truncate font-mono">{event.type}</code>
          <span className="truncate text-muted">{event.subject}</span>
        </li>
      ))}
    </ul>
  );
}
