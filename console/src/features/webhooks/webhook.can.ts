import type { Webhook } from "@order-operations-hub/sdk/api-types";
import type { Me } from "../../live/me.ts";
import { missingScope } from "../../live/me.ts";

/** Whether an action on a webhook is allowed: undefined, or the reason why not. */
export const webhookCan = {
  change: (me: Me): string | undefined => missingScope(me, "webhooks:write"),
  pause: (webhook: Webhook, me: Me): string | undefined =>
    missingScope(me, "webhooks:write") ??
    (webhook.status === "active" ? undefined : `The webhook is ${webhook.status}.`),
  enable: (webhook: Webhook, me: Me): string | undefined =>
    missingScope(me, "webhooks:write") ?? (webhook.status === "active" ? "The webhook is active." : undefined),
};
