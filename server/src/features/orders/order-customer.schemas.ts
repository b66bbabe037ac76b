import type { Static } from "typebox";
import { DateTime, Id, Nullable, OneOf } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { orderStatuses } from "./orders.states.ts";

export const OrderCustomer = Type.Object(
  {
    orderCount: Type.Integer({
      minimum: 0,
      description:
        "Orders of the customer that were not cancelled; orders that were split off another one are not counted",
    }),
    totalSpent: Type.Array(Type.Object({ currency: Type.String(), amount: Type.Number() }), {
      description: "What was received for orders that were paid and not cancelled, less what was refunded, by currency",
    }),
    firstOrderAt: DateTime,
    lastOrderAt: DateTime,
    orders: Type.Array(
      Type.Object({
        id: Id,
        number: Type.String(),
        status: OneOf(orderStatuses),
        orderedAt: DateTime,
        total: Nullable(Type.Number()),
        currency: Type.String(),
      }),
      { description: "The latest 20, cancelled ones included" },
    ),
  },
  {
    description:
      "Orders of the organization are of the same customer if they have the same e-mail address, else if the same bridge gave them the " +
      "same customer id. With neither, the order is alone",
  },
);
export type OrderCustomer = Static<typeof OrderCustomer>;
