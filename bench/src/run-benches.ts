import { parseArgs } from "node:util";
import type { Bench } from "./bench.ts";
import { isMet } from "./bench.ts";
import { manyOrdersBench } from "./orders-1m.bench.ts";
import { cliBench } from "./cli.bench.ts";
import { consoleBench } from "./console.bench.ts";
import { detailsBench } from "./details.bench.ts";
import { ordersBench } from "./orders.bench.ts";
import { eventLoopBench } from "./event-loop.bench.ts";
import { eventsBench } from "./events.bench.ts";
import { importsBench } from "./imports.bench.ts";
import { auditsBench } from "./audits.bench.ts";
import { exportsBench } from "./exports.bench.ts";
import { invoicesBench } from "./invoices.bench.ts";
import { itemsBench } from "./items.bench.ts";
import { mappingBench } from "./mapping.bench.ts";
import { overviewBench } from "./overview.bench.ts";
import { quotesBench } from "./quotes.bench.ts";
import { manyRatingBench, ratingBench } from "./rating.bench.ts";
import { targetsBench } from "./targets.bench.ts";
import { processesBench } from "./processes.bench.ts";
import { readsBench } from "./reads.bench.ts";
import type { Measured } from "./report.ts";
import { saveResults, toJson, toTable } from "./report.ts";
import { sdkBench } from "./sdk.bench.ts";
import { selectionsBench } from "./selections.bench.ts";
import { sizesBench } from "./sizes.bench.ts";
import { startBench } from "./start.bench.ts";
import { tasksBench } from "./tasks.bench.ts";
import { webhooksBench } from "./webhooks.bench.ts";
import { writesBench } from "./writes.bench.ts";

/** All benches. Add a new one as a file beside this one and a line here. */
const benches: Bench[] = [
  startBench,
  eventLoopBench,
  readsBench,
  processesBench,
  writesBench,
  ordersBench,
  detailsBench,
  manyOrdersBench,
  selectionsBench,
  importsBench,
  invoicesBench,
  auditsBench,
  mappingBench,
  overviewBench,
  tasksBench,
  eventsBench,
  webhooksBench,
  ratingBench,
  targetsBench,
  exportsBench,
  quotesBench,
  itemsBench,
  manyRatingBench,
  sizesBench,
  consoleBench,
  sdkBench,
  cliBench,
];

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  const lines = benches.map(({ name, bar }) => `  ${name.padEnd(10)}${bar}`);
  console.error(`There is no bench ${unknown.join(", ")}. There are:\n${lines.join("\n")}`);
  process.exit(2);
}

const measured: Measured[] = [];
for (const bench of benches) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  console.error(`${bench.name}: ${bench.bar}`);
  measured.push({ bench: bench.name, figures: await bench.run() });
}
const json = toJson(measured);
console.log(`\n${toTable(measured)}\n`);
if (values.json) console.log(json);
console.error(`Kept in ${await saveResults(json)}`);
if (measured.some(({ figures }) => figures.some((figure) => isMet(figure) === false))) process.exitCode = 1;
