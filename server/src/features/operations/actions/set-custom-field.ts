import { Type } from "../../../core/type.ts";
import { Strict } from "../../../core/schema.ts";
import { defineAction, refuse } from "../action.ts";

const maxCustomFields = 100;

export const setCustomField = defineAction({
  type: "set_custom_field",
  title: "Set a custom field",
  group: "organise",
  description: "Sets one custom field of the order; null removes it.",
  params: Strict({
    key: Type.String({ pattern: "^[A-Za-z][\\w.-]{0,63}$" }),
    value: Type.Unsafe<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
      maxLength: 1000,
    }),
  }),
  example: { key: "erp.batch", value: "2026-W10" },
  statuses: "any",
  effect: "local",
  reversible: true,
  idempotent: true,
  apply({ customFields }, { key, value }) {
    if (value === null) {
      return {
        patch: { customFields: Object.fromEntries(Object.entries(customFields).filter(([name]) => name !== key)) },
      };
    }
    if (!Object.hasOwn(customFields, key) && Object.keys(customFields).length >= maxCustomFields) {
      return refuse("too_many_custom_fields", `An order has at most ${maxCustomFields} custom fields.`);
    }
    return { patch: { customFields: { ...customFields, [key]: value } } };
  },
});
