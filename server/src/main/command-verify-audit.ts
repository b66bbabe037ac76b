import { readFile } from "node:fs/promises";
import type { Organization } from "../features/organizations/organizations.schemas.ts";
import { listOrganizations } from "../features/organizations/organizations.ts";
import { AuditHead } from "../features/audit/audit.schemas.ts";
import { checkSavedHead, verifyAudit } from "../features/audit/audit.ts";
import type { Ctx, World } from "../context.ts";
import { systemContext } from "../context.ts";
import { createFinder } from "../core/validation.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import { withWorlds } from "./with-worlds.ts";

const findErrors = createFinder(AuditHead, "body");
const pageSize = 100;

/** Exit code 1 if something is wrong. Files are saved responses of `GET /audit/head`. */
export async function runVerifyAudit(config: Config, files: string[]): Promise<void> {
  const heads = await Promise.all(files.map(readHead));
  await withWorlds(config, { mayMigrate: false }, async (worlds) => {
    for (const world of worlds) await verifyLogs(world);
    for (const { file, head } of heads) {
      const world = worlds.find(({ environment }) => environment === head.environment);
      if (!world) throw new ConfigError(`${file} is of the ${head.environment} surface, which this hub does not have.`);
      const ctx = systemContext(world, head.organizationId, "hub verify-audit");
      const problem = await checkSavedHead(ctx, head);
      if (problem) report(`${file}: ${problem}`);
      else console.log(`${file}: the log still holds all ${head.sequence} entries that it had at ${head.signedAt}`);
    }
  });
}

export async function verifyLogs(world: World): Promise<void> {
  for (const { id, name } of await listAllOrganizations(world)) {
    const { ok, entries, firstInvalidEntry } = await verifyAudit(systemContext(world, id, "hub verify-audit"));
    if (ok) console.log(`${world.environment}: audit log of ${name}: ${entries} entries, chain whole`);
    else
      report(
        `${world.environment}: audit log of ${name} is broken at ${firstInvalidEntry?.sequence}: ${firstInvalidEntry?.reason}`,
      );
  }
}

async function readHead(file: string): Promise<{ file: string; head: AuditHead }> {
  let head: unknown;
  try {
    head = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const [error] = findErrors(head);
  if (error) throw new ConfigError(`${file} is no answer of GET /audit/head: ${error.pointer} ${error.message}`);
  return { file, head: head as AuditHead };
}

function report(text: string): void {
  console.error(`PROBLEM ${text}`);
  process.exitCode = 1;
}

async function listAllOrganizations(world: World): Promise<Organization[]> {
  const ctx = systemContext(world, "", "hub");
  const all: Ctx = { ...ctx, principal: { ...ctx.principal, scopes: new Set(["organizations:write"]) } };
  const organizations: Organization[] = [];
  for (let page = 1; ; page++) {
    const { data } = await listOrganizations(all, { page, limit: pageSize });
    organizations.push(...data);
    if (data.length < pageSize) return organizations;
  }
}
