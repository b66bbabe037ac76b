import { fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Environment, Settings } from "../context.ts";
import type { Connection } from "../db/server-client.ts";
import type { HeavyProcess } from "../http/heavy-work.ts";
import type { Config } from "./config.ts";

/** What the process is told when it has started. */
export type HeavyTask = {
  environment: Environment;
  connection: Connection;
  secretKeys: [key: string, previous: string[]];
  settings: Settings;
  logLevel: string;
  logFormat: Config["logFormat"];
  /** Where the socket is; nothing else is there. */
  folder: string;
  socketPath: string;
  token: string;
};

const maxHeapMegabytes = 1_536;
const endsWithinMs = 5_000;

/** A process with the routes of one surface, for requests that would hold up all others. */
export async function startHeavyProcess(
  task: Omit<HeavyTask, "folder" | "socketPath" | "token">,
): Promise<HeavyProcess> {
  // Only this user can look into it.
  const folder = await mkdtemp(path.join(tmpdir(), "hub-heavy-"));
  const token = randomUUID();
  const socketPath = process.platform === "win32" ? `\\\\.\\pipe\\hub-heavy-${token}` : path.join(folder, "socket");
  const child = fork(path.join(import.meta.dirname, "heavy.ts"), {
    execArgv: [
      `--max-old-space-size=${maxHeapMegabytes}`,
      "--import",
      new URL("load-modules.ts", import.meta.url).href,
    ],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    // What it needs it is told; the passwords in our environment are not among it.
    env: {},
  });
  let hasEnded = false;
  const ended = once(child, "exit").then(async () => {
    hasEnded = true;
    await rm(folder, { recursive: true, force: true });
  });
  child.send({ ...task, folder, socketPath, token } satisfies HeavyTask);
  await Promise.race([once(child, "message"), ended]);
  if (hasEnded) throw new Error("the process for heavy work ended while it started");
  return {
    socketPath,
    token,
    hasEnded: () => hasEnded,
    kill: () => void child.kill("SIGKILL"),
    async stop() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), endsWithinMs);
      await ended;
      clearTimeout(timer);
    },
  };
}
