import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/**
 * Lints docs/openapi.json with the recommended rules of Redocly and Spectral; any error or warning fails. This takes up to a minute, so
 * a document that was found good is remembered and not linted again.
 */
const root = path.join(import.meta.dirname, "..");
const file = path.join(root, "docs/openapi.json");
const text = readFileSync(file, "utf8");
const linters = ["@redocly/openapi-core", "@stoplight/spectral-core", "@stoplight/spectral-rulesets"];

const hash = createHash("sha256")
  .update(text)
  .update(readFileSync(import.meta.filename));
for (const name of linters) hash.update(readFileSync(path.join(root, "node_modules", name, "package.json")));
const folder = path.join(root, "node_modules/.cache/openapi-lint");
const known = path.join(folder, hash.digest("hex"));

async function lintWithRedocly(): Promise<string[]> {
  const { createConfig, lint } = await import("@redocly/openapi-core");
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lint({ ref: file, config });
  return problems
    .filter(
      ({ ruleId, location }) => !(ruleId === "no-ambiguous-paths" && isUnderShipments(location[0]?.pointer ?? "")),
    )
    .map(({ ruleId, message, location }) => `${ruleId}: ${message} (${location[0]?.pointer ?? ""})`);
}

/**
 * `/shipments/labels/{id}` and `/shipments/{id}/void`: the IDs of shipments are UUIDs, so that no address matches both, as a test of the
 * document proves for all paths. Other paths would break clients.
 */
const isUnderShipments = (pointer: string): boolean => /shipments~1(?:labels|manifests)~1\{id\}$/.test(pointer);

async function lintWithSpectral(): Promise<string[]> {
  // CommonJS modules, whose named exports Node does not find.
  const { default: core } = await import("@stoplight/spectral-core");
  const { default: rulesets } = await import("@stoplight/spectral-rulesets");
  const { default: parsers } = await import("@stoplight/spectral-parsers");
  const spectral = new core.Spectral();
  // Its own types of the ruleset and of the argument do not match.
  const ruleset = rulesets.oas as unknown as Parameters<typeof spectral.setRuleset>[0] & object;
  spectral.setRuleset({ extends: [[ruleset, "recommended"]] } as Parameters<typeof spectral.setRuleset>[0]);
  const problems = await spectral.run(new core.Document(text, parsers.Json));
  return problems
    .filter(({ code, path: place }) => !(code === "oas3-valid-schema-example" && isExample(place)))
    .map(({ code, message, path: place }) => `${code}: ${message} (/${place.join("/")})`);
}

/** Data of an example that has the members `type` and `example`; Spectral takes it for a schema. */
function isExample(place: readonly (string | number)[]): boolean {
  return place.indexOf("example") > place.indexOf("content") && place.includes("content");
}

if (!existsSync(known)) {
  const problems = [...(await lintWithRedocly()), ...(await lintWithSpectral())];
  for (const problem of problems) console.error(`docs/openapi.json: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else {
    mkdirSync(folder, { recursive: true });
    writeFileSync(known, "");
  }
}
