import { Email, Id, linePattern, Strict } from "../../../core/schema.ts";
import { Type } from "../../../core/type.ts";
import { findErrorsIn } from "../../../core/validation.ts";
import type { Order } from "../../orders/order.ts";
import type { ActionEnv, Outcome, Refusal } from "../action.ts";
import { defineAction, refuse } from "../action.ts";
import { filledIn } from "../template-params.ts";
import { referToPartner } from "./send-to-fulfillment.ts";

export const mailTask = "mail.send";
export const maxRecipients = 20;
/** With the delays between them, a server that defers the mail is asked for more than an hour. */
const maxAttempts = 6;

export const mailParams = {
  subject: filledIn(Type.String({ minLength: 1, maxLength: 500, pattern: linePattern })),
  text: filledIn(Type.String({ minLength: 1, maxLength: 50_000, pattern: "\\S" })),
  bridge_id: Type.Optional({ ...Id, description: "Default: the only bridge that sends e-mail" }),
};

export const irreversibleMail = "An e-mail that was sent cannot be called back.";

export const sendEmail = defineAction({
  type: "send_email",
  title: "Send e-mail",
  group: "integration",
  description:
    "Sends an e-mail for each order, with placeholders filled in, through a bridge of the connector smtp. In the preview it is recorded " +
    "and not sent.",
  params: Strict({
    to: Type.Optional(
      Type.Array(filledIn(Type.String({ minLength: 1, maxLength: 254 })), {
        minItems: 1,
        maxItems: maxRecipients,
        uniqueItems: true,
        description: "Addresses, `customer` or `assignee`. Default: customer",
      }),
    ),
    ...mailParams,
    html: Type.Optional(
      filledIn(
        Type.String({
          minLength: 1,
          maxLength: 100_000,
          description: "Besides the text. Values that are filled in are escaped",
        }),
        "html",
      ),
    ),
    reply_to: Type.Optional({ ...Email, description: "Default: as in the settings of the bridge" }),
  }),
  example: { subject: "Order {{number}}", text: "Hello {{customer.name}}, your order {{number}} is on its way." },
  irreversible: irreversibleMail,
  idempotent: false,
  scope: "tasks:execute",
  needsBridges: true,
  needsTask: mailTask,
  needsUsers: true,
  refers: referToPartner,
  check({ to = [] }) {
    return to.flatMap((recipient, index) => {
      if (isRole(recipient) || recipient.includes("{{") || isEmail(recipient)) return [];
      const message = "Must be an email address, `customer` or `assignee`.";
      return [{ pointer: `/to/${index}`, code: "invalid_email", message, allowed: Object.keys(recipients) }];
    });
  },
  apply(order, { to = ["customer"], subject, text, html, reply_to: replyTo, bridge_id: bridgeId }, env) {
    const addresses: string[] = [];
    for (const recipient of to) {
      const address = isRole(recipient) ? recipients[recipient](order, env) : asEmail(recipient);
      if (typeof address !== "string") return address;
      addresses.push(address);
    }
    const mail = { subject, text, ...(html !== undefined && { html }), ...(replyTo !== undefined && { replyTo }) };
    return mailCall({ ...mail, to: addresses }, bridgeId, env);
  },
});

const recipients = {
  customer({ customer: { email } }: Order): string | Refusal {
    return email ? asEmail(email) : refuse("no_customer_email", "The order has no email address of its customer.");
  },
  assignee: assigneeEmail,
};

function isRole(recipient: string): recipient is keyof typeof recipients {
  return Object.hasOwn(recipients, recipient);
}

export function assigneeEmail({ assigneeId }: Order, { users }: Pick<ActionEnv, "users">): string | Refusal {
  if (assigneeId === null)
    return refuse("no_assignee", "The order is not assigned to a user.", "Use assign_user first.");
  return userEmail(assigneeId, users);
}

export function userEmail(userId: string, users: ActionEnv["users"]): string | Refusal {
  return users.emailOf(userId) ?? refuse("user_inactive", `The user ${userId} is disabled or was deleted.`);
}

function asEmail(text: string): string | Refusal {
  return isEmail(text) ? text : refuse("invalid_email", "A recipient is not an email address.");
}

function isEmail(text: string): boolean {
  return findErrorsIn(Email, text).length === 0;
}

type Mail = { to: string[]; subject: string; text: string; html?: string; replyTo?: string };

/** The task that sends the mail, queued with the changes of the order. */
export function mailCall(mail: Mail, given: string | undefined, { bridges }: Pick<ActionEnv, "bridges">): Outcome {
  const able = given === undefined ? bridges.having(mailTask) : [given];
  const [bridgeId, ...more] = able;
  if (bridgeId === undefined) return noMailBridge;
  if (more.length > 0) return severalMailBridges;
  const input = { ...mail, to: [...new Set(mail.to)] };
  return (
    bridges.problem(bridgeId, mailTask, input) ?? {
      patch: {},
      call: { bridgeId, taskName: mailTask, input, maxAttempts },
    }
  );
}

const noMailBridge = refuse(
  "no_mail_bridge",
  "The organization has no active bridge that sends e-mail.",
  "Create a bridge with the connector smtp.",
);
const severalMailBridges = refuse(
  "mail_bridge_ambiguous",
  "The organization has several bridges that send e-mail.",
  "Set bridge_id.",
);
