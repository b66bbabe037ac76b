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
/** Rows of an export formatted before the event loop gets to other requests. */
const rowsPerChunk = 100;

/** Callers see their own latest changes in the log. */
async function sealPending(ctx: Ctx): Promise<void> {
  await releaseSlotWhile(ctx, () => ctx.sealer.sealNow(ctx.orgId));
}

export async function listAuditEntries(ctx: Ctx, query: AuditQuery): Promise<Page<AuditEntry>> {
  await sealPending(ctx);
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

/** Newest first, read in batches while the response is sent. */
export async function exportAudit(ctx: Ctx, query: AuditExportQuery): Promise<Streamed> {
  await sealPending(ctx);
  async function* body(): AsyncGenerator<string> {
    yield toCsv([columns.map(([name]) => name)]);
    for (let before: number | undefined; ;) {
      const entries = await store.listEntriesBefore(ctx.db, ctx.orgId, query, { before, limit: batchSize });
      for await (const some of batchesOf(entries, rowsPerChunk)) {
        yield toCsv(some.map((entry) => columns.map(([, read]) => toCell(read(entry)))));
      }
      if (entries.length < batchSize) return;
      before = entries.at(-1)!.sequence;
    }
  }
  return new Streamed("text/csv", `audit-${await today(ctx)}.csv`, body());
}

type InvalidEntry = { sequence: number; reason: string };

/** Recomputes the whole chain and compares its end with the stored head. */
export async function verifyAudit(ctx: Ctx): Promise<AuditVerification> {
  await sealPending(ctx);
  return await verifySealed(ctx);
}

type LogSource = { db: Queryable; environment: Environment; sealer: { signer: HeadSigner } };
type Log = LogSource & { orgId: string };

/** Verifies the sealed part of every organization's log, for snapshots, in which nothing can be sealed. */
export async function verifyAllSealedAcrossOrgs(
  source: LogSource,
): Promise<{ name: string; found: AuditVerification }[]> {
  const verified: { name: string; found: AuditVerification }[] = [];
  for (const { id, name } of await store.listOrganizationsAcrossOrgs(source.db)) {
    verified.push({ name, found: await verifySealed({ ...source, orgId: id }) });
  }
  return verified;
}

async function verifySealed(log: Log): Promise<AuditVerification> {
  let sequence = 0;
  let hash: Buffer = firstHash;
  const answer = (firstInvalidEntry: InvalidEntry | null = null): AuditVerification => {
    const head = { sequence, hash: hash.toString("hex") };
    return { ok: firstInvalidEntry === null, entries: sequence, head, firstInvalidEntry };
  };
  for (;;) {
    const rows = await store.listSealed(log.db, log.orgId, sequence, batchSize);
    for (const row of rows) {
      const reason = findInvalid(row, sequence + 1, hash);
      if (reason) return answer({ sequence: sequence + 1, reason });
      sequence = row.sequence;
      hash = row.hash;
    }
    if (rows.length === batchSize) continue;
    const head = await findHead(log.db, log.orgId);
    // Entries were sealed while this function was reading.
    if (head && head.sequence > sequence && (await hasMore(log, sequence))) continue;
    return answer(findInvalidEnd(log, { sequence, hash }, head));
  }
}

async function hasMore(log: Log, after: number): Promise<boolean> {
  return (await store.listSealed(log.db, log.orgId, after, 1)).length > 0;
}

function findInvalidEnd(
  { environment, sealer }: Log,
  end: { sequence: number; hash: Buffer },
  head: StoredHead | undefined,
): InvalidEntry | null {
  const { sequence } = end;
  const invalid = (at: number, reason: string): InvalidEntry => ({ sequence: Math.max(at, 1), reason });
  if (!head) {
    // A preview reset empties all logs. Otherwise every organization has at least the entry of its creation.
    if (sequence === 0 && environment === "preview") return null;
    return invalid(sequence, sequence === 0 ? "the log is empty" : "there is no stored head");
  }
  if (head.sequence > sequence) return invalid(sequence + 1, `the stored head is entry ${head.sequence}`);
  if (head.sequence < sequence) return invalid(head.sequence + 1, `the stored head is entry ${head.sequence}`);
  if (!head.hash.equals(end.hash)) return invalid(sequence, "the stored head has another hash");
  return sealer.signer.isSigned(head) ? null : invalid(sequence, "the stored head was not signed by this hub");
}

export async function getAuditHead(ctx: Ctx): Promise<AuditHead> {
  await sealPending(ctx);
  const head = await findHead(ctx.db, ctx.orgId);
  const { signer } = ctx.sealer;
  if (!head?.signedAt || !head.keyId || !head.signature || !signer.isSigned(head)) {
    throw new HubError("invalid_state", "The audit log has no head signed by this hub. See GET /audit/verification.");
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

/** Why a head stored outside of the hub does not match the log; undefined if it does. The chain itself is verified separately. */
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
  if (!signer.keyOf(keyId)) return `it was signed with key ${keyId}, which this hub does not have`;
  if (!signer.isSigned(head)) return "its signature is invalid: it was changed, or signed by another hub";
  const [entry] = await store.listSealed(ctx.db, ctx.orgId, sequence - 1, 1);
  if (entry?.sequence !== sequence) return `the log no longer has entry ${sequence}`;
  return entry.hash.equals(head.hash) ? undefined : `entry ${sequence} of the log has another hash`;
}

function findInvalid(row: store.SealedRow, expected: number, previous: Buffer): string | undefined {
  if (row.sequence !== expected) return "an entry is missing";
  if (!row.previous_hash.equals(previous)) return "the entry does not match the previous entry";
  if (!chainHash(previous, row.sequence, row).equals(row.hash)) return "the entry was changed";
  return undefined;
}
