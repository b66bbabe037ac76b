import { verifyAudit } from "../features/audit/audit.ts";
import { systemContext } from "../context.ts";
import { describeServer } from "../db/database-server.ts";
import { listOrganizations } from "../features/organizations/organizations.ts";
import type { Config } from "./config.ts";
import { hubVersion } from "./version.ts";
import { withWorlds } from "./with-worlds.ts";

/** Says what it looked at and what it found; exit code 1 when something is wrong. */
export async function runDoctor(config: Config): Promise<void> {
  console.log(`hub ${hubVersion}, Node ${process.version}, ${process.platform} ${process.arch}`);
  console.log(config.databaseUrl === undefined ? `embedded PostgreSQL in ${config.dataDir}` : "external PostgreSQL");
  await withWorlds(config, async (worlds) => {
    for (const world of worlds) {
      const server = await describeServer(world.db);
      console.log(`${world.environment}: ${server.version}, migrations up to date`);
      if (!server.isDurable) {
        problem(`${world.environment}: fsync is off; a power cut can lose acknowledged changes`);
      }
      const all = { ...systemContext(world, "", "hub doctor") };
      all.principal = { ...all.principal, scopes: new Set(["organizations:write"]) };
      const { data: organizations } = await listOrganizations(all, { page: 1, limit: 100 });
      for (const { id, name } of organizations) {
        const audit = await verifyAudit(systemContext(world, id, "hub doctor"));
        if (audit.ok) console.log(`${world.environment}: audit log of ${name}: ${audit.entries} entries, chain whole`);
        else
          problem(
            `${world.environment}: audit log of ${name} is broken at ${audit.firstBroken?.sequence}: ${audit.firstBroken?.reason}`,
          );
      }
    }
  });
}

function problem(text: string): void {
  console.error(`PROBLEM ${text}`);
  process.exitCode = 1;
}
