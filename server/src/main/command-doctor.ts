import { verifyAudit } from "../features/audit/audit.ts";
import type { Ctx, World } from "../context.ts";
import { systemContext } from "../context.ts";
import { describeServer } from "../db/database-server.ts";
import type { Organization } from "../features/organizations/organizations.schemas.ts";
import { listOrganizations } from "../features/organizations/organizations.ts";
import type { Config } from "./config.ts";
import { hubVersion } from "./version.ts";
import { withWorlds } from "./with-worlds.ts";

const pageSize = 100;

/** Says what it looked at and what it found; exit code 1 when something is wrong. */
export async function runDoctor(config: Config): Promise<void> {
  console.log(`hub ${hubVersion}, Node ${process.version}, ${process.platform} ${process.arch}`);
  console.log(config.databaseUrl === undefined ? `embedded PostgreSQL in ${config.dataDir}` : "external PostgreSQL");
  await withWorlds(config, { mayMigrate: false }, async (worlds) => {
    for (const world of worlds) {
      const server = await describeServer(world.db);
      console.log(`${world.environment}: ${server.version}, migrations up to date`);
      if (!server.isDurable) {
        problem(`${world.environment}: fsync is off; a power cut can lose acknowledged changes`);
      }
      for (const { id, name } of await listAllOrganizations(world)) {
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

async function listAllOrganizations(world: World): Promise<Organization[]> {
  const ctx = systemContext(world, "", "hub doctor");
  const all: Ctx = { ...ctx, principal: { ...ctx.principal, scopes: new Set(["organizations:write"]) } };
  const organizations: Organization[] = [];
  for (let page = 1; ; page++) {
    const { data } = await listOrganizations(all, { page, limit: pageSize });
    organizations.push(...data);
    if (data.length < pageSize) return organizations;
  }
}

function problem(text: string): void {
  console.error(`PROBLEM ${text}`);
  process.exitCode = 1;
}
