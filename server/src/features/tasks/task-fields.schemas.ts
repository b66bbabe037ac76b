import type { Static } from "typebox";
import { Nullable, OneOf, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { ImportedField } from "../orders/order-answers.schemas.ts";

export const FieldsQuery = Strict({
  taskName: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "One of GET /bridges/{id}/tasks; default: orders.import",
    }),
  ),
  direction: Type.Optional(
    OneOf(["inbound", "outbound"], {
      description: "inbound (the default): fields of the records that the task brings. outbound: fields of its input",
    }),
  ),
});
export type FieldsQuery = Static<typeof FieldsQuery>;

const TaskField = Type.Object({
  ...ImportedField.properties,
  example: Nullable(Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
});
export type TaskField = Static<typeof TaskField>;

export const TaskFields = Type.Object({
  recordType: Nullable(
    Type.String({ description: "orders, locations, tracking or inventory; null: not a record of the hub" }),
  ),
  data: Type.Array(TaskField, { description: "Empty if the hub does not know the format" }),
});
export type TaskFields = Static<typeof TaskFields>;
