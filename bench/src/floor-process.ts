import path from "node:path";
import type { Child } from "./child.ts";
import { startChild } from "./child.ts";

/** Starts one of the floor servers beside a running hub, on the hub's database. */
export async function startFloor(
  file: string,
  dataDir: string,
  orgId: string,
): Promise<Pick<Child, "pid" | "stop"> & { url: string }> {
  const args = ["--data-dir", dataDir, "--org", orgId];
  const child = await startChild(path.join(import.meta.dirname, file), args, {}, /^listening on (http:\S+)/m);
  return { url: child.match[1]!, pid: child.pid, stop: child.stop };
}
