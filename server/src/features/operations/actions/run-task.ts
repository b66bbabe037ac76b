import { Type } from "../../../core/type.ts";
import { Id, Strict } from "../../../core/schema.ts";
import type { Order } from "../../orders/order.ts";
import { presentOrder } from "../../orders/order.ts";
import { defineAction } from "../action.ts";

export const runTask = defineAction({
  type: "run_task",
  title: "Run a task",
  group: "integration",
  description:
    "Queues a task of a bridge. A task that sends orders gets all of them; any other runs once for each order, and " +
    "{{number}}, {{shippingAddress.zip}} and the like in its input are filled in from the order.",
  params: Strict({
    bridge_id: Id,
    task_name: Type.String({ pattern: "^[a-z][a-z0-9_.]{0,63}$" }),
    input: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown(), { maxProperties: 100 }),
    ),
  }),
  example: { bridge_id: "0199f0a0-0000-7000-8000-000000000003", task_name: "noop", input: { number: "{{number}}" } },
  reversible: false,
  idempotent: false,
  scope: "tasks:execute",
  needsBridges: true,
  refers: ({ bridge_id }) => [{ kind: "bridge", id: bridge_id, param: "bridge_id" }],
  asksAbout: ({ input = {} }) => placeholdersIn(input, "/input"),
  apply(order, { bridge_id: bridgeId, task_name: taskName, input = {} }, { bridges }) {
    const filled = fill(input, order) as Record<string, unknown>;
    const problem = bridges.problem(bridgeId, taskName, filled);
    return problem ?? { patch: {}, call: { bridgeId, taskName, input: filled } };
  },
});

const placeholder = /\{\{\s*([\w.]+)\s*\}\}/g;

function placeholdersIn(template: unknown, pointer: string): { path: string; pointer: string }[] {
  if (typeof template === "string")
    return Array.from(template.matchAll(placeholder), ([, path]) => ({ path: path!, pointer }));
  if (typeof template !== "object" || template === null) return [];
  return Object.entries(template).flatMap(([key, value]) => placeholdersIn(value, `${pointer}/${key}`));
}

/** Texts with {{path}} in them; a text that is nothing but one placeholder keeps the type of what it stands for. */
function fill(template: unknown, order: Order): unknown {
  if (typeof template === "string") {
    const whole = /^\{\{\s*([\w.]+)\s*\}\}$/.exec(template);
    if (whole) return read(order, whole[1]!) ?? null;
    return template.replaceAll(placeholder, (_, path: string) => {
      const value = read(order, path);
      return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
    });
  }
  if (Array.isArray(template)) return template.map((item) => fill(item, order));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, order)]));
}

function read(order: Order, path: string): unknown {
  let value: unknown = presentOrder(order);
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
