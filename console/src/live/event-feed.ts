import type { Event } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { hub } from "./hub.ts";
import { useWatch } from "./watch.ts";

const maxShown = 200;

/** What happens in the organization from now on, newest first. One stream a tab, only while somebody looks. */
export function useEventFeed(isOn: boolean): readonly Event[] {
  const [events, setEvents] = useState<readonly Event[]>([]);
  useWatch(
    isOn ? "events" : undefined,
    async function* (signal) {
      for await (const message of hub.stream("GET /api/v1/events/stream", { query: {}, signal })) {
        if (message.data) yield { event: message.event, data: message.data };
      }
    },
    (state) => {
      const event = state as Event;
      setEvents((known) => (known.some(({ id }) => id === event.id) ? known : [event, ...known].slice(0, maxShown)));
    },
  );
  return events;
}
