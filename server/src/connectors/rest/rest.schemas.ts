import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { Auth } from "./rest-auth.schemas.ts";
import { lookbackMinutes } from "../incremental.ts";
import { FailsWhen, Path, RequestTemplate, Texts } from "./rest-request.schemas.ts";
import { TaskDefinition } from "./rest-task.schemas.ts";

export const WebhookSettings = Strict(
  {
    signatureScheme: Type.Optional(
      OneOf(["hmac_sha256", "standard"], {
        title: "Signature scheme",
        default: "hmac_sha256",
        description:
          "hmac_sha256: HMAC of the body with the webhook secret, in a header. standard: Standard Webhooks, with the " +
          "headers webhook-id, webhook-timestamp and webhook-signature",
      }),
    ),
    signatureHeader: Type.Optional(
      Type.String({
        title: "Signature header",
        pattern: "^[A-Za-z0-9-]{1,64}$",
        description: "For hmac_sha256: in hexadecimal or base64. Default: X-Webhook-Signature",
        examples: ["X-Hub-Signature-256"],
      }),
    ),
    idHeader: Type.Optional(
      Type.String({
        title: "ID header",
        pattern: "^[A-Za-z0-9-]{1,64}$",
        description:
          "For hmac_sha256: identifies a repeated webhook. Default: X-Webhook-Id; without one, the content identifies it",
      }),
    ),
    recordsPath: Type.Optional(
      Path("Records path", "Path of the record or list in the body; default: the body itself", "data"),
    ),
    taskName: Type.Optional(
      Type.String({
        title: "Task",
        maxLength: 64,
        description:
          "The pull task of orders that imports the records, with its transformation. Default: orders.import",
      }),
    ),
  },
  {
    title: "Webhooks",
    "x-advanced": true,
    description: "Orders that the other side sends to /api/v1/bridges/{id}/inbound-webhooks of this hub",
  },
);
export type WebhookSettings = Static<typeof WebhookSettings>;

export const RestSettings = Strict(
  {
    baseUrl: Type.String({
      title: "Base URL",
      format: "uri",
      maxLength: 500,
      description: "All paths are appended to it",
      examples: ["https://erp.example.com/api/v2"],
    }),
    auth: Type.Optional(Auth),
    headers: Type.Optional({
      ...Texts,
      title: "Headers",
      "x-advanced": true,
      description: "Sent with every request; secrets belong in the credentials",
    }),
    testPath: Type.Optional(
      Type.String({
        title: "Test path",
        pattern: "^/",
        maxLength: 1000,
        description: "Requested by the connection test",
      }),
    ),
    test: Type.Optional(
      Strict(
        { request: RequestTemplate, failsWhen: Type.Optional(FailsWhen) },
        {
          title: "Test request",
          "x-advanced": true,
          description:
            "Sent by the connection test instead of a GET of the test path, such as a GraphQL query. It must not change anything",
        },
      ),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Union([Type.String({ maxLength: 500 }), Type.Number()]), {
        title: "Variables",
        "x-advanced": true,
        description: "Values that templates name as {{settings.name}}",
      }),
    ),
    lookbackMinutes: lookbackMinutes("How far an incremental pull reads back before the newest change it has seen"),
    webhook: Type.Optional(WebhookSettings),
    tasks: Type.Optional(
      Type.Array(TaskDefinition, {
        title: "Tasks",
        maxItems: 50,
        description: "The requests that read and send records",
      }),
    ),
  },
  {
    examples: [
      {
        baseUrl: "https://erp.example.com/api/v2",
        auth: { kind: "bearer" },
        tasks: [
          {
            name: "orders.import",
            mode: "pull",
            request: { path: "/orders" },
            recordsPath: "data",
            externalIdPath: "id",
            updatedAtPath: "updated_at",
            updatedSince: { param: "updated_since" },
            pagination: { kind: "cursor", param: "after", nextCursorPath: "meta.next" },
          },
          {
            name: "orders.export",
            mode: "push",
            request: { method: "POST", path: "/orders" },
            externalIdPath: "id",
            idempotencyHeader: "Idempotency-Key",
            lookup: {
              request: { path: "/orders", query: { reference: "{{record.number}}" } },
              externalIdPath: "data[0].id",
            },
          },
        ],
      },
    ],
  },
);
export type RestSettings = Static<typeof RestSettings>;
