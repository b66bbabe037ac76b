import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import path from "node:path";
import type { BareRow, delimiters } from "../../core/csv/csv.ts";
import { MalformedCsv } from "../../core/csv/csv.ts";
import type { CsvSource } from "../../core/csv/csv-source.ts";
import type { Encoding } from "../../core/csv/decode-text.ts";
import type { Quoting } from "../../core/csv/split-rows.ts";
import { RemoteError } from "../../core/remote-error.ts";

export type OpenedFile = {
  file: string;
  encoding: Encoding | undefined;
  delimiter: keyof typeof delimiters | "auto";
  maxRows: number;
  /** Default: 50 MB. */
  maxBytes?: number;
};
export type FileQuestion = OpenedFile | { read: "from the start" | "on"; quoting?: Quoting | undefined };
export type FileAnswer =
  | { delimiter: string; hasDecisiveDate: boolean }
  | { rows: BareRow[]; isLast: boolean }
  | { refused: string }
  | { failed: string };

/**
 * Reads untrusted files in a child process with limited time and memory: no file can block the event loop or crash the hub. The
 * process starts with the first file and reads one file at a time.
 */
export type FileReader = { open(file: OpenedFile): Promise<CsvSource>; stop(): void };

const maxHeapMegabytes = 1_024;
/** Ten times the duration of the largest file on a busy machine. */
const timeoutMs = 120_000;

export function createFileReader(signal: AbortSignal): FileReader {
  let running: ChildProcess | undefined;
  const stop = (): void => {
    signal.removeEventListener("abort", stop);
    running?.kill("SIGKILL");
    running = undefined;
  };

  function start(): ChildProcess {
    signal.throwIfAborted();
    signal.addEventListener("abort", stop);
    return fork(path.join(import.meta.dirname, "file-process.ts"), {
      execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "advanced",
      env: {},
    });
  }

  async function ask(question: FileQuestion): Promise<FileAnswer> {
    running ??= start();
    const child = running;
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    const { promise, resolve } = Promise.withResolvers<FileAnswer | undefined>();
    const onEnd = (): void => resolve(undefined);
    child.once("message", resolve).once("exit", onEnd).once("error", onEnd);
    child.send(question, (error) => error && onEnd());
    const answer = await promise;
    clearTimeout(timer);
    child.off("message", resolve).off("exit", onEnd).off("error", onEnd);
    if (answer) return answer;
    child.kill("SIGKILL");
    if (running === child) running = undefined;
    signal.throwIfAborted();
    return { refused: "Reading the file takes too much time or memory; split it." };
  }

  async function* readRows(quoting: Quoting | undefined): AsyncGenerator<BareRow> {
    for (let read: "from the start" | "on" = "from the start"; ; read = "on") {
      const answer = await ask({ read, quoting });
      if ("failed" in answer) throw new Error(answer.failed);
      if ("refused" in answer) throw new MalformedCsv(answer.refused);
      if (!("rows" in answer)) throw new Error("unexpected message from the file process");
      yield* answer.rows;
      if (answer.isLast) return;
    }
  }

  return {
    async open(file) {
      const answer = await ask(file);
      if ("failed" in answer) throw new Error(answer.failed);
      if ("refused" in answer) throw new RemoteError("invalid_file", answer.refused);
      if (!("delimiter" in answer)) throw new Error("unexpected message from the file process");
      const { delimiter, hasDecisiveDate } = answer;
      return { delimiter, hasDecisiveDate: () => hasDecisiveDate, rows: readRows };
    },
    stop,
  };
}
