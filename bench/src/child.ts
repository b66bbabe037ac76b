import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Launch } from "../../server/src/testing/launch-hub.ts";
import { launch } from "../../server/src/testing/launch-hub.ts";

export type Child = {
  pid: number;
  /** Match of `ready` in the output. */
  match: RegExpExecArray;
  /** Milliseconds from launch to that output. */
  readyMs: number;
  /** Stops the process and waits for its end. */
  stop(): Promise<unknown>;
};

export const readyWithinMs = 60_000;

/** Runs a TypeScript file in a Node process of its own and waits until its output matches `ready`. */
export async function startChild(
  file: string,
  args: string[],
  env: Record<string, string>,
  ready: RegExp,
): Promise<Child> {
  const started = performance.now();
  const { pid, stop, printed } = launch({ command: [process.execPath, file], args, env, listener: showErrors });
  const match = await printed(ready, readyWithinMs);
  return { match, readyMs: performance.now() - started, pid, stop };
}

export const showErrors: Launch["listener"] = (text, from) => {
  if (from === "stderr") process.stderr.write(text);
};

/** Resident memory of the process. */
export async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / 1024;
}
