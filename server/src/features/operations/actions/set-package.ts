import { Type } from "../../../core/type.ts";
import { OneOf, Strict } from "../../../core/schema.ts";
import { addWeights, Dimensions, maxWeight, Weight } from "../../../core/weight.ts";
import type { OrderPackage } from "../../orders/order.ts";
import { beforeShipping } from "../../orders/orders.states.ts";
import { changeSent, defineAction, refuse } from "../action.ts";
import { needAtLeastOne } from "./param-rules.ts";

export const setPackage = defineAction({
  type: "set_package",
  title: "Set package",
  group: "shipping",
  description: "Sets weight, dimensions or number of packages. With weight_mode=add, the weight is added.",
  params: Strict({
    weight: Type.Optional(Weight),
    weight_mode: Type.Optional(OneOf(["set", "add"], { default: "set" })),
    dimensions: Type.Optional(Dimensions),
    package_count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: "Number of packages" })),
  }),
  example: { weight: { value: 1.2, unit: "kg" }, dimensions: { length: 30, width: 20, height: 10, unit: "cm" } },
  statuses: beforeShipping,
  idempotent: false,
  check(params) {
    const errors = needAtLeastOne(params, ["weight", "dimensions", "package_count"]);
    if (params.weight_mode === "add" && params.weight === undefined) {
      errors.push({ pointer: "/weight", code: "required", message: "Required with `weight_mode: add`." });
    }
    return errors;
  },
  apply(order, { weight, weight_mode: mode, dimensions, package_count: count }) {
    const [first, ...more] = order.packages;
    if (more.length > 0) {
      const message = `The order has ${more.length + 1} different packages; this action sets only one.`;
      return refuse("multiple_packages", message);
    }
    const changed: OrderPackage = { count: 1, ...first };
    if (weight) changed.weight = mode === "add" && changed.weight ? addWeights(changed.weight, weight) : weight;
    if (changed.weight && changed.weight.value > maxWeight) return refuse("too_heavy", "The package is too heavy.");
    if (dimensions) changed.dimensions = dimensions;
    if (count !== undefined) changed.count = count;
    return changeSent(order, { packages: [changed] });
  },
});
