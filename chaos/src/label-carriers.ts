import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline/promises";
import { repository } from "../../server/src/testing/launch-hub.ts";
import type { Random } from "./chaos-plan.ts";
import { until } from "./until.ts";

/**
 * `usps` honors idempotency keys. `easypost` has none, but can be asked what it sold. `ups` could be asked too; here its look-up is broken
 * all the time, so that it stands for a carrier that has neither.
 */
const kinds = {
  usps: { service: "USPS_GROUND_ADVANTAGE", operations: ["buy", "void", "payment"], own: [] },
  easypost: {
    service: "USPS/GroundAdvantage",
    operations: ["buy", "rate", "find", "void"],
    own: ["timed_out_before", "timed_out_after", "no_response_after", "purchase_in_progress"],
  },
  ups: { service: "03", operations: ["buy", "void"], own: [] },
} as const;
export type CarrierName = keyof typeof kinds;
export const carrierNames = Object.keys(kinds) as CarrierName[];

/** Before and after the effect. Hangs are rare: each holds its caller until the timeout of a minute. */
const connectionFaults = [
  "cut_after",
  "cut_after",
  "cut_after",
  "error_after",
  "error_after",
  "garbled",
  "garbled",
  "cut_before",
  "error_before",
  "html",
  "rate_limit",
  "hang_after",
];

/** A stand-in of a carrier in a process of its own. Its journal survives its kills. */
export type LabelCarrier = {
  name: CarrierName;
  service: string;
  journalFile: string;
  /** Body of POST /carrier-accounts. */
  account: Record<string, unknown>;
  /** Kills it and starts it again, on the same journal and port. */
  restart(): Promise<void>;
  injectFault(random: Random): Promise<void>;
  stop(): Promise<void>;
};

const script = path.join(repository, "server/src/testing/carriers/run-stand-in.ts");

export async function startLabelCarrier(name: CarrierName, folder: string): Promise<LabelCarrier> {
  const { service, operations, own } = kinds[name];
  const journalFile = path.join(folder, `${name}.jsonl`);
  let running: ChildProcess;
  let url = "";

  async function start(port: string): Promise<Record<string, unknown>> {
    const args = [script, name, "--journal", journalFile, "--port", port];
    running = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    const lines = createInterface({ input: running.stdout! })[Symbol.asyncIterator]();
    const [first, second] = [await lines.next(), await lines.next()];
    if (second.done) throw new Error(`the stand-in of ${name} did not start`);
    url = String(first.value);
    // Faults are gone after a kill.
    if (name === "ups") await inject({ kind: "garbled", operation: "recover", times: 1e9 });
    return JSON.parse(second.value) as Record<string, unknown>;
  }

  async function inject(fault: { kind: string; operation: string; times: number }): Promise<void> {
    const body = JSON.stringify(fault);
    await fetch(`${url}/stand-in/faults`, { method: "POST", headers: { "content-type": "application/json" }, body });
  }

  async function kill(): Promise<void> {
    if (running.exitCode !== null || running.signalCode !== null) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  }

  const account = await start("0");
  return {
    name,
    service,
    journalFile,
    account,
    async restart() {
      const { port } = new URL(url);
      await kill();
      await until(
        () =>
          start(port).then(
            () => true,
            () => false,
          ),
        30_000,
        () => `the stand-in of ${name} does not start again`,
        100,
      );
    },
    async injectFault(random) {
      const isOwn = own.length > 0 && random.next() < 0.2;
      const kind = isOwn ? random.pick<string>(own) : random.pick(connectionFaults);
      const operation = isOwn ? "buy" : random.next() < 0.7 ? "buy" : random.pick<string>(operations);
      await inject({ kind, operation, times: random.between(1, 2) });
    },
    stop: kill,
  };
}

/** One label that a carrier sold. `wanted`: the reference of the request. */
export type Sale = { carrier: CarrierName; wanted: string; trackingNumber: string; cents: number };
export type CarrierJournal = { sales: Sale[]; voided: Set<string>; unreadable: string[] };

type Entry = {
  kind: string;
  trackingNumber?: string;
  trackingNumbers?: string[];
  cents?: number;
  totalCents?: number;
};

/** References of the labels that clients want. */
const wantedPattern = /"(want-[0-9a-z]+-\d+-\d+)"/g;

/** Reads the journals of the carriers, which say what was paid for. */
export function readCarrierJournals(carriers: readonly Pick<LabelCarrier, "name" | "journalFile">[]): CarrierJournal {
  const read: CarrierJournal = { sales: [], voided: new Set(), unreadable: [] };
  for (const { name, journalFile } of carriers) {
    const lines = existsSync(journalFile) ? readFileSync(journalFile, "utf8").split("\n").filter(Boolean) : [];
    for (const line of lines) {
      const entry = JSON.parse(line) as Entry;
      const numbers = entry.trackingNumbers ?? (entry.trackingNumber === undefined ? [] : [entry.trackingNumber]);
      if (entry.kind === "void" || entry.kind === "refund") for (const number of numbers) read.voided.add(number);
      if (entry.kind !== "buy") continue;
      const references = new Set([...line.matchAll(wantedPattern)].map(([, reference]) => reference!));
      const [wanted] = references;
      const cents = entry.cents ?? entry.totalCents;
      if (references.size !== 1 || numbers.length !== 1 || cents === undefined)
        read.unreadable.push(line.slice(0, 500));
      else read.sales.push({ carrier: name, wanted: wanted!, trackingNumber: numbers[0]!, cents });
    }
  }
  return read;
}
