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
};
export type FileQuestion = OpenedFile | { read: "from the start" | "on"; quoting?: Quoting | undefined };
export type FileAnswer =
  | { delimiter: string; hasDecisiveDate: boolean }
  | { rows: BareRow[]; isLast: boolean }
  | { refused: string }
  | { failed: string };

/**
 * Reads files that partners have sent in a process of its own, which has limited time and memory: no file can hold up the
 * event loop or take the hub down. The process is started with the first file, and reads one file after the other.
 */
export type FileReader = { open(file: OpenedFile): Promise<CsvSource>; stop(): void };

const maxHeapMegabytes = 1_024;
/** Ten times as long as the largest file takes on a busy machine. */
const patienceMs = 120_000;

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
    const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
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
    return { refused: "The file takes too much time or memory to be read; split it." };
  }

  async function* readRows(quoting: Quoting | undefined): AsyncGenerator<BareRow> {
    for (let read: "from the start" | "on" = "from the start"; ; read = "on") {
      const answer = await ask({ read, quoting });
      if ("failed" in answer) throw new Error(answer.failed);
      if ("refused" in answer) throw new MalformedCsv(answer.refused);
      if (!("rows" in answer)) throw new Error("the process that reads files answered out of turn");
      yield* answer.rows;
      if (answer.isLast) return;
    }
  }

  return {
    async open(file) {
      const answer = await ask(file);
      if ("failed" in answer) throw new Error(answer.failed);
      if ("refused" in answer) throw new RemoteError("invalid_file", answer.refused);
      if (!("delimiter" in answer)) throw new Error("the process that reads files answered out of turn");
      const { delimiter, hasDecisiveDate } = answer;
      return { delimiter, hasDecisiveDate: () => hasDecisiveDate, rows: readRows };
    },
    stop,
  };
}
