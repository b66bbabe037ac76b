import pg from "pg";
import { openText } from "../../server/src/core/csv/csv-source.ts";
import { copyIn } from "../../server/src/db/copy-in.ts";
import { makeBook } from "../../server/src/testing/invoices/invoice-book.ts";
import { writeUps } from "../../server/src/testing/invoices/write-invoices.ts";
import type { Bench, Figure } from "./bench.ts";
import { signInWithKey } from "./hub-client.ts";
import { clusterOf, startHub, withDataDir } from "./hub-process.ts";
import { watchMemory } from "./watch-memory.ts";

/** About 50,000 rows of UPS Billing Data with 250 columns. */
const parcels = 12_800;
/** Large enough to start the offload process before the measurement. */
const few = 300;
const columnCount = 250;

export const invoicesBench: Bench = {
  name: "invoices",
  bar: "an invoice of 50,000 lines with 250 columns at most 3x of parsing it and COPY of its rows, and <= 250 MB more memory",
  run: () => withDataDir(measure),
};

async function measure(dataDir: string): Promise<Figure[]> {
  const hub = await startHub(dataDir);
  try {
    const client = await signInWithKey(hub.url);
    await importFile(hub.url, client.headers, writeUps(makeBook({ seed: 1, invoices: 1, parcels: few })));
    const csv = writeUps(makeBook({ seed: 2, invoices: 1, parcels }));
    const floor = await copyByHand(dataDir, csv);
    const memory = watchMemory(hub.pid);
    const ours = await importFile(hub.url, client.headers, csv);
    const grown = await memory.stop();
    const rows = csv.split("\r\n").length;
    return [
      { what: `an invoice of ${rows} rows`, unit: "ms", ours, floor, limit: { on: "ratio", atMost: 3 } },
      { what: "memory of hub and helper for it", unit: "MB", ours: grown, limit: { on: "ours", atMost: 250 } },
    ];
  } finally {
    await hub.stop();
  }
}

async function importFile(url: string, headers: Record<string, string>, body: string): Promise<number> {
  const started = performance.now();
  const answer = await fetch(`${url}/api/v1/invoices/import`, {
    method: "POST",
    headers: { ...headers, "content-type": "text/csv" },
    body,
  });
  const { invoices } = (await answer.json()) as { invoices?: { difference: number }[] };
  const ms = performance.now() - started;
  if (invoices?.[0]?.difference !== 0) throw new Error(`${answer.status}: the invoice was not imported`);
  return ms;
}

/** Splits the rows with the hub's parser, and copies all of their cells. */
async function copyByHand(dataDir: string, csv: string): Promise<number> {
  const db = new pg.Client(clusterOf(dataDir));
  await db.connect();
  try {
    const started = performance.now();
    await db.query("begin");
    const columns = Array.from({ length: columnCount }, (_, n) => `c${n} text`);
    await db.query(`create temp table sheet (${columns.join(", ")}) on commit drop`);
    await copyIn(db, "copy sheet from stdin", rowsOf(csv));
    await db.query("commit");
    return performance.now() - started;
  } finally {
    await db.end();
  }
}

const special = /[\\\t\n\r]/g;

async function* rowsOf(csv: string): AsyncGenerator<string> {
  for await (const { cells } of openText(csv).rows()) {
    yield `${cells.map((cell) => cell.replace(special, " ")).join("\t")}\n`;
  }
}
