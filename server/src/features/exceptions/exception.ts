import { createHash } from "node:crypto";
import type { Actor } from "../../core/actor.ts";
import type { Ctx } from "../../context.ts";
import type {
  SubjectType,
  ExceptionKind,
  ExceptionStatus,
  ExceptionSummary,
  LastAction,
} from "./exceptions.schemas.ts";

/** What went wrong, as whoever meets it tells of it. */
export type NewException = {
  /** The same for the same trouble: see `exceptionKeys`. */
  key: string;
  kind: ExceptionKind;
  code: string;
  /** In the hub's words: nobody is quoted. */
  message: string;
  /** What was said, by whomever. */
  reason?: string | null;
  subject: { type: SubjectType; id: string | null; name: string | null };
  orderId?: string | null;
  bridgeId?: string | null;
  taskName?: string | null;
  executionId?: string | null;
  holdHandle?: string | null;
  /** As it came: kept sealed, since it belongs to people. */
  record?: KeptRecord;
  details?: ExceptionDetails;
  /** What was asked for, where that can be asked for anew: what was decided about the one time says nothing about the next. */
  occasion?: string;
};

/** What a fix needs to know, and whoever decides. */
export type ExceptionDetails = {
  errors?: unknown[];
  /** What the source of an order says, by the names of the fields. */
  theirs?: Record<string, unknown>;
  /** Which of its statements that is. */
  fact?: string;
  shipments?: unknown[];
};

/** `raw` is what a transformation maps, `canonical` what the hub takes without one. */
export type KeptRecord = {
  externalId: string;
  updatedAt: string | null;
  raw: Record<string, unknown>;
  canonical: Record<string, unknown>;
};

/** An exception in the books. */
export type StoredException = {
  id: string;
  dedupKey: string;
  kind: ExceptionKind;
  code: string;
  status: ExceptionStatus;
  message: string;
  reason: string | null;
  subjectType: SubjectType;
  subjectId: string | null;
  subjectName: string | null;
  orderId: string | null;
  bridgeId: string | null;
  taskName: string | null;
  executionId: string | null;
  holdHandle: string | null;
  details: ExceptionDetails;
  sealedRecord: string | null;
  digest: string;
  timesSeen: number;
  firstSeenAt: string;
  openedAt: string;
  lastSeenAt: string;
  lastAction: LastAction | null;
  resolvedAt: string | null;
  resolvedBy: Actor | null;
  resolution: ExceptionSummary["resolution"];
};

/** Under which each trouble is known: one place, so that whoever puts it right finds what the other has written. */
export const exceptionKeys = {
  record: (bridgeId: string, taskName: string, externalId: string): string =>
    `record:${bridgeId}:${taskName}:${keyOf(externalId)}`,
  conflict: (orderId: string, fact: string): string => `conflict:${orderId}:${fact}`,
  push: (bridgeId: string, taskName: string, orderRef: string): string =>
    `push:${bridgeId}:${taskName}:${keyOf(orderRef)}`,
  /** Of an order the same goods; without one the label itself. */
  label: ({ id, orderId, lines }: { id: string; orderId: string | null; lines: unknown }): string =>
    orderId === null ? `label:${id}` : `label:${orderId}:${digestOf(lines)}`,
  labelVoid: (id: string): string => `label_void:${id}`,
  /** Parcels of the order that go to an address it does not have any more. */
  parcelAddress: (orderId: string): string => `parcel_address:${orderId}`,
  pickup: (id: string): string => `pickup:${id}`,
  pickupCancel: (id: string): string => `pickup_cancel:${id}`,
  /** What reads on where it ended is one trouble, whichever execution meets it. */
  task: (bridgeId: string, taskName: string): string => `task:${bridgeId}:${taskName}`,
  schedule: (id: string): string => `schedule:${id}`,
  /** The first execution of a chain of retries. */
  execution: (rootId: string): string => `execution:${rootId}`,
};

const longestPart = 200;

/** Ids of others may be as long as they like; an entry of an index may not. */
function keyOf(part: string): string {
  return part.length <= longestPart ? part : digestOf(part);
}

export function digestOf(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("hex")
    .slice(0, 32);
}

const recordContext = (orgId: string, dedupKey: string): string => `exception:${orgId}:${dedupKey}`;

export function sealRecord({ secrets, orgId }: Ctx, dedupKey: string, record: KeptRecord): string {
  return secrets.seal(JSON.stringify(record), recordContext(orgId, dedupKey));
}

/** Undefined: it was too large to be kept, or sealed with a key that this hub does not have any more. */
export function openRecord({ secrets, orgId }: Ctx, row: StoredException): KeptRecord | undefined {
  if (row.sealedRecord === null) return undefined;
  try {
    return JSON.parse(secrets.open(row.sealedRecord, recordContext(orgId, row.dedupKey))) as KeptRecord;
  } catch {
    return undefined;
  }
}
