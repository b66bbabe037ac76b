import type { TObject, TSchema } from "typebox";
import { Type } from "../../core/type.ts";
import type { ConnectorTask } from "../../connectors/connector.ts";
import type { FieldError } from "../../core/errors.ts";
import { errorsAt } from "../../core/errors.ts";
import { Strict } from "../../core/schema.ts";
import { findErrorsIn } from "../../core/validation.ts";

const OrderIds = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 1_000,
  uniqueItems: true,
  title: "Orders",
  description: "IDs or numbers of the orders to send",
});

const OrderIdsOrUnsent = Type.Optional({
  ...OrderIds,
  description:
    "IDs or numbers of the orders whose shipments are sent. Default: all unsent shipments of orders imported through this " +
    "bridge. Rejected ones are retried with increasing delays",
});

const ForceResend = Type.Optional(
  Type.Boolean({
    default: false,
    title: "Send again",
    description:
      "Sends orders or shipments again, with a new key, even if another execution has sent them or the outcome is unknown. " +
      "Default: each is sent once",
  }),
);

const pushInputs = { order: new WeakMap<TObject, TObject>(), shipment: new WeakMap<TObject, TObject>() };

/** The input schema of a task, with the order IDs of push tasks. Cached per schema. */
export function inputSchemaOf(task: ConnectorTask): TObject {
  if (task.mode !== "push") return task.input;
  const named = task.unit === "shipment" ? OrderIdsOrUnsent : OrderIds;
  return pushInputs[task.unit].getOrInsertComputed(task.input, (input) => withOrders(input, named));
}

function withOrders(input: TObject, named: TSchema): TObject {
  const properties = { orderIds: named, forceResend: ForceResend, ...input.properties };
  // Tasks with arbitrary input for their templates also accept it when they send orders.
  const { additionalProperties } = input as { additionalProperties?: unknown };
  return additionalProperties === false ? Strict(properties) : Type.Object(properties);
}

export function findInputErrors(task: ConnectorTask, input: unknown) {
  const errors = findErrorsIn(inputSchemaOf(task), input);
  return errorsAt("/input", errors.length > 0 || task.mode !== "push" ? errors : findResendErrors(input));
}

/** A resend must name the orders. */
function findResendErrors(input: unknown): FieldError[] {
  const { forceResend, orderIds: named } = input as { forceResend?: boolean; orderIds?: string[] };
  if (forceResend !== true || named !== undefined) return [];
  return [{ pointer: "/orderIds", code: "required", message: "Required to send again." }];
}
