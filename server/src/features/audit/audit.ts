import type { Page } from "../../core/page.ts";
import { toCell, toCsv } from "../../core/csv/csv.ts";
import type { Cell } from "../../core/csv/xlsx.ts";
import { HubError } from "../../core/errors.ts";
import { batchesOf } from "../../core/yield-to-event-loop.ts";
import type { Ctx, Environment } from "../../context.ts";
import { releaseSlotWhile } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import type { HeadSigner, StoredHead } from "../../events/audit-head.ts";
import { findHead } from "../../events/audit-head.ts";
import { chainHash, firstHash } from "../../events/chain.ts";
import { Streamed } from "../../route.ts";
import { today } from "../organizations/organizations.ts";
import type { AuditEntry, AuditExportQuery, AuditHead, AuditQuery, AuditVerification } from "./audit.schemas.ts";
import * as store from "./audit.store.ts";

const batchSize = 1_000;
/** Of an export, at one go. */
const rowsAtOnce = 100;

/** Whoever reads the log sees what they have just done. */
async function sealFirst(ctx: Ctx): Promise<void> {
  await releaseSlotWhile(ctx, () => ctx.sealer.sealNow(ctx.orgId));
}

export async function listAuditEntries(ctx: Ctx, query: AuditQuery): Promise<Page<AuditEntry>> {
  await sealFirst(ctx);
  return await store.listEntries(ctx.db, ctx.orgId, query);
}

const columns: [name: string, read: (entry: AuditEntry) => Cell][] = [
  ["sequence", ({ sequence }) => sequence],
  ["occurredAt", ({ occurredAt }) => occurredAt],
  ["type", ({ type }) => type],
  ["objectType", ({ objectType }) => objectType],
  ["objectId", ({ objectId }) => objectId],
  ["actor.type", ({ actor }) => actor.type],
  ["actor.id", ({ actor }) => (actor.type === "system" ? null : actor.id)],
  ["actor.name", ({ actor }) => (actor.type === "user" ? actor.email : actor.name)],
  ["requestId", ({ requestId }) => requestId],
  ["data", ({ data }) => JSON.stringify(data)],
  ["hash", ({ hash }) => hash],
];

/** Newest first, read in portions while it is sent. */
export async function exportAudit(ctx: Ctx, query: AuditExportQuery): Promise<Streamed> {
  await sealFirst(ctx);
  async function* body(): AsyncGenerator<string> {
    yield toCsv([columns.map(([name]) => name)]);
    for (let before: number | undefined; ;) {
      const entries = await store.listEntriesBefore(ctx.db, ctx.orgId, query, { before, limit: batchSize });
      for await (const some of batchesOf(entries, rowsAtOnce)) {
        yield toCsv(some.map((entry) => columns.map(([, read]) => toCell(read(entry)))));
      }
      if (entries.length < batchSize) return;
      before = entries.at(-1)!.sequence;
    }
  }
  return new Streamed("text/csv", `audit-${await today(ctx)}.csv`, body());
}

type Break = { sequence: number; reason: string };

/** Recomputes the whole chain, and compares its end with what was remembered of it elsewhere. */
export async function verifyAudit(ctx: Ctx): Promise<AuditVerification> {
  await sealFirst(ctx);
  return await verifySealed(ctx);
}

type Place = { db: Queryable; environment: Environment; sealer: { signer: HeadSigner } };
type Log = Place & { orgId: string };

/** Every organization's log as far as it is sealed: for a snapshot, in which nothing can be sealed. */
export async function verifyAllSealedAcrossOrgs(place: Place): Promise<{ name: string; found: AuditVerification }[]> {
  const verified: { name: string; found: AuditVerification }[] = [];
  for (const { id, name } of await store.listOrganizationsAcrossOrgs(place.db)) {
    verified.push({ name, found: await verifySealed({ ...place, orgId: id }) });
  }
  return verified;
}

