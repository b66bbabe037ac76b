import { parseArgs } from "node:util";
import type { World } from "../context.ts";
import {
  countByKeyAcrossOrgs,
  findMissingKeys,
  deleteKeyRecords,
  recordKey,
  resealAcrossOrgs,
} from "../db/sealed-columns.ts";
import { resignHeadsAcrossOrgs } from "../events/audit-head.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import { describeMissingKeys } from "./secret-key.ts";
import { withWorlds } from "./with-worlds.ts";

/** Run after HUB_SECRET_KEY was changed, with the old key in HUB_PREVIOUS_SECRET_KEYS: see docs/operate.md. */
export async function runRewrap(config: Config, args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { "discard-lost-keys": { type: "boolean", default: false } } });
  await withWorlds(config, { mayMigrate: false, mayLackKeys: true }, async (worlds) => {
    for (const world of worlds) await rewrap(world, values["discard-lost-keys"]);
  });
}

async function rewrap({ environment, db, secrets, sealer }: World, mayForget: boolean): Promise<void> {
  const missing = await findMissingKeys(db, secrets);
  if (missing.length > 0 && !mayForget) throw new ConfigError(describeMissingKeys(environment, missing));
  await recordKey(db, secrets, new Date());
  const { resealed, unreadable } = await resealAcrossOrgs(db, secrets);
  const heads = await resignHeadsAcrossOrgs(db, sealer.signer, new Date());
  console.log(
    `${environment}: sealed ${resealed} secrets and signed ${heads.signed} heads of audit logs with the key ${secrets.keyId}`,
  );
  const left = new Set((await countByKeyAcrossOrgs(db)).map(({ keyId }) => keyId));
  const done = secrets.keyIds.slice(1).filter((keyId) => !left.has(keyId));
  await deleteKeyRecords(db, secrets, [...done, ...missing]);
  if (done.length > 0) console.log(`${environment}: nothing is sealed with ${done.join(", ")} any more`);
  if (missing.length > 0) console.log(`${environment}: gave up the lost ${missing.join(", ")}`);
  if (unreadable > 0 || heads.left > 0) {
    console.error(`PROBLEM ${environment}: ${unreadable} secrets and ${heads.left} heads could not be read`);
    process.exitCode = 1;
  }
}
