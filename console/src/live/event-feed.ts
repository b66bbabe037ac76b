import type { Event } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useEffect, useRef, useState } from "react";
import { hub, queryClient } from "./hub.ts";
import { useWatch } from "./watch.ts";

const maxShown = 200;
const pauseMs = 500;

/**
 * Live events of these types, or of all. One stream, open only while the page is visible. A broken stream resumes after the last
 * event, so that none is missed.
 */
function useEvents(
  key: string | undefined,
  types: string | undefined,
  onEvent: (event: Event) => void,
  onOpen?: () => void,
): void {
  const after = useRef<string>(undefined);
  useWatch(
    key,
    async function* (signal) {
      const query = types === undefined ? {} : { types };
      const from = after.current === undefined ? {} : { after: after.current };
      try {
        for await (const message of hub.stream("GET /api/v1/events/stream", { query, signal, ...from })) {
          // The first block only carries the start position.
          if (after.current === undefined) onOpen?.();
          after.current = message.id ?? after.current;
          if (message.data) yield { event: message.event, data: message.data };
        }
      } catch (error) {
        // The cursor is unknown, for example after a restore: start at the present.
        if (error instanceof HubApiError && error.code.startsWith("cursor_")) after.current = undefined;
        throw error;
      }
    },
    (state) => onEvent(state as Event),
  );
}

/** Live events of the organization, newest first; undefined until the stream is open. */
export function useEventFeed(isOn: boolean): readonly Event[] | undefined {
  const [events, setEvents] = useState<readonly Event[]>();
  const add = (event: Event): void =>
    setEvents((known = []) => (known.some(({ id }) => id === event.id) ? known : [event, ...known].slice(0, maxShown)));
  useEvents(isOn ? "events" : undefined, undefined, add, () => setEvents((known = []) => known));
  return events;
}

/** Refetches queries when events of these types occur; bursts cause one refetch. */
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
