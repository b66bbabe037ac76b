import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import { defineAction } from "../action.ts";
import { filledIn } from "../template-params.ts";

export const runTask = defineAction({
  type: "run_task",
  title: "Run task",
  group: "integration",
  description:
    "Queues a bridge task. Tasks that send orders receive all orders; others run once per order, with " +
    "placeholders filled in from the order.",
  params: Strict({
    bridge_id: Id,
    task_name: Type.String({ pattern: "^[a-z][a-z0-9_.]{0,63}$" }),
    input: Type.Optional(
      filledIn(
        Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown(), { maxProperties: 100 }),
        "all",
      ),
    ),
  }),
  example: { bridge_id: "0199f0a0-0000-7000-8000-000000000003", task_name: "noop", input: { number: "{{number}}" } },
  irreversible: "The task's effects are outside the hub.",
  idempotent: false,
  scope: "tasks:execute",
  needsBridges: true,
  refers: ({ bridge_id }) => [{ kind: "bridge", id: bridge_id, param: "bridge_id" }],
  apply(_order, { bridge_id: bridgeId, task_name: taskName, input = {} }, { bridges }) {
    return bridges.problem(bridgeId, taskName, input) ?? { patch: {}, call: { bridgeId, taskName, input } };
  },
});
