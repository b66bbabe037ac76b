import { parseArgs } from "node:util";
import { startWithAccount } from "./stand-in-accounts.ts";

type Carrier = keyof typeof startWithAccount;
const carriers = Object.keys(startWithAccount) as Carrier[];
type Options = { journalFile: string; port: number };

/*
 * node run-stand-in.ts <carrier> --journal <file> [--port n]
 *
 * Runs a stand-in as a process of its own, until it is killed. The first line of its output is its URL, the second one the body of
 * POST /carrier-accounts for an account at it. Started again with the same journal and port it goes on as before; addresses of label files hold the port.
 * Faults: POST /stand-in/faults {"kind": "cut_after", "operation": "buy", "times": 1}
 */
const usage = `Usage: run-stand-in.ts <${carriers.join("|")}> --journal <file> [--port n]`;

function readOptions(): { carrier: Carrier } & Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { journal: { type: "string" }, port: { type: "string", default: "0" } },
  });
  const carrier = carriers.find((name) => name === positionals[0]);
  if (!carrier) throw new Error(`The carrier ${JSON.stringify(positionals[0] ?? "")} has no stand-in.`);
  if (!values.journal) throw new Error("--journal is missing.");
  if (!/^\d{1,5}$/.test(values.port)) throw new Error("--port must be a number.");
  return { carrier, journalFile: values.journal, port: Number(values.port) };
}

try {
  const { carrier, ...options } = readOptions();
  const { standIn, account } = await startWithAccount[carrier](options);
  console.log(standIn.url);
  console.log(JSON.stringify(account));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  process.exitCode = 2;
}
