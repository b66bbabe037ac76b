import { Type } from "../../../core/type.ts";
import { orderLimits } from "../../../core/order-limits.ts";
import { Strict } from "../../../core/schema.ts";
import { customFieldName, CustomFieldValue } from "../../orders/orders.schemas.ts";
import { defineAction, refuse } from "../action.ts";
import { filledIn } from "../template-params.ts";

export const setCustomField = defineAction({
  type: "set_custom_field",
  title: "Set custom field",
  group: "organize",
  description: "Sets one custom field; null removes it.",
  params: Strict({
    key: Type.String({ pattern: customFieldName }),
    value: filledIn(
      CustomFieldValue<string | number | boolean | null>(["string", "number", "boolean", "null"]),
      "value",
    ),
  }),
  example: { key: "erp.batch", value: "2026-W10" },
  apply({ customFields }, { key, value }) {
    if (value === null) {
      return {
        patch: { customFields: Object.fromEntries(Object.entries(customFields).filter(([name]) => name !== key)) },
      };
    }
    if (!Object.hasOwn(customFields, key) && Object.keys(customFields).length >= orderLimits.customFields) {
      return refuse("too_many_custom_fields", `An order has at most ${orderLimits.customFields} custom fields.`);
    }
    return { patch: { customFields: { ...customFields, [key]: value } } };
  },
});
