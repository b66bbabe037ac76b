import type { FieldError } from "../../../core/errors.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { findErrorsIn } from "../../../core/validation.ts";
import { isJsonPath, readPath } from "../../../connectors/json-path.ts";
import type { Order, OrderPatch } from "../../orders/order.ts";
import { orderPatchOf } from "../../orders/orders.ts";
import type { OrderRequest } from "../../orders/orders.schemas.ts";
import { OrderPatchRequest } from "../../orders/orders.schemas.ts";
import { openStatuses } from "../../orders/orders.states.ts";
import type { ActionEnv, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import { answerNotFetched } from "../bridge-answers.ts";
import { filledIn } from "../template-params.ts";

/** Fields that other systems decide about, and whose change has no consequence of its own. */
const plainFields = [
  "priority",
  "riskLevel",
  "poNumber",
  "requestedDeliveryDate",
  "shipBy",
  "deliverBy",
  "dispatchOn",
] as const;
type PlainField = (typeof plainFields)[number];
const customPrefix = "customFields.";

export const setFieldFromRequest = defineAction({
  type: "set_field_from_request",
  title: "Set field from request",
  group: "integration",
  description:
    "Asks another system through a bridge task and sets a field to a value of the answer. The task must be one that may be repeated, because " +
    "the preflight asks as well.",
  params: Strict({
    bridge_id: Id,
    task_name: Type.String({ pattern: "^[a-z][a-z0-9_.]{0,63}$" }),
    input: Type.Optional(
      filledIn(
        Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown(), { maxProperties: 100 }),
        "all",
      ),
    ),
    path: Type.String({
      maxLength: 300,
      description: "Where the value is in the answer, such as data.score or items[0].id",
    }),
    field: Type.String({
      maxLength: 80,
      pattern: `^(${plainFields.join("|")}|customFields\\.[A-Za-z][\\w.-]{0,63})$`,
      description: `The field to set: customFields.<name>, ${plainFields.join(", ")}`,
    }),
    if_missing: Type.Optional(
      OneOf(["fail", "keep"], {
        description: "If the answer has no such value. keep: the order stays as it is. Default: fail",
      }),
    ),
  }),
  example: {
    bridge_id: "0199f0a0-0000-7000-8000-000000000003",
    task_name: "risk.score",
    input: { number: "{{number}}" },
    path: "data.score",
    field: "customFields.risk_score",
  },
  statuses: openStatuses,
  scope: "tasks:execute",
  needsBridges: true,
  asksCarriers: true,
  refers: ({ bridge_id: id }) => [{ kind: "bridge", id, param: "bridge_id" }],
  check({ path, input }) {
    const errors: FieldError[] = [];
    if (!isJsonPath(path))
      errors.push({ pointer: "/path", code: "path", message: "Must be a path such as data.score or items[0].id." });
    // Orders are evaluated again after the answer, and must then have the same input.
    if (JSON.stringify(input ?? {}).includes("$now("))
      errors.push({ pointer: "/input", code: "template", message: "The current time cannot be part of the input." });
    return errors;
  },
  apply(order, params, env) {
    const {
      bridge_id: bridgeId,
      task_name: taskName,
      input = {},
      path,
      field,
      if_missing: ifMissing = "fail",
    } = params;
    const problem = env.bridges.problem(bridgeId, taskName, input);
    if (problem) return problem;
    const said = env.carriers.answerOf(bridgeId.toLowerCase(), taskName, input);
    if (said === answerNotFetched) return { patch: {} };
    if (!("answer" in said)) return refuse(said.code, said.message, tryTask);
    const value = readPath(said.answer, path) ?? undefined;
    if (value !== undefined) return patchFor(order, field, value, env);
    return ifMissing === "keep"
      ? { patch: {} }
      : refuse("answer_without_value", `The answer has no value at ${path}.`, tryTask);
  },
});

const tryTask = "POST /tasks/execute-sync with the same task and input shows the whole answer.";

function patchFor(order: Order, field: string, value: unknown, env: ActionEnv): { patch: OrderPatch } | Refusal {
  const isCustom = field.startsWith(customPrefix);
  const name = isCustom ? field.slice(customPrefix.length) : field;
  const wanted = isCustom ? { customFields: { [name]: value } } : { [name]: value };
  const [error] = findErrorsIn(OrderPatchRequest, wanted);
  if (error) return refuse("answer_not_valid", `The answer is not a valid ${field}: ${error.message}`);
  // The schema has checked name and value, here and below.
  if (!isCustom) return { patch: orderPatchOf(wanted as OrderRequest, [name as PlainField], env, order) };
  const { customFields } = order;
  if (!Object.hasOwn(customFields, name) && Object.keys(customFields).length >= orderLimits.customFields)
    return refuse("too_many_custom_fields", `An order has at most ${orderLimits.customFields} custom fields.`);
  return { patch: { customFields: { ...customFields, [name]: value as string | number | boolean } } };
}
