import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { Auth } from "./rest-auth.schemas.ts";
import { overlapMinutes } from "../incremental.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const Texts = Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 2000 }));
const Path = (title: string, description: string, example: string) =>
  Type.String({ title, maxLength: 200, description, examples: [example] });

/**
 * What templates name as {input...} is not known, so anything goes. One object for all tasks: whoever compiles it keeps it,
 * and a new one for each look at the settings would be kept for ever.
 */
export const Anything = Type.Object({});

export const RequestTemplate = Strict(
  {
    method: Type.Optional(OneOf(methods, { title: "Method", description: "Default: GET to read, POST to send" })),
    path: Type.String({
      title: "Path",
      pattern: "^/",
      maxLength: 1000,
      description: "After the base address; {input.name}, {record.name} and {settings.name} are filled in, encoded",
      examples: ["/orders/{record.externalId}/shipments"],
    }),
    query: Type.Optional({
      ...Texts,
      title: "Query",
      "x-advanced": true,
      description: "Names and values; placeholders are filled in",
    }),
    headers: Type.Optional({
      ...Texts,
      title: "Headers",
      "x-advanced": true,
      description: "Names and values; placeholders are filled in",
    }),
    body: Type.Optional(
      Type.Unknown({
        title: "Body",
        "x-advanced": true,
        description: "JSON; a text that is one placeholder becomes its value. When sending, the default is the record",
      }),
    ),
  },
  { title: "Request" },
);
export type RequestTemplate = Static<typeof RequestTemplate>;

export const FailsWhen = Strict(
  {
    condition: Type.Unknown({
      title: "Condition",
      description:
        "On the body of the answer, as in docs/conditions.md: a comparison of what lies at a path, or all, any or not of others",
      examples: [{ path: "errors", op: "not_empty" }],
    }),
    message: Type.Optional(
      Path("Message", "Where the answer says why; default: its message, error or errors", "errors[0].message"),
    ),
  },
  {
    title: "Fails when",
    "x-advanced": true,
    description:
      "What an answer looks like that reports a failure with a status of success, as GraphQL and others do. It counts as " +
      "refused: nothing has happened, and it may be sent again",
    examples: [{ condition: { path: "errors", op: "not_empty" }, message: "errors[0].message" }],
  },
);
export type FailsWhen = Static<typeof FailsWhen>;

const ownFailsWhen = Type.Optional({
  ...FailsWhen,
  description: "For the answer to this request; default: that of the task",
});

const pagingKinds = ["none", "page", "offset", "cursor", "link"] as const;

export const Paging = Strict(
  {
    kind: OneOf(pagingKinds, {
      title: "Kind",
      description:
        "page: numbers, offset: records to leave out, cursor: a token from the answer, link: the Link header. For page " +
        "and offset the other side must list in an order that does not change, such as by id",
    }),
    param: Type.Optional(
      Type.String({ title: "Parameter", minLength: 1, maxLength: 100, description: "Default: page, offset or cursor" }),
    ),
    start: Type.Optional(Type.Integer({ title: "First page", "x-advanced": true, minimum: 0, maximum: 1, default: 1 })),
    size: Type.Optional(
      Type.Integer({ title: "Page size", minimum: 1, maximum: 10_000, description: "Records per page" }),
    ),
    sizeParam: Type.Optional(
      Type.String({ title: "Size parameter", minLength: 1, maxLength: 100, description: "Default: limit" }),
    ),
    next: Type.Optional(Path("Next cursor", "Where the answer has the token of the next page", "meta.next")),
  },
  { title: "Pages", examples: [{ kind: "cursor", param: "after", next: "meta.next" }] },
);
export type Paging = Static<typeof Paging>;

