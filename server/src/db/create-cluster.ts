import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { ClusterFiles } from "./cluster-files.ts";
import { ownFolder } from "./cluster-files.ts";
import { isAlive } from "./postmaster.ts";

/** Superuser of the cluster. It is reachable only through a socket in a folder that no other user can enter. */
export const superuser = "hub";

type CreateOptions = {
  log(message: string): void;
  /** Called while PostgreSQL works in its own process. */
  meanwhile?(): void;
  stopping?: AbortSignal | undefined;
};

/** Created under another name and then renamed, so that an incomplete cluster is never used. */
export async function createCluster(files: ClusterFiles, { meanwhile, stopping, log }: CreateOptions): Promise<void> {
  log(`creating the database in ${files.cluster}`);
  await removeDrafts(files.home);
  const draft = `${files.cluster}.${process.pid}.new`;
  await ownFolder(draft, files.user);
  const args = ["-D", draft, "-U", superuser, "-A", "trust", "-E", "UTF8", "--no-instructions"];
  const locale = ["--locale-provider=builtin", "--locale=C.UTF-8", "--lc-collate=C", "--lc-ctype=C"];
  const made = runInitdb(files, [...args, ...locale], stopping);
  meanwhile?.();
  try {
    await made;
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
  await rename(draft, files.cluster).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    await rm(draft, { recursive: true, force: true });
  });
}

/** In its own process group: on a signal to the hub's group, initdb would print errors of its own. */
async function runInitdb(files: ClusterFiles, args: string[], stopping: AbortSignal | undefined): Promise<void> {
  stopping?.throwIfAborted();
  const child = spawn(path.join(files.binaries, "bin/initdb"), args, {
    ...runAs(files),
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  const end = (): void => {
    // Including its child processes.
    if (child.pid !== undefined && isAlive(child.pid)) process.kill(-child.pid, "SIGKILL");
  };
  stopping?.addEventListener("abort", end, { once: true });
  process.on("exit", end);
  try {
    const [code] = (await once(child, "close")) as [number | null];
    stopping?.throwIfAborted();
    if (code !== 0) throw new Error(`initdb failed: ${output.trim() || `exit code ${code}`}`);
  } finally {
    stopping?.removeEventListener("abort", end);
    process.off("exit", end);
  }
}

/** Removes incomplete clusters of hubs that were killed. */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const pid = Number(/^postgres\.(\d+)\.new$/.exec(name)?.[1]);
    const isAbandoned = pid === process.pid || (pid > 0 && !isAlive(pid));
    if (isAbandoned) await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Without the hub's environment, which contains secrets that every process of that user could read. */
export function runAs({ user, home }: ClusterFiles) {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  return user ? { cwd: home, env, uid: user.uid, gid: user.gid } : { cwd: home, env };
}
