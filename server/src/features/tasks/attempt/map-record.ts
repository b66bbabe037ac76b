import type { PulledRecord, PullTask } from "../../../connectors/connector.ts";
import { cleanText, findUnstorableText } from "../../../core/strict-json.ts";
import type { OpenBridge } from "../../bridges/bridge-tasks.ts";
import type { PulledItem } from "./pulled-item.ts";
import type { ActiveMappings, Mapped } from "./task-mappings.ts";

const maxErrors = 5;

/** What is made of the records of a task on their way in. */
export type RecordMapping = { mappings: ActiveMappings; bridge: OpenBridge; task: PullTask };

/** The record as the hub takes it; one that cannot be mapped says so, and does not hold up the others. */
export function mapRecord(
  { mappings, bridge, task }: RecordMapping,
  { externalId, updatedAt, raw, canonical, isGone }: PulledRecord,
): { item: PulledItem; mapped?: Mapped } {
  // There is nothing of it left to map.
  if (isGone) return { item: { externalId, updatedAt, body: canonical } };
  const mapped = mappings.inbound?.map(raw, canonical) ?? { ok: true as const, output: canonical };
  const errors = mapped.ok ? findUnstorableText([externalId, mapped.output]) : mapped.errors;
  if (mapped.ok && errors.length === 0) {
    const body = task.recordType === "orders" ? numbered(mapped.output, bridge) : mapped.output;
    return { item: { externalId, updatedAt, body }, mapped };
  }
  const code = mapped.ok ? "text_not_storable" : "transformation_failed";
  const [{ target = "", message }] = errors as [{ target?: string; message: string }];
  const failure = { code, message: target ? `${target}: ${message}` : message, errors: errors.slice(0, maxErrors) };
  return { item: { externalId: cleanText(externalId), updatedAt, body: {}, failure }, mapped };
}

/** Every shop begins at #1001: with a prefix the numbers of two can be told apart. */
function numbered(body: Record<string, unknown>, { row }: OpenBridge): Record<string, unknown> {
  const { number } = body;
  return row.number_prefix !== null && typeof number === "string" && number !== ""
    ? { ...body, number: row.number_prefix + number }
    : body;
}
