import type { Ctx, World } from "./context.ts";
import { perWorld } from "./context.ts";
import { HubError } from "./core/errors.ts";
import { Live } from "./route.ts";

export const watchText =
  "Each message has the record as `data`; the last one has the event name `end`. At most four messages per second. After a " +
  "reconnect the stream starts with the current record. It ends when the token expires; 10 streams per caller, 100 per organization.";

/** Minimum interval between two reads of a watched record, and between two progress signals. */
const minIntervalMs = 250;
/** Signals can be lost, so records are also polled. */
const pollMs = 2_000;
const keepAliveMs = 15_000;

type Notify = (isEnd: boolean) => void;

/** Waiting streams by subject: an organization or a record. */
const watchers = perWorld((world) => {
  const waiting = new Map<string, Set<Notify>>();
  const notifyAll = (subject: string, isEnd: boolean): void => waiting.get(subject)?.forEach((notify) => notify(isEnd));
  world.signals.subscribe("progress", (id) => notifyAll(id, false));
  world.signals.subscribe("record_ended", (id) => notifyAll(id, true));
  // The end of a record is also an event.
  world.signals.subscribe("events", (orgId) => notifyAll(orgId, false));
  return waiting;
});

type Watched<T> = { id: string; read(): Promise<T>; hasEnded(record: T): boolean };

/** Streams a record whenever it changes, until it has ended. Throws before the stream starts if there is no such record. */
export async function watchRecord<T>(ctx: Ctx, { id, read, hasEnded }: Watched<T>): Promise<Live> {
  let record = await read();
  return new Live(async (reader) => {
    const changes = waitFor(ctx, [id, ctx.orgId], reader.ended);
    let sent = "";
    let sentAt = performance.now();
    try {
      while (!reader.ended.aborted) {
        const text = reader.toText(record);
        if (hasEnded(record)) return reader.push(`event: end\ndata: ${text}\n\n`);
        const isKeepAliveDue = performance.now() - sentAt >= keepAliveMs;
        if (text !== sent || isKeepAliveDue) {
          reader.push(text === sent ? ":\n\n" : `data: ${text}\n\n`);
          sentAt = performance.now();
          sent = text;
        }
        await changes.next();
        if (!reader.ended.aborted) record = await read();
      }
    } catch (error) {
      // The record was deleted in the meantime.
      if (!(error instanceof HubError) || error.status !== 404) throw error;
    } finally {
      changes.stop();
    }
  });
}

function waitFor(ctx: Ctx, subjects: string[], ended: AbortSignal) {
  const waiting = watchers(ctx);
  let [hasChanged, hasEnded] = [false, false];
  let wake = (): void => {};
  const notify: Notify = (isEnd) => {
    hasChanged = true;
    hasEnded ||= isEnd;
    wake();
  };
  const onAbort = (): void => notify(true);
  const until = async (isMet: () => boolean, maxMs: number): Promise<void> => {
    if (isMet() || maxMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    wake = () => isMet() && resolve();
    await promise;
    clearTimeout(timer);
  };
  ended.addEventListener("abort", onAbort);
  for (const subject of subjects) waiting.getOrInsertComputed(subject, () => new Set()).add(notify);
  return {
    /** Resolves at the next change, or at once if there was one since the last call. An end skips the minimum interval. */
    async next(): Promise<void> {
      const startedAt = performance.now();
      await until(() => hasChanged, pollMs);
      await until(() => hasEnded, minIntervalMs - (performance.now() - startedAt));
      [hasChanged, hasEnded] = [false, false];
    },
    stop(): void {
      ended.removeEventListener("abort", onAbort);
      for (const subject of subjects) {
        const others = waiting.get(subject);
        others?.delete(notify);
        if (others?.size === 0) waiting.delete(subject);
      }
    },
  };
}

/** Notifies streams of the record's end at once. */
export function hintEnd(world: World, id: string): void {
  world.signals.hint("record_ended", id);
}

const recentHints = perWorld(() => new Map<string, { isDue: boolean }>());

/** Notifies all nodes of progress, at most once per `minIntervalMs`. */
export function hintProgress(world: World, id: string): void {
  const recent = recentHints(world);
  const last = recent.get(id);
  if (last) {
    last.isDue = true;
    return;
  }
  world.signals.hint("progress", id);
  const next = { isDue: false };
  recent.set(id, next);
  setTimeout(() => {
    recent.delete(id);
    if (next.isDue) hintProgress(world, id);
  }, minIntervalMs).unref();
}
