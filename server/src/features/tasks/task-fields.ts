import type { ConnectorTask, PullTask } from "../../connectors/connector.ts";
import { badField, HubError } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";
import type { SchemaField } from "../../core/schema-fields.ts";
import { schemaFields } from "../../core/schema-fields.ts";
import type { Ctx } from "../../context.ts";
import { findKnownBridge, findTask, inputSchemaOf } from "../bridges/bridge-tasks.ts";
import { SyncedLocation } from "../locations/locations.schemas.ts";
import { ImportedOrder } from "../orders/orders.schemas.ts";
import { PulledLevel } from "../stock/stock.schemas.ts";
import { Tracking } from "./attempt/tracking-sink.ts";
import { exampleRecords } from "./example-records.ts";
import type { FieldsQuery, TaskField, TaskFields } from "./task-fields.schemas.ts";

const recordSchemas: Record<PullTask["recordType"], object> = {
  orders: ImportedOrder,
  locations: SyncedLocation,
  tracking: Tracking,
  inventory: PulledLevel,
};

/** The fields that a mapping of the task can fill: those of the hub's records, or those of the task's input. */
export async function listTaskFields(ctx: Ctx, bridgeId: string, query: FieldsQuery): Promise<TaskFields> {
  const { taskName = "orders.import", direction = "inbound" } = query;
  const bridge = await findKnownBridge(ctx, bridgeId);
  if (bridge?.row.org_id !== ctx.orgId) throw new HubError("bridge_not_found");
  const task = findTask(bridge, taskName);
  // A bridge without imports has no default task.
  if (!task && query.taskName === undefined) return { recordType: null, data: [] };
  if (!task) {
    const allowed = bridge.tasks.map(({ name }) => name);
    const message = `The bridge ${bridge.row.name} has no task ${taskName}.`;
    throw badField("/taskName", "unknown_task", message, alternatives(taskName, allowed));
  }
  return direction === "inbound" ? inboundFields(task) : outboundFields(task);
}

function inboundFields(task: ConnectorTask): TaskFields {
  // What a call or a push gets back is stored as it is.
  if (task.mode !== "pull") return { recordType: null, data: [] };
  const { recordType } = task;
  const examples = exampleRecords[recordType];
  const data = schemaFields(recordSchemas[recordType]).map((field) => withExample(field, examples));
  return { recordType, data };
}

function outboundFields(task: ConnectorTask): TaskFields {
  // A push sends records whose format only the other system knows.
  if (task.mode === "push") return { recordType: null, data: [] };
  const schema = inputSchemaOf(task);
  const [example] = (schema as { examples?: Record<string, unknown>[] }).examples ?? [];
  return { recordType: null, data: schemaFields(schema).map((field) => withExample(field, example ?? {})) };
}

function withExample(field: SchemaField, record: Record<string, unknown>): TaskField {
  const value = field.path
    .split(/\[\]\.|\./)
    .reduce<unknown>((around, name) => memberOf(Array.isArray(around) ? around[0] : around, name), record);
  const isShown = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return { ...field, example: isShown ? value : null };
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
