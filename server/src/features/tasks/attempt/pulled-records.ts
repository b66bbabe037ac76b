import type { PulledRecord, PullTask } from "../../../connectors/connector.ts";
import { cleanText, findUnstorableText } from "../../../core/strict-json.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import type { ActiveMappings, Mapped } from "./task-mappings.ts";

/** A pulled record after mapping, or the reason why it could not be mapped. */
export type PulledItem = {
  externalId: string;
  updatedAt: string | undefined;
  body: Record<string, unknown>;
  failure?: { code: string; message: string; errors: unknown[] };
};

/** A record that was not stored, and why. */
export type Rejected = { externalId: string; code: string; message: string; errors?: unknown[] };

/** Outcome of storing a page. `conflicts`: records that were also edited in the hub. */
export type Stored = {
  counts: Record<string, number>;
  failures: Rejected[];
  conflicts?: unknown[];
  /** When the oldest failed record was changed at its source. */
  failedSince?: string | undefined;
};

const maxErrors = 5;

/** What `mapRecord` needs to know of the task that pulled the record. */
export type RecordMapping = { mappings: ActiveMappings; bridge: OpenBridge; task: PullTask };

/** Applies the inbound transformation. A record that cannot be mapped fails on its own and does not stop the page. */
export function mapRecord(
  { mappings, bridge, task }: RecordMapping,
  { externalId, updatedAt, raw, canonical, isGone }: PulledRecord,
): { item: PulledItem; mapped?: Mapped } {
  // The source deleted the record, so there is no content to map.
  if (isGone) return { item: { externalId, updatedAt, body: canonical } };
  const mapped = mappings.inbound?.map(raw, canonical) ?? { ok: true as const, output: canonical };
  const errors = mapped.ok ? findUnstorableText([externalId, mapped.output]) : mapped.errors;
  if (mapped.ok && errors.length === 0) {
    const body = task.recordType === "orders" ? withNumberPrefix(mapped.output, bridge) : mapped.output;
    return { item: { externalId, updatedAt, body }, mapped };
  }
  const code = mapped.ok ? "text_not_storable" : "transformation_failed";
  const [{ target = "", message }] = errors as [{ target?: string; message: string }];
  const failure = { code, message: target ? `${target}: ${message}` : message, errors: errors.slice(0, maxErrors) };
  return { item: { externalId: cleanText(externalId), updatedAt, body: {}, failure }, mapped };
}

/** Every shop starts at order #1001; the prefix keeps the numbers of two shops apart. */
function withNumberPrefix(body: Record<string, unknown>, { row }: OpenBridge): Record<string, unknown> {
  const { number } = body;
  return row.number_prefix !== null && typeof number === "string" && number !== ""
    ? { ...body, number: row.number_prefix + number }
    : body;
}
