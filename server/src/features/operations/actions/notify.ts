import { Id, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { defineAction } from "../action.ts";
import { referToPartner } from "./send-to-fulfillment.ts";
import {
  assigneeEmail,
  irreversibleMail,
  mailCall,
  mailParams,
  mailTask,
  maxRecipients,
  userEmail,
} from "./send-email.ts";

export const notify = defineAction({
  type: "notify",
  title: "Notify users",
  group: "integration",
  description:
    "Sends an e-mail about each order to users of the organization, by default to the assignee. In the preview it is recorded and not sent.",
  params: Strict({
    user_ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: maxRecipients,
        uniqueItems: true,
        description: "Default: the assignee of the order",
      }),
    ),
    ...mailParams,
  }),
  example: { subject: "{{number}} needs attention", text: "Order {{number}} ({{status}}) waits for you." },
  irreversible: irreversibleMail,
  idempotent: false,
  scope: "tasks:execute",
  needsBridges: true,
  needsTask: mailTask,
  needsUsers: true,
  refers: ({ user_ids: ids = [], bridge_id }) => [
    ...ids.map((id, index) => ({ kind: "user" as const, id, param: `user_ids/${index}` })),
    ...referToPartner({ ...(bridge_id !== undefined && { bridge_id }) }),
  ],
  apply(order, { user_ids: ids, subject, text, bridge_id: bridgeId }, env) {
    const found = ids ? ids.map((id) => userEmail(id, env.users)) : [assigneeEmail(order, env)];
    const to: string[] = [];
    for (const address of found) {
      if (typeof address !== "string") return address;
      to.push(address);
    }
    return mailCall({ to, subject, text }, bridgeId, env);
  },
});
