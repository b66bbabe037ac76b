import path from "node:path";
import { Worker } from "node:worker_threads";
import { makeOnce } from "../core/make-once.ts";

/** What the thread hands over: the type and the bytes of each page, by its path. */
export type MadePages = Map<string, { type: string; bytes: Uint8Array<ArrayBuffer> }>;

type DocsPage = { type: string; bytes: Buffer };

/** Made once: every reader of a page shares its bytes, however slowly they take them. */
const getPages = makeOnce(makePages);

/** The API reference is 4 MB of script: it is loaded when somebody first opens /docs, not at every start. */
export async function docsPage(address: string): Promise<DocsPage | undefined> {
  return (await getPages()).get(address);
}

/** By a thread of its own: to read a module of that size takes so long that everybody would wait for it. */
async function makePages(): Promise<Map<string, DocsPage>> {
  // It needs nothing of what this process was started with, and keeps it from ending no longer than its readers do.
  const worker = new Worker(path.join(import.meta.dirname, "docs-maker.ts"), { env: {}, execArgv: [] });
  worker.unref();
  const made = await new Promise<MadePages>((resolve, reject) => {
    worker.once("message", resolve);
    worker.on("error", reject);
    worker.once("exit", () => reject(new Error("the thread that makes the API reference ended without it")));
  });
  return new Map(
    Array.from(made, ([address, { type, bytes }]) => [address, { type, bytes: Buffer.from(bytes.buffer) }]),
  );
}