export const TaskDefinition = Strict({
  name: Type.String({
    title: "Name",
    pattern: "^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$",
    maxLength: 64,
    examples: ["orders.import"],
  }),
  title: Type.Optional(Type.String({ title: "Title", "x-advanced": true, minLength: 1, maxLength: 100 })),
  description: Type.Optional(Type.String({ title: "Description", "x-advanced": true, maxLength: 500 })),
  mode: OneOf(["pull", "push", "call"], {
    title: "Mode",
    description: "pull: read records page by page, push: send orders one by one, call: one request and its answer",
  }),
  request: RequestTemplate,
  failsWhen: Type.Optional(FailsWhen),
  yields: Type.Optional(
    OneOf(["orders", "locations", "tracking", "inventory"], {
      title: "Reads",
      description: "For pull; default: orders",
    }),
  ),
  records: Type.Optional(
    Path("Records", "For pull: where the answer has its list; default: the answer itself", "data"),
  ),
  externalId: Type.Optional(
    Path(
      "External id",
      "For pull: where a record has its id. For push: where the answer has that of the new one; an answer without it is not " +
        "taken for success",
      "id",
    ),
  ),
  updatedAt: Type.Optional(
    Path(
      "Updated at",
      "For pull: where a record has the time of its last change; in UTC where it names no zone",
      "updated_at",
    ),
  ),
  total: Type.Optional(Path("Total", "For pull: where the answer says how many records there are", "meta.total")),
  paging: Type.Optional(Paging),
  since: Type.Optional(
    Strict(
      {
        param: Type.String({ title: "Parameter", minLength: 1, maxLength: 100 }),
        format: Type.Optional(OneOf(["iso", "unix"], { title: "Format", default: "iso" })),
      },
      {
        title: "Only what changed",
        description: "For pull: the parameter that takes the time from which on changes are wanted",
        examples: [{ param: "updated_since" }],
      },
    ),
  ),
  idempotencyHeader: Type.Optional(
    Type.String({
      title: "Idempotency header",
      "x-advanced": true,
      pattern: "^[A-Za-z0-9-]{1,64}$",
      description:
        "For push: the header that carries the effect key, where the other side does nothing twice for one key",
      examples: ["Idempotency-Key"],
    }),
  ),
  find: Type.Optional(
    Strict(
      {
        request: RequestTemplate,
        externalId: Path(
          "External id",
          "Where the answer has the id; nothing there means that it was not sent yet",
          "[0].id",
        ),
        failsWhen: ownFailsWhen,
      },
      {
        title: "Look whether it was sent",
        "x-advanced": true,
        description: "For push: asked when nobody knows whether a request arrived",
      },
    ),
  ),
  update: Type.Optional(
    Strict(
      {
        request: {
          ...RequestTemplate,
          description:
            "For push: how what was sent is corrected, such as the tracking number of a shipment; {sent.externalId} is its " +
            "id there. Default: PUT with the record. It may be repeated",
        },
        failsWhen: ownFailsWhen,
      },
      { title: "Correct what was sent", "x-advanced": true },
    ),
  ),
  sendsAgainWhen: Type.Optional(
    OneOf(["changed", "never"], {
      title: "Sent again",
      "x-advanced": true,
      description:
        "For push: whether a later execution sends an order again when what it would send has changed. Default: changed; " +
        "never for orders.export, orders.recall and fulfillments.push, unless they use PUT or PATCH",
    }),
  ),
  result: Type.Optional(Path("Result", "For call: which part of the answer is the result; default: all of it", "data")),
  idempotent: Type.Optional(
    Type.Boolean({
      title: "Idempotent",
      "x-advanced": true,
      description: "For call: it may be repeated; default: when it is a GET",
    }),
  ),
});
export type TaskDefinition = Static<typeof TaskDefinition>;

export const WebhookSettings = Strict(
  {
    signature: Type.Optional(
      OneOf(["hmac_sha256", "standard"], {
        title: "Signature",
        default: "hmac_sha256",
        description:
          "hmac_sha256: of the body, under the webhook secret, in a header. standard: as Standard Webhooks has it, with the " +
          "headers webhook-id, webhook-timestamp and webhook-signature",
      }),
    ),
    header: Type.Optional(
      Type.String({
        title: "Signature header",
        pattern: "^[A-Za-z0-9-]{1,64}$",
        description: "For hmac_sha256: in hexadecimal or base64. Default: X-Webhook-Signature",
        examples: ["X-Hub-Signature-256"],
      }),
    ),
    idHeader: Type.Optional(
      Type.String({
        title: "Id header",
        pattern: "^[A-Za-z0-9-]{1,64}$",
        description:
          "For hmac_sha256: the same when it is sent once more. Default: X-Webhook-Id; without one, what it says",
      }),
    ),
    records: Type.Optional(
      Path("Records", "Where the body has its record, or a list; default: the body itself", "data"),
    ),
    task: Type.Optional(
      Type.String({
        title: "Task",
        maxLength: 64,
        description: "Which pull of orders takes them in, with its transformation. Default: orders.import",
      }),
    ),
  },
  {
    title: "Webhooks",
    "x-advanced": true,
    description: "Orders that the other side sends by itself, to /api/v1/bridges/{id}/notices of this hub",
  },
);
export type WebhookSettings = Static<typeof WebhookSettings>;

export const RestSettings = Strict(
  {
    baseUrl: Type.String({
      title: "Base address",
      format: "uri",
      maxLength: 500,
      description: "What all paths start with",
      examples: ["https://erp.example.com/api/v2"],
    }),
    auth: Type.Optional(Auth),
    headers: Type.Optional({
      ...Texts,
      title: "Headers",
      "x-advanced": true,
      description: "Sent with every request; no secrets, which have a place in the credentials",
    }),
    testPath: Type.Optional(
      Type.String({ title: "Test path", pattern: "^/", maxLength: 1000, description: "Read by the connection test" }),
    ),
    variables: Type.Optional(
      Type.Record(Type.String({ maxLength: 64 }), Type.Union([Type.String({ maxLength: 500 }), Type.Number()]), {
        title: "Variables",
        "x-advanced": true,
        description: "Values that templates name as {settings.name}",
      }),
    ),
    overlapMinutes: overlapMinutes(
      "How far a pull that reads what changed reaches back behind the newest change it has seen",
    ),
    webhook: Type.Optional(WebhookSettings),
    tasks: Type.Optional(
      Type.Array(TaskDefinition, {
        title: "Tasks",
        maxItems: 50,
        description: "What is read from there and sent there",
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
            records: "data",
            externalId: "id",
            updatedAt: "updated_at",
            since: { param: "updated_since" },
            paging: { kind: "cursor", param: "after", next: "meta.next" },
          },
          {
            name: "orders.export",
            mode: "push",
            request: { method: "POST", path: "/orders" },
            externalId: "id",
            idempotencyHeader: "Idempotency-Key",
            find: { request: { path: "/orders", query: { reference: "{record.number}" } }, externalId: "data[0].id" },
          },
        ],
      },
    ],
  },
);
export type RestSettings = Static<typeof RestSettings>;
