import type { World } from "../context.ts";
import { describeServer } from "../db/database-server.ts";
import { countByKeyAcrossOrgs, findMissingKeys } from "../db/sealed-columns.ts";
import { verifyLogs } from "./command-verify-audit.ts";
import type { Config } from "./config.ts";
import { describeMissingKeys } from "./secret-key.ts";
import type { PluginOrigin } from "../core/extension-point.ts";
import { hubVersion } from "../core/hub-version.ts";
import { withWorlds } from "./with-worlds.ts";

/** Prints each check and its result; exit code 1 if something is wrong. */
export async function runDoctor(config: Config, plugins: PluginOrigin[]): Promise<void> {
  console.log(`hub ${hubVersion}, Node ${process.version}, ${process.platform} ${process.arch}`);
  console.log(config.databaseUrl === undefined ? `embedded PostgreSQL in ${config.dataDir}` : "external PostgreSQL");
  for (const { name, version } of plugins) console.log(`plug-in ${name} ${version}`);
  await withWorlds(config, { mayMigrate: false, mayLackKeys: true }, async (worlds) => {
    for (const world of worlds) {
      const server = await describeServer(world.db);
      console.log(`${world.environment}: ${server.version}, migrations up to date`);
      if (!server.isDurable) {
        problem(`${world.environment}: fsync is off; a power cut can lose acknowledged changes`);
      }
      await examineKeys(world);
      await verifyLogs(world);
    }
  });
}

async function examineKeys({ environment, db, secrets }: World): Promise<void> {
  const missing = await findMissingKeys(db, secrets);
  if (missing.length > 0) problem(describeMissingKeys(environment, missing));
  for (const { table, keyId, count } of await countByKeyAcrossOrgs(db)) {
    const text = `${environment}: ${count} secrets in ${table} are sealed with the key ${keyId}`;
    if (keyId === secrets.keyId) console.log(text);
    else if (secrets.keyIds.includes(keyId)) console.log(`${text}, an earlier one; \`hub rewrap\` seals them anew`);
    else problem(`${text}, which this hub does not have`);
  }
}

function problem(text: string): void {
  console.error(`PROBLEM ${text}`);
  process.exitCode = 1;
}
