import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const read = (name: string): unknown => JSON.parse(readFileSync(path.join(import.meta.dirname, "..", name), "utf8"));

test("every dependency with an install script is denied it in package.json", () => {
  const { packages } = read("package-lock.json") as { packages: Record<string, { hasInstallScript?: boolean }> };
  const { allowScripts } = read("package.json") as { allowScripts: Record<string, boolean> };
  const withScript = Object.entries(packages)
    .filter(([location, { hasInstallScript }]) => location !== "" && hasInstallScript === true)
    .map(([location]) => location.replace(/^.*node_modules\//, ""));
  expect(Object.fromEntries(withScript.map((name) => [name, false]))).toEqual(allowScripts);
});
