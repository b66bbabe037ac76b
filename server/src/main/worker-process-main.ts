import { once } from "node:events";
import { rmSync } from "node:fs";
import { setPriority } from "node:os";
import { loadPlugins } from "./plugins/load-plugins.ts";
import type { WorkerTask } from "./worker-process.ts";

/** Clients of costly requests expect to wait; those of the HTTP processes do not. */
const niceness = 10;
setPriority(niceness);

// It ends with the process that started it, and not before: a signal from the terminal reaches both. That process may have
// been killed, so the folder is removed here.
let folder: string | undefined;
process.once("disconnect", () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});

const [task] = (await once(process, "message")) as [WorkerTask];
folder = task.folder;
await loadPlugins(task.plugins);
// Only now: the catalogs are complete once their modules are loaded.
const { runWorkerProcess } = await import("./run-worker-process.ts");
await runWorkerProcess(task);
