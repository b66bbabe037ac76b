import { createHmac } from "node:crypto";
import { notFound, refuse, withFloats } from "./stand-in-easypost-answers.ts";
import { checkWebhook } from "./stand-in-easypost-bodies.ts";
import type { Mode } from "./stand-in-easypost-objects.ts";
import { stamp } from "./stand-in-easypost-objects.ts";
import type { EasypostWorld, Webhook } from "./stand-in-easypost-world.ts";
import { modeOf } from "./stand-in-easypost-world.ts";
import { newId } from "../journaled-records.ts";
import { postWebhook } from "../post-webhook.ts";
import type { CarrierReply, Operation, StandIn } from "../stand-in-api.ts";

type EasypostEvent = {
  description: string;
  mode: Mode;
  previousAttributes?: Record<string, unknown>;
  result: object;
};

/** The body of a webhook, as it is signed and sent. */
export function eventBody(
  world: EasypostWorld,
  { description, mode, previousAttributes = {}, result }: EasypostEvent,
): string {
  const time = world.now().toISOString();
  return withFloats({
    description,
    mode,
    previous_attributes: previousAttributes,
    created_at: time,
    pending_urls: [],
    completed_urls: [],
    updated_at: time,
    id: newId("evt_"),
    user_id: newId("user_"),
    status: "pending",
    object: "Event",
    result,
  });
}

/** HMAC over the bytes of the body, with the secret in NFKD. */
export function signatureOf(secret: string, body: string): string {
  return `hmac-sha256-hex=${createHmac("sha256", secret.normalize("NFKD")).update(body).digest("hex")}`;
}

/** Sends to every webhook of the mode and returns the statuses. With the fault duplicate_event each gets the event twice. */
export async function deliver(world: EasypostWorld, standIn: StandIn, mode: Mode, body: string): Promise<number[]> {
  const hooks = world.webhooks.list((one) => one.mode === mode && one.disabled_at === null);
  const rounds = standIn.takeFault("duplicate_event", "webhook") ? 2 : 1;
  const sends = Array.from({ length: rounds }, () => hooks).flat();
  const statuses: number[] = [];
  for (const { url, webhook_secret, custom_headers } of sends) {
    const headers = Object.fromEntries(custom_headers.map(({ name, value }) => [name, value]));
    if (webhook_secret !== null) headers["x-hmac-signature"] = signatureOf(webhook_secret, body);
    statuses.push(await postWebhook(url, headers, body));
  }
  return statuses;
}

const shown = ({ webhook_secret: _secret, ...hook }: Webhook): unknown => hook;

export function webhookOperations(world: EasypostWorld): Operation[] {
  const withHook =
    (act: (hook: Webhook, body: () => unknown, standIn: StandIn) => CarrierReply): Operation["answer"] =>
    (request, match, standIn) => {
      const hook = world.webhooks.find(match[1]!);
      return hook && hook.mode === modeOf(world, request) ? act(hook, () => request.json(), standIn) : notFound();
    };
  return [
    {
      name: "create_webhook",
      method: "POST",
      path: /^\/v2\/webhooks$/,
      answer(request, _match, standIn) {
        const { value, problems } = checkWebhook(request.json());
        if (problems) return refuse(problems, "WEBHOOK.INVALID");
        const { url, webhook_secret = null, custom_headers = [] } = value.webhook;
        const mode = modeOf(world, request);
        const id = newId("hook_");
        const created_at = stamp(world.now());
        const hook: Webhook = {
          id,
          object: "Webhook",
          mode,
          url,
          created_at,
          disabled_at: null,
          custom_headers,
          webhook_secret,
        };
        return { status: 201, body: shown(world.webhooks.save(standIn, "webhook", hook, { id, url })) };
      },
    },
    {
      name: "list_webhooks",
      method: "GET",
      path: /^\/v2\/webhooks$/,
      answer(request) {
        const mode = modeOf(world, request);
        const hooks = world.webhooks.list((one) => one.mode === mode);
        return { status: 200, body: { webhooks: hooks.map(shown) } };
      },
    },
    {
      name: "update_webhook",
      method: "PATCH",
      path: /^\/v2\/webhooks\/([^/]+)$/,
      // Enables a disabled webhook again.
      answer: withHook((hook, _body, standIn) => {
        const enabled = world.webhooks.save(
          standIn,
          "webhook_enabled",
          { ...hook, disabled_at: null },
          { id: hook.id },
        );
        return { status: 200, body: shown(enabled) };
      }),
    },
    {
      name: "delete_webhook",
      method: "DELETE",
      path: /^\/v2\/webhooks\/([^/]+)$/,
      answer: withHook((hook, _body, standIn) => {
        world.webhooks.remove(standIn, "webhook_deleted", hook.id);
        return { status: 200, body: {} };
      }),
    },
  ];
}
