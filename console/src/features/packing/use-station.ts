import type { PackingSession } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { hub, queryClient } from "../../live/hub.ts";
import { oneOf, useSearchParams } from "../../ui/search-params.ts";
import { useClock } from "../../ui/zone.tsx";
import type { PackagePatch, PackItem, ScanAnswer } from "./packing.queries.ts";
import { keepSession, sessionQuery } from "./packing.queries.ts";
import { nameOf } from "./packing.text.ts";
import type { Alarm } from "./scan-alarm.ts";
import { messageOf, scanAlarm } from "./scan-alarm.ts";
import { playSound } from "./sounds.ts";
import type { StationSettings } from "./station-settings.ts";

export type Station = ReturnType<typeof useStation>;
type Sound = (name: Parameters<typeof playSound>[0]) => void;

/** Requests of the station, one after the other as they were scanned, and what came of the last one. */
function useAttempts(sound: Sound) {
  const [alarm, setAlarm] = useState<Alarm>();
  const [last, setLast] = useState<{ text: string; lineId?: string }>();
  const queue = useRef(Promise.resolve());
  const attempt = (work: () => Promise<void>, alarmOf: (error: unknown) => Alarm): Promise<void> => {
    const next = queue.current.then(async () => {
      try {
        await work();
        setAlarm(undefined);
      } catch (failure) {
        sound("wrong");
        setLast(undefined);
        setAlarm(alarmOf(failure));
      }
    });
    queue.current = next;
    return next;
  };
  return { alarm, last, setLast, attempt, dismiss: () => setAlarm(undefined) };
}

/** The session of the address. `finishedId`: finished on this page, so its label is printed at once; not again after a reload. */
function useSession() {
  const { search, set } = useSearchParams();
  const id = oneOf(search["session"]);
  const { data: session, error } = useQuery(sessionQuery(id));
  const [finishedId, setFinishedId] = useState<string>();
  const showId = (next: string | undefined): void => {
    if (next !== id) set({ session: next }, "replace");
  };
  return { session, error, showId, finishedId, setFinishedId };
}

export function useStation(settings: StationSettings) {
  const clock = useClock();
  const { session, error, showId, finishedId, setFinishedId } = useSession();
  const sound: Sound = (name) => {
    if (!settings.isMuted) playSound(name);
  };
  const { alarm, last, setLast, attempt, dismiss } = useAttempts(sound);
  // A scan follows the one before it at once, and knows the session that it has opened or ended.
  const opened = useRef<{ id: string | undefined }>(undefined);
  const current = session?.status === "open" ? session : undefined;
  const openId = (): string | undefined => (opened.current ? opened.current.id : current?.id);

  const show = (next: PackingSession | undefined): void => {
    if (next) keepSession(next);
    opened.current = { id: next?.status === "open" ? next.id : undefined };
    showId(next?.id);
  };
  const change = (title: string, work: (id: string) => Promise<PackingSession>): Promise<void> =>
    attempt(
      async () => {
        const id = openId();
        if (id !== undefined) show(await work(id));
      },
      (failure) => ({ title, text: messageOf(failure) }),
    );
  const finish = async (id: string): Promise<void> => {
    setFinishedId(id);
    show(
      await hub.call("POST /api/v1/packing/sessions/{id}/confirm", {
        path: { id },
        body: { buyLabel: settings.buysLabel },
      }),
    );
    sound("done");
    void queryClient.invalidateQueries({ queryKey: ["packing", "stats"] });
    void queryClient.invalidateQueries({ queryKey: ["packing", "queue"] });
  };
  const taken = async (answer: ScanAnswer): Promise<void> => {
    show(answer.session);
    const item = answer.session.items.find(({ lineId }) => lineId === answer.lineId);
    if (!item) {
      setLast({ text: `${answer.session.orderNumber} opened` });
      sound("right");
      return;
    }
    setLast({ text: `${nameOf(item)}, ${item.packed} of ${item.needed}`, lineId: item.lineId });
    if (answer.session.isComplete) await finish(answer.session.id);
    else sound("right");
  };

  return {
    session,
    sessionError: error,
    finishedId,
    alarm,
    last,
    dismiss,
    scan: (code: string, takeOver = false): Promise<void> =>
      attempt(
        async () => {
          const id = openId();
          const body = { code, station: settings.name, ...(id && { sessionId: id }), ...(takeOver && { takeOver }) };
          await taken(await hub.call("POST /api/v1/packing/scans", { body }));
        },
        (failure) =>
          scanAlarm(failure, code, queryClient.getQueryData(sessionQuery(openId()).queryKey), last?.lineId, clock),
      ),
    finish: (): Promise<void> =>
      attempt(
        async () => {
          if (session) await finish(session.id);
        },
        (failure) => ({ title: "The order could not be finished", text: messageOf(failure) }),
      ),
    countByHand: ({ lineId }: PackItem): Promise<void> =>
      attempt(
        async () => {
          const id = openId();
          if (id === undefined) return;
          const path = { id };
          const next = await hub.call("POST /api/v1/packing/sessions/{id}/items", { path, body: { lineId } });
          await taken({ outcome: "counted", lineId, session: next });
        },
        (failure) => ({ title: "The item was not counted", text: messageOf(failure) }),
      ),
    undo: (): Promise<void> =>
      change("The scan was not undone", async (id) => {
        const next = await hub.call("POST /api/v1/packing/sessions/{id}/undo", { path: { id } });
        setLast({ text: "Last scan undone" });
        return next;
      }),
    setPackage: (body: PackagePatch): Promise<void> =>
      change("The package was not saved", (id) =>
        hub.call("PATCH /api/v1/packing/sessions/{id}", { path: { id }, body }),
      ),
    hold: (missing: PackItem | undefined): Promise<void> =>
      attempt(
        async () => {
          if (!current) return;
          const hold = missing
            ? { reason: "inventory_out_of_stock" as const, note: missingNote(missing) }
            : { reason: "operator" as const, note: `Held at ${settings.name}` };
          await hub.call("POST /api/v1/packing/sessions/{id}/cancel", { path: { id: current.id }, body: { hold } });
          show(undefined);
          setLast({ text: `${current.orderNumber} is on hold${missing ? ": stock" : ""}` });
          void queryClient.invalidateQueries({ queryKey: ["packing", "queue"] });
        },
        (failure) => ({ title: "The order was not put on hold", text: messageOf(failure) }),
      ),
  };
}

function missingNote(item: PackItem): string {
  return `Missing at the packing station: ${item.needed - item.packed} × ${item.sku}`;
}
