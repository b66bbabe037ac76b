import type { Bench, Figure } from "./bench.ts";
import { startFloor } from "./floor-process.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";
import type { Target } from "./load.ts";
import { compareThroughput } from "./load.ts";

const storedSets = 200;

export const readsBench: Bench = {
  name: "reads",
  bar: "one record, with an API key: >= 60 % of the requests/s of a bare Fastify route with the same SELECT",
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir);
  try {
    const client = await signInWithKey(hub.url);
    const ids: string[] = [];
    for (let n = 0; n < storedSets; n++) {
      const { id } = await client.post<{ id: string }>("/condition-sets", { name: `Set ${n}`, description: "Bench" });
      ids.push(id);
    }
    const floor = await startFloor("floor-read-server.ts", dataDir, client.orgId);
    const pairOf = (path: string): [Target, Target] => [
      { url: `${hub.url}/api/v1${path}`, headers: client.headers },
      { url: `${floor.url}${path}`, headers: {} },
    ];
    try {
      const one = pairOf(`/condition-sets/${ids[storedSets / 2]}`);
      const list = pairOf("/condition-sets?limit=25");
      await requireSameAnswer(...one);
      await requireSameAnswer(...list);
      return [
        {
          what: "GET /condition-sets/{id}",
          unit: "req/s",
          ...(await compareThroughput(...one)),
          limit: { on: "ratio", atLeast: 0.6 },
        },
        { what: "GET /condition-sets?limit=25", unit: "req/s", ...(await compareThroughput(...list)) },
      ];
    } finally {
      await floor.stop();
    }
  } finally {
    await hub.stop();
  }
}

/** The comparison is only valid for equal responses. */
async function requireSameAnswer(...targets: Target[]): Promise<void> {
  const answers = await Promise.all(targets.map(async ({ url, headers }) => (await fetch(url, { headers })).text()));
  if (new Set(answers).size > 1) throw new Error(`The floor answers something else:\n${answers.join("\n")}`);
}
