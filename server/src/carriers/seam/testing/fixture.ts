import { readFileSync } from "node:fs";
import path from "node:path";
import { asObject } from "../read.ts";
import type { Json } from "../read.ts";

/** A response of the carrier in the folder `fixtures` beside the test, with `changes` to its members. */
export function fixtureIn(folder: string): (name: string, changes?: Json) => Json {
  return (name, changes = {}) => {
    const text = readFileSync(path.join(folder, "fixtures", `${name}.json`), "utf8");
    return { ...asObject(JSON.parse(text)), ...changes };
  };
}
