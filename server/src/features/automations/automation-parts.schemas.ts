import type { Static } from "typebox";
import { ConditionShape } from "../../core/condition-shape.ts";
import { Id, optional, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";

const duration = "[1-9][0-9]{0,4}(m|h|d|w)";
const Duration = Type.String({ pattern: `^${duration}$`, description: "Minutes, hours, days or weeks, such as 2h" });

const OrderDate = {
  path: Type.String({ minLength: 1, maxLength: 200, description: "A date of the order, such as shipBy" }),
  ...optional({ minus: Duration, plus: Duration }),
};
const Moment = Type.String({
  pattern: `^(${duration}|next ([01][0-9]|2[0-3]):[0-5][0-9])$`,
  description: "2h: so long after the event. next 16:00: the next time it is four in the time zone of the organization",
});
const wait = {
  when: { ...ConditionShape, description: "Wait until the order meets this condition" },
  at_most: { ...Duration, description: "With `when`: how long. The order is left out afterwards. Default 7d" },
};

/** Union of a text and an object: the text is the short form for what does not depend on the order. */
export const WaitShape = Strict(
  {
    until: Type.Optional(Type.Union([Moment, Strict(OrderDate)])),
    ...optional(wait),
  },
  { description: "Delays the run: exactly one of `until` and `when`" },
);
export type Wait = Static<typeof WaitShape>;

export const WaitAnswer = Type.Object({
  until: Type.Optional(Type.Union([Type.String(), Type.Object(OrderDate)])),
  ...optional({ when: ConditionShape, at_most: Type.String() }),
});

export const EventTask = Strict(
  {
    bridge_id: Type.Optional({ ...Id, description: "Default: the bridge of the event" }),
    task_name: Type.String({ pattern: "^[a-z][a-z0-9_.]{0,63}$" }),
    input: Type.Optional(
      Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.Unknown(), {
        maxProperties: 100,
        description: "Placeholders are filled in from the event, such as {{data.orderId}}",
      }),
    ),
  },
  { description: "Queues a bridge task for each event instead of running a pipeline on orders" },
);
export type EventTask = Static<typeof EventTask>;