async function verifySealed(log: Log): Promise<AuditVerification> {
  let sequence = 0;
  let hash: Buffer = firstHash;
  const answer = (firstBroken: Break | null = null): AuditVerification => {
    const head = { sequence, hash: hash.toString("hex") };
    return { ok: firstBroken === null, entries: sequence, head, firstBroken };
  };
  for (;;) {
    const rows = await store.listSealed(log.db, log.orgId, sequence, batchSize);
    for (const row of rows) {
      const reason = findBreak(row, sequence + 1, hash);
      if (reason) return answer({ sequence: sequence + 1, reason });
      sequence = row.sequence;
      hash = row.hash;
    }
    if (rows.length === batchSize) continue;
    const head = await findHead(log.db, log.orgId);
    // More was sealed while this one was reading.
    if (head && head.sequence > sequence && (await hasMore(log, sequence))) continue;
    return answer(findBreakAtEnd(log, { sequence, hash }, head));
  }
}

async function hasMore(log: Log, after: number): Promise<boolean> {
  return (await store.listSealed(log.db, log.orgId, after, 1)).length > 0;
}

function findBreakAtEnd(
  { environment, sealer }: Log,
  end: { sequence: number; hash: Buffer },
  head: StoredHead | undefined,
): Break | null {
  const { sequence } = end;
  const broken = (at: number, reason: string): Break => ({ sequence: Math.max(at, 1), reason });
  if (!head) {
    // A reset of the preview empties all logs. Any other organization has an entry about how it was made.
    if (sequence === 0 && environment === "preview") return null;
    return broken(sequence, sequence === 0 ? "the log is empty" : "nobody remembers where the log ended");
  }
  if (head.sequence > sequence) return broken(sequence + 1, `the log ended at ${head.sequence} before`);
  if (head.sequence < sequence) return broken(head.sequence + 1, `the log ended at ${head.sequence} before`);
  if (!head.hash.equals(end.hash)) return broken(sequence, "the log ended with another entry before");
  return sealer.signer.isSigned(head) ? null : broken(sequence, "where the log ended was not signed by this hub");
}

export async function getAuditHead(ctx: Ctx): Promise<AuditHead> {
  await sealFirst(ctx);
  const head = await findHead(ctx.db, ctx.orgId);
  const { signer } = ctx.sealer;
  if (!head?.signedAt || !head.keyId || !head.signature || !signer.isSigned(head)) {
    throw new HubError(
      "invalid_state",
      "The log has no end that this hub has signed. Look at GET /audit/verification.",
    );
  }
  const { sequence, signedAt, keyId, signature } = head;
  return {
    organizationId: ctx.orgId,
    environment: ctx.environment,
    sequence,
    hash: head.hash.toString("hex"),
    signedAt: signedAt.toISOString(),
    keyId,
    algorithm: "Ed25519",
    publicKey: signer.keyOf(keyId)!.publicKey.export({ type: "spki", format: "pem" }),
    signedText: signer.textOf({ ...head, signedAt }),
    signature: signature.toString("base64"),
  };
}

/** What is wrong with a head that was kept elsewhere, or with the log since; that the log is whole is checked apart. */
export async function checkSavedHead(ctx: Ctx, saved: AuditHead): Promise<string | undefined> {
  const { sequence, keyId } = saved;
  const head = {
    orgId: ctx.orgId,
    sequence,
    hash: Buffer.from(saved.hash, "hex"),
    signedAt: new Date(saved.signedAt),
    keyId,
    signature: Buffer.from(saved.signature, "base64"),
  };
  const { signer } = ctx.sealer;
  if (!signer.keyOf(keyId)) return `it was signed with the key ${keyId}, which this hub does not have`;
  if (!signer.isSigned(head)) return "its signature is not of this hub, or it was changed";
  const [entry] = await store.listSealed(ctx.db, ctx.orgId, sequence - 1, 1);
  if (entry?.sequence !== sequence) return `the log has no entry ${sequence} any more`;
  return entry.hash.equals(head.hash) ? undefined : `entry ${sequence} of the log is another one`;
}

function findBreak(row: store.SealedRow, expected: number, previous: Buffer): string | undefined {
  if (row.sequence !== expected) return "an entry is missing";
  if (!row.previous_hash.equals(previous)) return "the entry does not follow the one before it";
  if (!chainHash(previous, row.sequence, row).equals(row.hash)) return "the entry was changed";
  return undefined;
}
