import path from "node:path";
import { Worker } from "node:worker_threads";
import { makeOnce } from "../core/make-once.ts";

/** Transferred by the thread: the type and the bytes of each page, by path. */
export type MadePages = Map<string, { type: string; bytes: Uint8Array<ArrayBuffer> }>;

type DocsPage = { type: string; bytes: Buffer };

/** Created once: all clients share the bytes of a page, however slowly they read. */
const getPages = makeOnce(makePages);

/** The API reference is 4 MB of script: loaded with the first request for /docs, not at every start. */
export async function docsPage(address: string): Promise<DocsPage | undefined> {
  return (await getPages()).get(address);
}

/** In a thread: parsing a module of that size would block the event loop. */
async function makePages(): Promise<Map<string, DocsPage>> {
  // It needs neither our arguments nor our environment, and must not keep the process alive.
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
