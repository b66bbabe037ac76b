import { cleanText } from "../../../core/strict-json.ts";
import type { World } from "../../../context.ts";
import type { NewLogLine } from "../engine/attempts.store.ts";
import { insertLogs, saveProgress } from "../engine/attempts.store.ts";
import type { ExecutionRow } from "../executions.store.ts";

const writeEveryMs = 500;
const maxLinesPerAttempt = 1_000;
const maxLinesKept = 20_000;
const maxLineLength = 2_000;

type Note = {
  progress(processed: number, total?: number): void;
  log(level: "info" | "warn" | "error", message: string): void;
  /** Call before storing the outcome: a client that sees the execution ended must also see its last log lines. */
  flush(): Promise<void>;
};

/** Buffers progress and log lines of all running tasks and writes them in batches. */
export function createNotes(world: World): { of(execution: ExecutionRow): Note; stop(): Promise<void> } {
  let lines: NewLogLine[] = [];
  let changed = new Map<string, ExecutionRow>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function writeNow(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const [logs, rows] = [lines, [...changed.values()]];
    lines = [];
    changed = new Map();
    try {
      if (logs.length > 0) await insertLogs(world.db, logs);
    } catch (error) {
      world.log.warn({ err: error }, "task log lines could not be written; retrying");
      lines = [...logs, ...lines].slice(-maxLinesKept);
      soon();
    }
    const progress = rows.map(({ id, attempt, progress: seen }) => ({ id, attempt, progress: seen }));
    if (progress.length > 0) await saveProgress(world.db, progress).catch(() => {});
  }

  /** One write at a time keeps the lines in order. */
  function write(): Promise<void> {
    writing = writing.then(writeNow);
    return writing;
  }

  function soon(): void {
    timer ??= setTimeout(() => void write(), writeEveryMs).unref();
  }

  return {
    of(execution) {
      let count = 0;
      return {
        progress(processed, total) {
          // The row in memory keeps it too, because storing the outcome writes the progress again.
          execution.progress = { processed, total: total ?? null };
          changed.set(execution.id, execution);
          soon();
        },
        log(level, message) {
          if (++count > maxLinesPerAttempt) return;
          const { id, attempt } = execution;
          const at = world.clock.now().toISOString();
          // Characters that PostgreSQL rejects would make the whole batch fail.
          lines.push({ execution_id: id, attempt, level, message: cleanText(message.slice(0, maxLineLength)), at });
          soon();
        },
        async flush() {
          if (count > 0) await write();
        },
      };
    },
    async stop() {
      await write();
      clearTimeout(timer);
    },
  };
}
