import type { Bench, Figure } from "./bench.ts";
import { startFloor } from "./floor-process.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";
import { compareThroughput } from "./load.ts";

export const writesBench: Bench = {
  name: "writes",
  bar: "for information: one record and its event, against a bare Fastify route with the same two INSERTs",
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir);
  try {
    const client = await signInWithKey(hub.url);
    const floor = await startFloor("floor-write-server.ts", dataDir, client.orgId);
    try {
      const json = { "content-type": "application/json" };
      const body = (n: number): string => JSON.stringify({ name: `Set ${n}` });
      const compared = await compareThroughput(
        { url: `${hub.url}/api/v1/condition-sets`, headers: { ...client.headers, ...json }, body },
        { url: `${floor.url}/condition-sets`, headers: json, body },
      );
      return [{ what: "POST /condition-sets", unit: "req/s", ...compared }];
    } finally {
      await floor.stop();
    }
  } finally {
    await hub.stop();
  }
}
