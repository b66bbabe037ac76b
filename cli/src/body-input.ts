import { readFileSync } from "node:fs";
import { readInput } from "./ask.ts";
import { usageError } from "./exit.ts";
import { parseJson } from "./values.ts";

/** The JSON of --data: text, @FILE, or - for stdin. */
export async function readData(given: string, origin: string): Promise<unknown> {
  if (given === "-" || given === "@-") return parseJson(await readInput(), "stdin");
  if (given.startsWith("@")) return parseJson(readText(given.slice(1), origin), given.slice(1));
  return parseJson(given, origin);
}

function readText(file: string, origin: string): string {
  return readBytes(file, origin).toString("utf8");
}

export function readBytes(file: string, origin: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw usageError(`${origin}: ${file} cannot be read: ${(error as Error).message}.`);
  }
}
