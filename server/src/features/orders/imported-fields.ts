import { schemaFields } from "../../core/schema-fields.ts";
import type { ImportedField } from "./order-answers.schemas.ts";
import { ImportedOrder } from "./orders.schemas.ts";

/** All fields of an imported order, derived from the schema that validates it. */
export function listImportedFields(): { data: ImportedField[] } {
  return { data: schemaFields(ImportedOrder) };
}
