import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterFile } from "../../../server/src/testing/after-file.ts";

const main = path.join(import.meta.dirname, "../../bin/hub.js");

export type Ended = { code: number | null; stdout: string; stderr: string };
export type Started = {
  /** Resolves once stdout or stderr has it. */
  printed(text: string | RegExp): Promise<void>;
  interrupt(): void;
  ended: Promise<Ended>;
};
type How = {
  env?: Record<string, string>;
  input?: string;
  /** Runs instead of the command. */
  command?: readonly [string, ...string[]];
  patienceMs?: number;
};

/** A folder for the profiles of one test file, removed afterwards. */
export function makeConfigHome(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "hub-cli-"));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the command as a process. It sees no settings of this one. */
export function startCommand(
  args: string[],
  { env = {}, input = "", command, patienceMs = 60_000 }: How = {},
): Started {
  const [program, ...prefix] = command ?? [process.execPath, main];
  const child: ChildProcess = spawn(program, [...prefix, ...args], {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin!.on("error", () => undefined).end(input);
  const said = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  for (const from of ["stdout", "stderr"] as const)
    child[from]!.setEncoding("utf8").on("data", (text: string) => {
      said[from] += text;
      for (const listener of listeners) listener();
    });
  const limit = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      clearTimeout(limit);
      resolve({ code, ...said });
    });
  });
  const has = (text: string | RegExp): boolean =>
    [said.stdout, said.stderr].some((all) => (typeof text === "string" ? all.includes(text) : text.test(all)));
  return {
    ended,
    interrupt: () => void child.kill("SIGINT"),
    printed: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (has(text)) resolve();
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`ended without ${String(text)}: ${JSON.stringify(said)}`)));
      }),
  };
}

export async function runCommand(args: string[], how?: How): Promise<Ended> {
  return await startCommand(args, how).ended;
}
