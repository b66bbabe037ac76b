import type { World } from "../../context.ts";
import type { NewLogLine } from "./attempts.store.ts";
import { insertLogs, saveProgress } from "./attempts.store.ts";
import type { ExecutionRow } from "./executions.store.ts";

const writeEveryMs = 500;
const maxLinesPerAttempt = 1_000;
const maxLineLength = 2_000;

type Note = {
  progress(done: number, total?: number): void;
  log(level: "info" | "warn" | "error", message: string): void;
};

/** Progress and log lines of all running tasks, written together now and then. */
export function createNotes(world: World): { of(execution: ExecutionRow): Note; stop(): Promise<void> } {
  let lines: NewLogLine[] = [];
  let changed = new Map<string, ExecutionRow>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    timer = undefined;
    const [logs, rows] = [lines, [...changed.values()]];
    lines = [];
    changed = new Map();
    if (logs.length > 0) await insertLogs(world.db, logs);
    if (rows.length > 0) {
      await saveProgress(
        world.db,
        rows.map(({ id, attempt, progress }) => ({ id, attempt, progress })),
      );
    }
  }

  function soon(): void {
    timer ??= setTimeout(() => {
      write().catch((error: unknown) => world.log.warn({ err: error }, "notes of tasks were lost"));
    }, writeEveryMs).unref();
  }

  return {
    of(execution) {
      let count = 0;
      return {
        progress(done, total) {
          // Kept with the row in memory too: the end of the attempt writes it once more.
          execution.progress = { done, total: total ?? null };
          changed.set(execution.id, execution);
          soon();
        },
        log(level, message) {
          if (++count > maxLinesPerAttempt) return;
          const { id, attempt } = execution;
          const at = world.clock.now().toISOString();
          lines.push({ execution_id: id, attempt, level, message: message.slice(0, maxLineLength), at });
          soon();
        },
      };
    },
    async stop() {
      clearTimeout(timer);
      await write().catch(() => {});
    },
  };
}
