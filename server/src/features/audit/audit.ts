import type { Page } from "../../core/page.ts";
import type { Ctx } from "../../context.ts";
import { chainHash, firstHash } from "../../events/chain.ts";
import type { AuditEntry, AuditQuery, AuditVerification } from "./audit.schemas.ts";
import * as store from "./audit.store.ts";

const batchSize = 1_000;

export async function listAuditEntries(ctx: Ctx, query: AuditQuery): Promise<Page<AuditEntry>> {
  await ctx.sealer.sealNow(ctx.orgId);
  return await store.listEntries(ctx.db, ctx.orgId, query);
}

/** Recomputes the whole chain. */
export async function verifyAudit(ctx: Ctx): Promise<AuditVerification> {
  await ctx.sealer.sealNow(ctx.orgId);
  let sequence = 0;
  let hash: Buffer = firstHash;
  const answer = (): AuditVerification => {
    return { ok: true, entries: sequence, head: { sequence, hash: hash.toString("hex") }, firstBroken: null };
  };
  for (;;) {
    const rows = await store.listSealed(ctx.db, ctx.orgId, sequence, batchSize);
    for (const row of rows) {
      const reason = findBreak(row, sequence + 1, hash);
      if (reason) return { ...answer(), ok: false, firstBroken: { sequence: sequence + 1, reason } };
      sequence = row.sequence;
      hash = row.hash;
    }
    if (rows.length < batchSize) return answer();
  }
}

function findBreak(row: store.SealedRow, expected: number, previous: Buffer): string | undefined {
  if (row.sequence !== expected) return "an entry is missing";
  if (!row.previous_hash.equals(previous)) return "the entry does not follow the one before it";
  if (!chainHash(previous, row.sequence, row).equals(row.hash)) return "the entry was changed";
  return undefined;
}
