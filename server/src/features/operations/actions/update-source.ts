import type { Static } from "typebox";
import type { FieldError } from "../../../core/errors.ts";
import { Id, OneOf, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { SomeTags } from "../../orders/orders.schemas.ts";
import { defineAction, refuse } from "../action.ts";
import { filledIn, filledInTags } from "../template-params.ts";
import { referToPartner } from "./send-to-fulfillment.ts";

/** The params that each change takes, besides `bridge_id`; the first is required where it is marked. */
const changes = {
  tag: { task: "orders.tag", takes: ["tags"], needs: "tags" },
  untag: { task: "orders.untag", takes: ["tags"], needs: "tags" },
  note: { task: "orders.note", takes: ["note"], needs: "note" },
  hold: { task: "orders.hold", takes: ["note"], needs: undefined },
  release_hold: { task: "orders.release_hold", takes: [], needs: undefined },
  cancel: { task: "orders.cancel", takes: ["note", "refund", "restock", "notify_customer"], needs: undefined },
  refund: { task: "orders.refund", takes: ["amount", "note", "notify_customer"], needs: undefined },
} as const;
type Change = keyof typeof changes;
const names = Object.keys(changes) as Change[];

const details = {
  tags: Type.Optional(filledInTags(SomeTags)),
  note: Type.Optional(filledIn(Type.String({ minLength: 1, maxLength: 2_000, pattern: "\\S" }))),
  amount: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000_000,
      description: "To refund, in the currency that the customer paid in. Default: all that is left",
    }),
  ),
  refund: Type.Optional(Type.Boolean({ description: "With cancel: refund the payment. Default: false" })),
  restock: Type.Optional(Type.Boolean({ description: "With cancel: put the items back into stock. Default: true" })),
  notify_customer: Type.Optional(
    Type.Boolean({ description: "Whether the shop writes to the customer. Default: false" }),
  ),
};

const Params = Strict({
  change: OneOf(names, { description: "What to do at the shop" }),
  ...details,
  bridge_id: Type.Optional({ ...Id, description: "Default: the bridge that the order came through" }),
});

export const updateSource = defineAction({
  type: "update_source",
  title: "Update the shop",
  group: "integration",
  description:
    "Tags, notes, holds, cancels or refunds the order at the shop that it came from, if the shop's bridge has the task. The order in the hub stays " +
    "as it is. The same note or refund is sent once.",
  params: Params,
  example: { change: "tag", tags: ["checked"] },
  irreversible: "The shop was changed. Use untag or release_hold to take back a tag or a hold.",
  idempotent: false,
  scope: "tasks:execute",
  needsBridges: true,
  refers: referToPartner,
  check(params) {
    const { takes, needs } = changes[params.change];
    const errors: FieldError[] = [];
    if (needs !== undefined && params[needs] === undefined)
      errors.push({ pointer: `/${needs}`, code: "required", message: `Required with \`change: ${params.change}\`.` });
    const allowed: readonly string[] = takes;
    for (const name of Object.keys(details)) {
      if (params[name as keyof typeof details] === undefined || allowed.includes(name)) continue;
      const message = `Not allowed with \`change: ${params.change}\`.`;
      errors.push({ pointer: `/${name}`, code: "not_allowed", message, allowed: [...allowed] });
    }
    return errors;
  },
  apply(order, params, { bridges }) {
    const { change, bridge_id: given } = params;
    const bridgeId = given ?? order.bridgeId;
    if (bridgeId === null) return refuse("no_source", "The order came through no bridge.", "Set bridge_id.");
    const { task: taskName } = changes[change];
    const input = inputFor(params);
    return bridges.problem(bridgeId, taskName, input) ?? { patch: {}, call: { bridgeId, taskName, input } };
  },
});

/** As the tasks of shops take it. */
function inputFor({
  change,
  tags,
  note,
  amount,
  refund,
  restock,
  notify_customer: notifyCustomer,
}: Static<typeof Params>) {
  const text = change === "hold" ? { notes: note } : { note };
  const given = { tags, ...text, amount, refund, restock, notifyCustomer };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
