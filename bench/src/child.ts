import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";

export type Child = {
  pid: number;
  /** What `ready` matched in the output. */
  match: RegExpExecArray;
  /** Milliseconds from the launch until that output. */
  readyMs: number;
  /** Asks it to end and waits until it has. */
  stop(): Promise<void>;
};

const readyWithinMs = 60_000;
const stopWithinMs = 15_000;

/** Runs a TypeScript file in a Node process of its own and waits until its output matches `ready`. */
export async function startChild(
  file: string,
  args: string[],
  env: Record<string, string>,
  ready: RegExp,
): Promise<Child> {
  const started = performance.now();
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...ownEnv(), ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
    await ended;
    clearTimeout(force);
  }

  const match = new Promise<RegExpExecArray>((resolve, reject) => {
    let output = "";
    const giveUp = (why: string): void => reject(new Error(`${file} ${why}; it printed: ${output}`));
    const timer = setTimeout(giveUp, readyWithinMs, `was not ready within ${readyWithinMs} ms`);
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = ready.exec(output);
      if (!found) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once("error", reject);
    void ended.then(() => {
      clearTimeout(timer);
      giveUp("ended");
    });
  });
  try {
    return { match: await match, readyMs: performance.now() - started, pid: child.pid!, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Settings of the shell that runs the bench must not change what is measured. */
function ownEnv(): NodeJS.ProcessEnv {
  const isSetting = (name: string): boolean => /^(HUB_|NODE_|DATABASE_URL$|PREVIEW_DATABASE_URL$)/.test(name);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)));
}

/** Memory that the process holds at this moment. */
export async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(pid)]);
  return Number(stdout) / 1024;
}
