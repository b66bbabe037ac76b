import type { Page, PulledRecord } from "../../../connectors/connector.ts";
import { cleanText, textProblem } from "../../../core/strict-json.ts";
import type { Tx } from "../../../db/database.ts";
import type { KeptRecord, NewException } from "../../exceptions/exceptions.ts";
import {
  exceptionKeys,
  listRecordsLeft,
  openExceptions,
  openRecord,
  resolveExceptions,
} from "../../exceptions/exceptions.ts";
import { listChain } from "../retry-chains.store.ts";
import type { AttemptWork } from "./attempt.ts";
import type { Rejected } from "./pulled-records.ts";

/** Larger records are reported, but not stored. */
const maxRecordBytes = 64 * 1024;

/** Where the records come from. */
export type RecordSource = { bridgeId: string; bridgeName: string; taskName: string; executionId: string | null };

/** Runs in the transaction of a page: opens an exception for each rejected record and resolves those of accepted records. */
export async function noteRejected(
  tx: Tx,
  { ctx, execution, bridge }: Pick<AttemptWork, "ctx" | "execution" | "bridge">,
  records: PulledRecord[],
  rejected: Rejected[],
): Promise<void> {
  const { bridge_id: bridgeId, task_name: taskName, id: executionId } = execution;
  const source = { bridgeId, bridgeName: bridge.row.name, taskName, executionId };
  const byId = new Map(records.map((record) => [cleanText(record.externalId), record]));
  const isRejected = new Set(rejected.map(({ externalId }) => externalId));
  const taken = [...byId.keys()].filter((externalId) => !isRejected.has(externalId));
  await resolveExceptions(
    tx,
    ctx,
    taken.map((externalId) => exceptionKeys.record(bridgeId, taskName, externalId)),
  );
  await openExceptions(
    tx,
    ctx,
    rejected.map((one) => troubleOfRecord(source, one, keepable(byId.get(one.externalId)))),
  );
}

export function troubleOfRecord(
  source: RecordSource,
  rejected: Rejected,
  record: KeptRecord | undefined,
): NewException {
  const { bridgeName, ...from } = source;
  const { externalId, code, message, errors = [] } = rejected;
  return {
    key: exceptionKeys.record(source.bridgeId, source.taskName, externalId),
    kind: "rejected_record",
    code,
    message: `A record of ${bridgeName} was rejected.`,
    reason: message,
    subject: { type: "record", id: null, name: externalId },
    ...from,
    details: errors.length > 0 ? { errors } : {},
    ...(record ? { record } : {}),
  };
}

function keepable(record: PulledRecord | undefined): KeptRecord | undefined {
  if (!record) return undefined;
  const { externalId, updatedAt = null, raw, canonical } = record;
  const kept = { externalId, updatedAt, raw, canonical };
  const isSmall = Buffer.byteLength(JSON.stringify(kept)) <= maxRecordBytes;
  return isSmall && textProblem(externalId) === undefined ? kept : undefined;
}

const leftAtOnce = 200;

/** The rejected records of an execution, or of one that it retried, as they were received. */
export async function* readLeft({ ctx, execution }: AttemptWork, cursor: unknown): AsyncGenerator<Page> {
  const chain = await listChain(ctx.db, ctx.orgId, execution.id);
  let after = typeof cursor === "string" ? cursor : "";
  for (;;) {
    const left = await listRecordsLeft(ctx.db, ctx.orgId, chain, { after, limit: leftAtOnce });
    const last = left.at(-1);
    if (!last) return;
    after = last.dedupKey;
    const records = left.flatMap((row) => openRecord(ctx, row) ?? []);
    yield { records: records.map(toPulled), cursor: after };
  }
}

export function toPulled({ updatedAt, ...record }: KeptRecord): PulledRecord {
  return updatedAt === null ? record : { ...record, updatedAt };
}
