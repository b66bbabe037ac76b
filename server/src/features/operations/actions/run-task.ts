import { Type } from "typebox";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { needsBridge } from "./needs-bridge.ts";

export const runTask = defineAction({
  type: "run_task",
  title: "Run a task",
  group: "integration",
  description: "Runs a task of a bridge for the order.",
  params: Strict({
    bridge_id: Id,
    task_name: Type.String({ pattern: "^[a-z][a-z0-9_.]{0,63}$" }),
    input: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown(), { maxProperties: 100 }),
    ),
  }),
  example: { bridge_id: "0199f0a0-0000-7000-8000-000000000003", task_name: "orders.export", input: { format: "csv" } },
  statuses: "any",
  effect: "external",
  reversible: false,
  idempotent: false,
  scope: "tasks:execute",
  unavailable: needsBridge,
});
