import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import type { HubClient } from "./hub-client.ts";
import { withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";
import type { Place } from "./rating.bench.ts";
import { anAccount, importParcels, processToTheEnd, watchMemory, withHub } from "./rating.bench.ts";
import { parcelsCsv } from "./stored-parcels.ts";

const rounds = 3;
const itemCount = 50_000;
const targetCount = 10;

export const targetsBench: Bench = {
  name: "targets",
  bar: "50,000 items with ten contracts <= 1x ten comparisons with one; <= 250 MB with a scenario",
  run: () => withDataDir((dataDir) => withHub(dataDir, compareWithSingles)),
};

/** The floor is what the same prices take with one contract at a time. Both use the same ten cards. */
async function compareWithSingles({ client, pid }: Place): Promise<Figure[]> {
  const account = await anAccount(client);
  const single = await importParcels(client, account, itemCount);
  const several = await importWithTargets(client, account);
  await processToTheEnd(client, single);
  const times = { ours: [] as number[], floor: [] as number[] };
  const growth = await watchMemory(pid, async () => {
    for (let round = 0; round < rounds; round++) {
      const one = await time(() => processToTheEnd(client, single));
      times.floor.push(one * targetCount);
      times.ours.push(await time(() => processToTheEnd(client, several)));
    }
    const path = `/rate-comparisons/${several}`;
    await client.post(`${path}/scenarios`, { name: "Increase", terms: [{ increasePercent: 5.9 }] });
    await client.get(`${path}/mix`);
  });
  const ratio = median(times.ours.map((ours, round) => ours / times.floor[round]!));
  return [
    {
      what: "rate 50 k items with ten contracts",
      unit: "ms",
      ours: median(times.ours),
      floor: median(times.floor),
      ratio,
      limit: { on: "ratio", atMost: 1 },
    },
    { what: "memory with a scenario", unit: "MB", ours: growth, limit: { on: "ours", atMost: 250 } },
  ];
}

async function importWithTargets(client: HubClient, carrierAccountId: string): Promise<string> {
  const targets = Array.from({ length: targetCount }, (_, index) => ({
    carrierAccountId,
    name: `Contract ${index + 1}`,
  }));
  const { comparison } = await client.post<{ comparison: { id: string } }>("/rate-comparisons/import", {
    name: "Bench targets",
    targets,
    csv: parcelsCsv(itemCount),
  });
  return comparison.id;
}
