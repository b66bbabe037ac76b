import { appendFileSync } from "node:fs";
import type { Send } from "./chaos-client.ts";
import type { Summary } from "./journal.ts";

export type SeenRun = {
  id: string;
  status: string;
  summary: Summary;
  results?: { steps: { status: string; carried_over?: boolean; created_order_ids?: string[] }[] }[];
};

/** An observed state of a run with request and response time: overlapping requests have no order. */
export type Observation = { runId: string; status: string; done: number; sentAt: number; at: number };

export type Watcher = {
  saw(run: SeenRun, sentAt: number, at: number): void;
  struck(at: number): void;
  /** Runs without progress since a kill interrupted them. */
  interrupted(): number;
  observations(): Observation[];
  /** Milliseconds from a kill until any run made progress, and until an interrupted run did. */
  recoveries(): { any: number[]; interrupted: number[] };
  /** Polls the newest runs until `isOver`. */
  watch(send: Send, isOver: () => boolean): Promise<void>;
};

const finalStates = ["succeeded", "partially_failed", "failed", "cancelled"];
export const isFinal = (status: string): boolean => finalStates.includes(status);

export function createWatcher(file: string): Watcher {
  const observations: Observation[] = [];
  const latest = new Map<string, Observation>();
  const interruptedAt = new Map<string, number>();
  const recoveries = { any: [] as number[], interrupted: [] as number[] };
  let struckAt: number | undefined;

  function noteProgress(runId: string, at: number): void {
    if (struckAt !== undefined) recoveries.any.push(at - struckAt);
    struckAt = undefined;
    const since = interruptedAt.get(runId);
    if (since !== undefined) recoveries.interrupted.push(at - since);
    interruptedAt.delete(runId);
  }

  function saw(run: SeenRun, sentAt: number, at: number): void {
    const { succeeded, failed, skipped } = run.summary;
    const now: Observation = { runId: run.id, status: run.status, done: succeeded + failed + skipped, sentAt, at };
    observations.push(now);
    const before = latest.get(run.id);
    const isNews = !before || before.status !== now.status || before.done !== now.done;
    if (isNews) appendFileSync(file, `${JSON.stringify(now)}\n`);
    if (before && (now.sentAt < before.at || isFinal(before.status))) return;
    latest.set(run.id, now);
    const isProgress = now.done > (before?.done ?? 0) || (isFinal(now.status) && !isFinal(before?.status ?? ""));
    if (isProgress && sentAt > (struckAt ?? 0)) noteProgress(run.id, at);
  }

  return {
    saw,
    struck(at) {
      struckAt ??= at;
      for (const { runId, status } of latest.values()) {
        if (status === "running" && !interruptedAt.has(runId)) interruptedAt.set(runId, at);
      }
    },
    interrupted: () => interruptedAt.size,
    observations: () => observations,
    recoveries: () => recoveries,
    async watch(send, isOver) {
      while (!isOver()) {
        const reply = await send({ method: "GET", path: "/operations/runs?limit=20" });
        if (reply.kind === "answer" && reply.status === 200) {
          for (const run of reply.body.data as SeenRun[]) saw(run, reply.sentAt, reply.at);
        }
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    },
  };
}

const ranks: Record<string, number> = { queued: 0, running: 1 };
const rankOf = (status: string): number => ranks[status] ?? 2;

/** Pairs of non-overlapping observations that violate the state table. */
export function findIllegalTransitions(observations: readonly Observation[]): string[] {
  const found: string[] = [];
  const byRun = Map.groupBy(observations, ({ runId }) => runId);
  for (const [runId, seen] of byRun) {
    const byArrival = seen.toSorted((a, b) => a.at - b.at);
    let highest: Observation | undefined;
    let known = 0;
    for (const later of seen.toSorted((a, b) => a.sentAt - b.sentAt)) {
      for (; known < byArrival.length && byArrival[known]!.at <= later.sentAt; known++) {
        const candidate = byArrival[known]!;
        if (!highest || rankOf(candidate.status) >= rankOf(highest.status)) highest = candidate;
      }
      if (!highest) continue;
      const goesBack = rankOf(later.status) < rankOf(highest.status) || later.done < highest.done;
      const changesEnd = isFinal(highest.status) && later.status !== highest.status;
      if (goesBack || changesEnd) {
        found.push(`${runId}: ${highest.status} (${highest.done} done) -> ${later.status} (${later.done} done)`);
      }
    }
  }
  return found;
}
