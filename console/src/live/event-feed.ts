import type { Event } from "@order-operations-hub/sdk/api-types";
import { useEffect, useRef, useState } from "react";
import { hub, queryClient } from "./hub.ts";
import { useWatch } from "./watch.ts";

const maxShown = 200;
const pauseMs = 500;

/** What happens from now on, of these types or of all; nothing without a key. One stream, only while somebody looks. */
function useEvents(key: string | undefined, types: string | undefined, onEvent: (event: Event) => void): void {
  useWatch(
    key,
    async function* (signal) {
      const query = types === undefined ? {} : { types };
      for await (const message of hub.stream("GET /api/v1/events/stream", { query, signal })) {
        if (message.data) yield { event: message.event, data: message.data };
      }
    },
    (state) => onEvent(state as Event),
  );
}

/** What happens in the organization from now on, newest first. */
export function useEventFeed(isOn: boolean): readonly Event[] {
  const [events, setEvents] = useState<readonly Event[]>([]);
  useEvents(isOn ? "events" : undefined, undefined, (event) =>
    setEvents((known) => (known.some(({ id }) => id === event.id) ? known : [event, ...known].slice(0, maxShown))),
  );
  return events;
}

/** Asks again for what is shown whenever something of these types happens; many at once are one reason. */
export function useRefetchOn(types: string, queryKey: readonly unknown[], isOn: boolean): void {
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(waiting.current), []);
  useEvents(isOn ? types : undefined, types, () => {
    waiting.current ??= setTimeout(() => {
      waiting.current = undefined;
      void queryClient.invalidateQueries({ queryKey });
    }, pauseMs);
  });
}
