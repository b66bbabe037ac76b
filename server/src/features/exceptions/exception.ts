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

/** An exception to open. */
export type NewException = {
  /** Equal for the same problem; see `exceptionKeys`. */
  key: string;
  kind: ExceptionKind;
  code: string;
  /** Written by the hub; never quotes another system. */
  message: string;
  /** The reason given by the other system. */
  reason?: string | null;
  subject: { type: SubjectType; id: string | null; name: string | null };
  orderId?: string | null;
  bridgeId?: string | null;
  taskName?: string | null;
  executionId?: string | null;
  holdHandle?: string | null;
  /** As received. Stored encrypted, since it contains personal data. */
  record?: KeptRecord;
  details?: ExceptionDetails;
  /** Identifies the request, if it can be repeated: a dismissal of one does not apply to the next. */
  requestKey?: string;
};

/** Data for the actions and for the user who decides. */
export type ExceptionDetails = {
  errors?: unknown[];
  /** Field values at the source of the order. */
  theirs?: Record<string, unknown>;
  /** Which fact of the source is in conflict. */
  fact?: string;
  shipments?: unknown[];
};

/** `raw` is the input of a transformation, `canonical` what the hub imports without one. */
export type KeptRecord = {
  externalId: string;
  updatedAt: string | null;
  raw: Record<string, unknown>;
  canonical: Record<string, unknown>;
};

export type StoredException = {
  id: string;
  dedupKey: string;
  kind: ExceptionKind;
  code: string;
  status: ExceptionStatus;
  assigneeId: string | null;
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

/** Keys that identify a problem. Code that opens an exception and code that resolves it must use the same one. */
export const exceptionKeys = {
  record: (bridgeId: string, taskName: string, externalId: string): string =>
    `record:${bridgeId}:${taskName}:${keyOf(externalId)}`,
  conflict: (orderId: string, fact: string): string => `conflict:${orderId}:${fact}`,
  push: (bridgeId: string, taskName: string, orderRef: string): string =>
    `push:${bridgeId}:${taskName}:${keyOf(orderRef)}`,
  /** For an order, the items of the label; otherwise the label itself. */
  label: ({ id, orderId, lines }: { id: string; orderId: string | null; lines: unknown }): string =>
    orderId === null ? `label:${id}` : `label:${orderId}:${digestOf(lines)}`,
  labelVoid: (id: string): string => `label_void:${id}`,
  /** Parcels sent to a former address of the order. */
  parcelAddress: (orderId: string): string => `parcel_address:${orderId}`,
  pickup: (id: string): string => `pickup:${id}`,
  /** Account, address, day and group. */
  manifest: (ofWhat: string): string => `manifest:${keyOf(ofWhat)}`,
  pickupCancel: (id: string): string => `pickup_cancel:${id}`,
  /** A task that continues from a cursor has one problem, whichever execution hits it. */
  task: (bridgeId: string, taskName: string): string => `task:${bridgeId}:${taskName}`,
  /** An order that no location has the items for. */
  shortage: (orderId: string): string => `shortage:${orderId}`,
  /** A location of a bridge that the hub does not have. */
  stockLocation: (bridgeId: string, location: string): string => `stock_location:${bridgeId}:${keyOf(location)}`,
  /** An invoice whose lines do not add up to its amount. */
  invoice: (id: string): string => `invoice:${id}`,
  schedule: (id: string): string => `schedule:${id}`,
  /** By the first execution of a chain of retries. */
  execution: (rootId: string): string => `execution:${rootId}`,
};

const longestPart = 200;

/** External IDs can be longer than an index entry allows. */
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

/** Undefined if it was too large to store, or encrypted with a key that was lost. */
export function openRecord({ secrets, orgId }: Ctx, row: StoredException): KeptRecord | undefined {
  if (row.sealedRecord === null) return undefined;
  try {
    return JSON.parse(secrets.open(row.sealedRecord, recordContext(orgId, row.dedupKey))) as KeptRecord;
  } catch {
    return undefined;
  }
}
