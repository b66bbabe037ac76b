import type { Bench, Figure } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { signInWithKey } from "./hub-client.ts";
import { startHub, withDataDir } from "./hub-process.ts";
import { timeInterleaved } from "./interleaved.ts";
import { anAccount, importParcels, processToTheEnd } from "./rating.bench.ts";
import { invoiceCsv } from "./stored-invoice.ts";

const few = 2_500;
const many = 250_000;
const rounds = 15;
const warmUps = 3;
/** Allowed extra time of the large comparison, however fast the small one is. */
const graceMs = 5;

export const itemsBench: Bench = {
  name: "items",
  bar: `filtered lists of items: as fast with 250 k items as with 2,500 (<= 1.5x, or ${graceMs} ms more)`,
  run: () => withDataDir(compareItems),
};

/** Shares are those of `invoiceCsv`; rare kinds use shorter pages, so that the small comparison can fill them too. */
const byKind: Record<string, string> = {
  "no filter": "",
  "page 40": "page=40",
  "status 90 %": "status=rated",
  "status 10 %": "status=estimated",
  "status 0.4 %": "status=unrateable&limit=10",
  "status 0.04 %": "status=invalid&limit=1",
  "two statuses": "status=estimated,unrateable",
  "zone 20 %": "zone=5",
  "zone and status": "zone=8&status=estimated&limit=10",
  "service 50 %": "serviceType=ups%20ground",
  "service 0.4 %": "serviceType=pigeon&limit=10",
  "service, zone and status": "serviceType=surepost&zone=4&status=rated",
  "outcome win": "outcome=win",
  "basis profile": "basis=profile",
  "reason 0.4 %": "reason=service_unmatched&limit=10",
};

/** These scan all items and have no limit. */
const byReading: Record<string, string> = {
  "savings of 5 or more": "minSavings=5",
  "sorted by savings": "sort=savings",
  "sorted by -savings": "sort=-savings",
  "sorted by netCost": "sort=netCost",
  "sorted by -netCost": "sort=-netCost",
  "sorted by zone": "sort=zone",
  "status, sorted by -savings": "status=rated&sort=-savings",
  "status 0.4 %, sorted by -netCost": "status=unrateable&limit=10&sort=-netCost",
  "zone, sorted by netCost": "zone=5&sort=netCost",
  "service, sorted by zone": "serviceType=surepost&sort=zone",
  "page 40 of a status, sorted by savings": "status=rated&sort=savings&page=40",
  "search: one tracking number": "search=1Z999AA10354435761&limit=1",
  "search: end of tracking numbers": "search=5761&limit=1",
  "search: beginning of all tracking numbers": "search=1Z999",
  "search: one digit": "search=7",
  "search: one ZIP": "search=07001&limit=1",
  "search: one city": "search=dalecran",
  "search: a state 3 %": "search=ny",
  "search: origin 25 %": "search=chicago",
  "search: nothing": "search=nowhere",
  "search: city and status, sorted by -savings": "search=dalecran&status=rated&sort=-savings",
  "search: origin and zone, sorted by -savings": "search=chicago&zone=5&sort=-savings",
};

async function compareItems(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir, { HUB_PREVIEW_PORT: "off" });
  try {
    const client = await signInWithKey(hub.url);
    const account = await anAccount(client);
    const paths: string[] = [];
    for (const count of [few, many]) {
      const id = await importParcels(client, account, count, invoiceCsv(count));
      await processToTheEnd(client, id);
      paths.push(`/rate-comparisons/${id}/items`);
    }
    const figures: Figure[] = [];
    for (const [what, query] of Object.entries(byKind)) {
      const figure = await compareList(client, paths, what, query);
      const atMost = Math.max(1.5, Math.round(100 * (1 + graceMs / figure.floor)) / 100);
      figures.push({ ...figure, limit: { on: "ratio", atMost } });
    }
    for (const [what, query] of Object.entries(byReading)) figures.push(await compareList(client, paths, what, query));
    return figures;
  } finally {
    await hub.stop();
  }
}

async function compareList(client: HubClient, paths: string[], what: string, query: string) {
  const [small, large] = paths.map((path) => () => client.get(`${path}?${query}`));
  return { what: `${what}: 250 k : 2,500`, ...(await timeInterleaved(large!, small!, { rounds, warmUps })) };
}
