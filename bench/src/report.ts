import { mkdir, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import type { Figure, Limit } from "./bench.ts";
import { isMet, ratioOf } from "./bench.ts";

export type Measured = { bench: string; figures: Figure[] };

const resultsFolder = path.join(import.meta.dirname, "../results");
const headings = ["bench", "what", "ours", "floor", "ratio", "bar", "met"];

export function toTable(measured: Measured[]): string {
  const rows = measured.flatMap(({ bench, figures }) =>
    figures.map((figure) => [
      bench,
      figure.what,
      withUnit(figure.ours, figure.unit),
      figure.floor === undefined ? "" : withUnit(figure.floor, figure.unit),
      ratioOf(figure)?.toFixed(2) ?? "",
      limitText(figure.limit, figure.unit),
      { true: "yes", false: "NO", undefined: "" }[String(isMet(figure))] ?? "",
    ]),
  );
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function toJson(measured: Measured[]): string {
  const results = measured.flatMap(({ bench, figures }) =>
    figures.map((figure) => ({ bench, ...figure, ratio: ratioOf(figure), isMet: isMet(figure) })),
  );
  const machine = {
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    cores: availableParallelism(),
  };
  return JSON.stringify({ at: new Date().toISOString(), machine, results }, null, 2);
}

export async function saveResults(json: string): Promise<string> {
  await mkdir(resultsFolder, { recursive: true });
  const file = path.join(resultsFolder, `${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.json`);
  await writeFile(file, `${json}\n`);
  return path.relative(process.cwd(), file);
}

function withUnit(value: number, unit: string): string {
  return `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`;
}

function limitText(limit: Limit | undefined, unit: string): string {
  if (!limit) return "";
  const [sign, value] = "atMost" in limit ? ["<=", limit.atMost] : [">=", limit.atLeast];
  return limit.on === "ours" ? `${sign} ${value} ${unit}` : `ratio ${sign} ${value}`;
}
