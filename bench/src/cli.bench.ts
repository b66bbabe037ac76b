import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Bench, Figure } from "./bench.ts";
import { timeInterleaved } from "./interleaved.ts";
import { withPacked } from "./sdk.bench.ts";

const run = promisify(execFile);
const rounds = { rounds: 15, warmUps: 3 };

/** The variables of a user with a stored key would add a request. */
const env = { PATH: process.env["PATH"] };

export const cliBench: Bench = {
  name: "cli",
  bar: "start of the command: --version and the help of an operation <= 150 ms over a bare node",
  run: () => withPacked("cli", measure),
};

/** As it is installed on other machines: the bundle, not its sources. */
async function measure(project: string): Promise<Figure[]> {
  const main = path.join(project, "node_modules/@order-operations-hub/cli/bin/hub.js");
  const figures: Figure[] = [];
  for (const args of [["--version"], ["orders", "list", "--help"], ["--help"]]) {
    const work = () => run(process.execPath, [main, ...args], { env });
    const { ours, floor } = await timeInterleaved(work, () => run(process.execPath, ["-e", "0"], { env }), rounds);
    const limit = { on: "ours", atMost: 150 } as const;
    figures.push({ what: `hub ${args.join(" ")}, over a bare node`, unit: "ms", ours: ours - floor, limit });
  }
  return figures;
}
