import type { Ctx, World } from "./context.ts";
import { perWorld } from "./context.ts";
import { HubError } from "./core/errors.ts";
import { Live } from "./route.ts";

export const watchText =
  "Each message has the record as `data`; the last one is called `end`. At most four a second, and the end. Nothing is kept of it: whoever " +
  "comes again gets the record as it is then. It ends with the token; 10 streams a caller, 100 an organization.";

/** So often at most is a record read again for somebody who watches it, and its progress told to other nodes. */
const leastMs = 250;
/** Signals may be lost. */
const lookMs = 2_000;
const stillHereMs = 15_000;

type Tell = (isEnd: boolean) => void;

/** Those who wait for something of an organization, or for a certain record. */
const watchers = perWorld((world) => {
  const waiting = new Map<string, Set<Tell>>();
  const tellAll = (subject: string, isEnd: boolean): void => waiting.get(subject)?.forEach((tell) => tell(isEnd));
  world.signals.subscribe("progress", (id) => tellAll(id, false));
  world.signals.subscribe("record_ended", (id) => tellAll(id, true));
  // Ends are events.
  world.signals.subscribe("events", (orgId) => tellAll(orgId, false));
  return waiting;
});

type Watched<T> = { id: string; read(): Promise<T>; hasEnded(record: T): boolean };

/** The record as it is, whenever it changes, until it ends: the last one is called `end`. What is not there is refused before. */
export async function watchRecord<T>(ctx: Ctx, { id, read, hasEnded }: Watched<T>): Promise<Live> {
  let record = await read();
  return new Live(async (reader) => {
    const news = waitFor(ctx, [id, ctx.orgId], reader.ended);
    let said = "";
    let saidAt = performance.now();
    try {
      while (!reader.ended.aborted) {
        const text = reader.toText(record);
        if (hasEnded(record)) return reader.push(`event: end\ndata: ${text}\n\n`);
        const isQuiet = performance.now() - saidAt >= stillHereMs;
        if (text !== said || isQuiet) {
          reader.push(text === said ? ":\n\n" : `data: ${text}\n\n`);
          saidAt = performance.now();
          said = text;
        }
        await news.next();
        if (!reader.ended.aborted) record = await read();
      }
    } catch (error) {
      // Deleted meanwhile: there is nothing more to tell.
      if (!(error instanceof HubError) || error.status !== 404) throw error;
    } finally {
      news.stop();
    }
  });
}

function waitFor(ctx: Ctx, subjects: string[], ended: AbortSignal) {
  const waiting = watchers(ctx);
  let [isNew, isOver] = [false, false];
  let wake = (): void => {};
  const tell: Tell = (isEnd) => {
    isNew = true;
    isOver ||= isEnd;
    wake();
  };
  const onAbort = (): void => tell(true);
  const until = async (isSo: () => boolean, maxMs: number): Promise<void> => {
    if (isSo() || maxMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, maxMs);
    wake = () => isSo() && resolve();
    await promise;
    clearTimeout(timer);
  };
  ended.addEventListener("abort", onAbort);
  for (const subject of subjects) waiting.getOrInsertComputed(subject, () => new Set()).add(tell);
  return {
    /** What came since the last time counts. An end need not wait: nothing comes after it. */
    async next(): Promise<void> {
      const askedAt = performance.now();
      await until(() => isNew, lookMs);
      await until(() => isOver, leastMs - (performance.now() - askedAt));
      [isNew, isOver] = [false, false];
    },
    stop(): void {
      ended.removeEventListener("abort", onAbort);
      for (const subject of subjects) {
        const others = waiting.get(subject);
        others?.delete(tell);
        if (others?.size === 0) waiting.delete(subject);
      }
    },
  };
}

/** Those who watch this record learn of its end at once. */
export function hintEnd(world: World, id: string): void {
  world.signals.hint("record_ended", id);
}

const hinted = perWorld(() => new Map<string, { isDue: boolean }>());

/** Something of this record has gone on. Told to all nodes, but no more often than anybody looks. */
export function hintProgress(world: World, id: string): void {
  const recent = hinted(world);
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
  }, leastMs).unref();
}
