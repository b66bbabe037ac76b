import type { FieldError } from "../../core/errors.ts";
import type { Settings } from "../connector.ts";
import { isJsonPath, readPath } from "../json-path.ts";
import type { ReadWebhook, WebhookRequest } from "../inbound-webhook.ts";
import { headerOf, isSigned, jsonIn, webhookIdOf, secretsIn } from "../inbound-webhook.ts";
import { asText } from "../shape.ts";
import { settingsOf } from "./rest-request.ts";
import type { WebhookSettings } from "./rest.schemas.ts";

/** The records of a webhook, in the format that its task reads. */
export type WebhookPayload = { records: unknown[] };

const defaultTask = "orders.import";
/** As Standard Webhooks recommends: older requests may be replayed. */
const toleranceMs = 5 * 60_000;

export function readWebhook(sent: WebhookRequest): ReadWebhook {
  const { webhook } = settingsOf(sent);
  const secrets = secretsIn(sent.credentials, ["webhookSecret"]);
  if (!webhook || secrets.length === 0) return "off";
  const isStandard = webhook.signatureScheme === "standard";
  if (!(isStandard ? isStandardSigned : isPlainSigned)(sent, secrets, webhook)) return "not_signed";
  const body = jsonIn(sent);
  if (body === undefined) return { problem: "The body is not JSON." };
  const found = readPath(body, webhook.recordsPath ?? "$") ?? [];
  const records: unknown[] = Array.isArray(found) ? found : [found];
  if (records.length === 0) return "ignored";
  const task = webhook.taskName ?? defaultTask;
  const { externalIdPath = "id" } = settingsOf(sent).tasks?.find(({ name }) => name === task) ?? {};
  const nameless = records.findIndex((record) => asText(readPath(record, externalIdPath)) === "");
  if (nameless >= 0) return { problem: `Record ${nameless} has no ID at ${externalIdPath}.` };
  const given = headerOf(sent, isStandard ? "webhook-id" : (webhook.idHeader ?? "X-Webhook-Id"));
  const payload: WebhookPayload = { records };
  return { id: webhookIdOf(given, sent), topic: "", task, payload };
}

/** A header with the digest in hexadecimal or Base64, with or without the prefix `sha256=`. */
function isPlainSigned(
  sent: WebhookRequest,
  secrets: string[],
  { signatureHeader = "X-Webhook-Signature" }: WebhookSettings,
): boolean {
  const given = headerOf(sent, signatureHeader).replace(/^sha256=/, "");
  const signature = Buffer.from(given, /^[0-9a-f]{64}$/i.test(given) ? "hex" : "base64");
  return isSigned(secrets, [sent.body], signature);
}

function isStandardSigned(sent: WebhookRequest, secrets: string[]): boolean {
  const [id, timestamp] = [headerOf(sent, "webhook-id"), headerOf(sent, "webhook-timestamp")];
  const ageMs = sent.now.getTime() - Number(timestamp) * 1000;
  if (id === "" || !/^\d{1,12}$/.test(timestamp) || Math.abs(ageMs) > toleranceMs) return false;
  const keys = secrets.map((secret) => Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
  const signatures = headerOf(sent, "webhook-signature").split(" ", 10);
  return signatures
    .filter((one) => one.startsWith("v1,"))
    .some((one) => isSigned(keys, [`${id}.${timestamp}.`, sent.body], Buffer.from(one.slice(3), "base64")));
}

export function webhookProblems(settings: Settings): FieldError[] {
  const { webhook, tasks = [] } = settingsOf({ settings });
  if (!webhook) return [];
  const name = webhook.taskName ?? defaultTask;
  const task = tasks.find((one) => one.name === name);
  const isPull = task?.mode === "pull" && (task.recordType ?? "orders") === "orders";
  const message = `There is no pull task ${name} for orders, which defines the paths of ID and time in a record.`;
  return [
    ...(isPull ? [] : [{ pointer: "/webhook/taskName", code: "unknown_task", message }]),
    ...(isJsonPath(webhook.recordsPath ?? "$")
      ? []
      : [{ pointer: "/webhook/recordsPath", code: "not_a_path", message: "Write a path such as data.items[0].id." }]),
  ];
}
