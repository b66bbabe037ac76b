import { parseArgs } from "node:util";
import type { StandIn } from "./stand-in-api.ts";
import { startEasypost } from "./stand-in-easypost.ts";
import { startKarrio } from "./stand-in-karrio.ts";
import { startShipengine } from "./stand-in-shipengine.ts";

type Options = { journalFile: string; port: number };
type Started = { standIn: StandIn; credentials: Record<string, string> };

/** Starts a stand-in and returns the credentials that it accepts. */
const carriers: Record<string, (options: Options) => Promise<Started>> = {
  async easypost(options) {
    const standIn = await startEasypost(options);
    return { standIn, credentials: { testKey: standIn.testKey, productionKey: standIn.productionKey } };
  },
  async shipengine(options) {
    const standIn = await startShipengine(options);
    return { standIn, credentials: { apiKey: standIn.apiKey, testKey: standIn.testKey } };
  },
  async karrio(options) {
    const standIn = await startKarrio(options);
    return { standIn, credentials: { apiKey: standIn.apiKey, testKey: standIn.testKey } };
  },
};

/*
 * node run-stand-in.ts <carrier> --journal <file> [--port n]
 *
 * Runs a stand-in as a process of its own, until it is killed. The first line of its output is its URL, the second one its credentials
 * as JSON. Started again with the same journal and port it goes on as before; addresses of label files hold the port.
 * Faults: POST /stand-in/faults {"kind": "cut_after", "operation": "buy", "times": 1}
 */
const usage = `Usage: run-stand-in.ts <${Object.keys(carriers).join("|")}> --journal <file> [--port n]`;

function readOptions(): { carrier: string } & Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { journal: { type: "string" }, port: { type: "string", default: "0" } },
  });
  const [carrier = ""] = positionals;
  if (!Object.hasOwn(carriers, carrier)) throw new Error(`The carrier ${JSON.stringify(carrier)} has no stand-in.`);
  if (!values.journal) throw new Error("--journal is missing.");
  if (!/^\d{1,5}$/.test(values.port)) throw new Error("--port must be a number.");
  return { carrier, journalFile: values.journal, port: Number(values.port) };
}

try {
  const { carrier, ...options } = readOptions();
  const { standIn, credentials } = await carriers[carrier]!(options);
  console.log(standIn.url);
  console.log(JSON.stringify(credentials));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 2;
}
