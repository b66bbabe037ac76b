import { workbookRows } from "../../server/src/testing/workbook-rows.ts";
import type { Bench, Figure } from "./bench.ts";
import { median } from "./bench.ts";
import { withDataDir } from "./hub-process.ts";
import { time } from "./interleaved.ts";
import type { Place } from "./rating.bench.ts";
import { anAccount, importParcels, processToTheEnd, watchMemory, withHub } from "./rating.bench.ts";

const rounds = 3;
const itemCount = 50_000;

export const exportsBench: Bench = {
  name: "exports",
  bar: "a comparison of 50,000 items as XLSX <= 3x of the same as CSV; <= 250 MB more memory",
  run: () => withDataDir((dataDir) => withHub(dataDir, exportBoth)),
};

/** Both files are read to their end and have a row for each item. */
async function exportBoth({ client, url, pid }: Place): Promise<Figure[]> {
  const id = await importParcels(client, await anAccount(client), itemCount);
  await processToTheEnd(client, id);
  const read = (ending: "csv" | "xlsx"): Promise<Buffer> =>
    download(`${url}/api/v1/rate-comparisons/${id}/export.${ending}`, client.headers);
  // The first exports start the offload process and warm up both paths.
  requireRows("CSV", countLines(await read("csv")));
  requireRows("XLSX", workbookRows(await read("xlsx")) - 1);
  const times = { ours: [] as number[], floor: [] as number[] };
  const growth = await watchMemory(pid, async () => {
    for (let round = 0; round < rounds; round++) {
      times.floor.push(await time(() => read("csv")));
      times.ours.push(await time(() => read("xlsx")));
    }
  });
  const ratio = median(times.ours.map((ours, round) => ours / times.floor[round]!));
  return [
    {
      what: "export 50 k items as XLSX",
      unit: "ms",
      ours: median(times.ours),
      floor: median(times.floor),
      ratio,
      limit: { on: "ratio", atMost: 3 },
    },
    { what: "memory of the hub for both", unit: "MB", ours: growth, limit: { on: "ours", atMost: 250 } },
  ];
}

async function download(url: string, headers: Record<string, string>): Promise<Buffer> {
  const answer = await fetch(url, { headers });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
}

function requireRows(file: string, rows: number): void {
  if (rows < itemCount) throw new Error(`The ${file} file has ${rows} rows instead of ${itemCount}.`);
}

const countLines = (file: Buffer): number => file.toString().trimEnd().split("\n").length - 1;
