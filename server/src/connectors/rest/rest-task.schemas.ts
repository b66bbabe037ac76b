import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export const Texts = Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 2000 }));
export const Path = (title: string, description: string, example: string) =>
  Type.String({ title, maxLength: 200, description, examples: [example] });

/**
 * The input that templates name as {{input...}} is not known, so anything is allowed. One object for all tasks: compiled schemas
 * are cached by object, so a new one for each reading of the settings would never be freed.
 */
export const Anything = Type.Object({});

export const RequestTemplate = Strict(
  {
    method: Type.Optional(OneOf(methods, { title: "Method", description: "Default: GET to read, POST to send" })),
    path: Type.String({
      title: "Path",
      pattern: "^/",
      maxLength: 1000,
      description:
        "Appended to the base URL; {{input.name}}, {{record.name}} and {{settings.name}} are filled in, URL-encoded",
      examples: ["/orders/{{record.externalId}}/shipments"],
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
        description: "JSON; a text that is one placeholder becomes its value. Default for push: the record",
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
        "On the response body, as in docs/conditions.md: a comparison of the value at a path, or all, any or not of others",
      examples: [{ path: "errors", op: "not_empty" }],
    }),
    messagePath: Type.Optional(
      Path(
        "Message path",
        "Path of the error message in the response; default: message, error or errors",
        "errors[0].message",
      ),
    ),
  },
  {
    title: "Fails when",
    "x-advanced": true,
    description:
      "Describes a response that reports a failure with a success status, as GraphQL APIs do. The request counts as " +
      "rejected: it had no effect and may be sent again",
    examples: [{ condition: { path: "errors", op: "not_empty" }, messagePath: "errors[0].message" }],
  },
);
export type FailsWhen = Static<typeof FailsWhen>;

const ownFailsWhen = Type.Optional({
  ...FailsWhen,
  description: "For the response to this request; default: that of the task",
});

const paginationKinds = ["none", "page", "offset", "cursor", "link"] as const;

export const Pagination = Strict(
  {
    kind: OneOf(paginationKinds, {
      title: "Kind",
      description:
        "page: page numbers, offset: records to skip, cursor: a token from the response, link: the Link header. page and " +
        "offset require a stable order at the other side, such as by id",
    }),
    param: Type.Optional(
      Type.String({ title: "Parameter", minLength: 1, maxLength: 100, description: "Default: page, offset or cursor" }),
    ),
    firstPage: Type.Optional(
      Type.Integer({ title: "First page", "x-advanced": true, minimum: 0, maximum: 1, default: 1 }),
    ),
    pageSize: Type.Optional(
      Type.Integer({ title: "Page size", minimum: 1, maximum: 10_000, description: "Records per page" }),
    ),
    pageSizeParam: Type.Optional(
      Type.String({ title: "Page size parameter", minLength: 1, maxLength: 100, description: "Default: limit" }),
    ),
    nextCursorPath: Type.Optional(
      Path("Next cursor path", "Path of the token of the next page in the response", "meta.next"),
    ),
  },
  { title: "Pagination", examples: [{ kind: "cursor", param: "after", nextCursorPath: "meta.next" }] },
);
export type Pagination = Static<typeof Pagination>;

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
    description: "pull: read records page by page, push: send orders one by one, call: one request and its response",
  }),
  request: RequestTemplate,
  failsWhen: Type.Optional(FailsWhen),
  recordType: Type.Optional(
    OneOf(["orders", "locations", "tracking", "inventory"], {
      title: "Record type",
      description: "For pull; default: orders",
    }),
  ),
  recordsPath: Type.Optional(
    Path("Records path", "For pull: path of the list in the response; default: the response itself", "data"),
  ),
  externalIdPath: Type.Optional(
    Path(
      "External ID path",
      "For pull: path of the ID in a record. For push: path of the new record's ID in the response; a response without it " +
        "does not count as success",
      "id",
    ),
  ),
  updatedAtPath: Type.Optional(
    Path(
      "Updated at path",
      "For pull: path of the time of the last change in a record; a time without a zone is UTC",
      "updated_at",
    ),
  ),
  totalPath: Type.Optional(
    Path("Total path", "For pull: path of the total number of records in the response", "meta.total"),
  ),
  pagination: Type.Optional(Pagination),
  updatedSince: Type.Optional(
    Strict(
      {
        param: Type.String({ title: "Parameter", minLength: 1, maxLength: 100 }),
        format: Type.Optional(OneOf(["iso", "unix"], { title: "Format", default: "iso" })),
      },
      {
        title: "Changed since",
        description: "For pull: the parameter that limits the response to records changed since a time",
        examples: [{ param: "updated_since" }],
      },
    ),
  ),
  idempotencyHeader: Type.Optional(
    Type.String({
      title: "Idempotency header",
      "x-advanced": true,
      pattern: "^[A-Za-z0-9-]{1,64}$",
      description: "For push: the header that carries the effect key, if the other side deduplicates requests by it",
      examples: ["Idempotency-Key"],
    }),
  ),
  lookup: Type.Optional(
    Strict(
      {
        request: RequestTemplate,
        externalIdPath: Path(
          "External ID path",
          "Path of the ID in the response; no value there means that the record was not sent yet",
          "[0].id",
        ),
        failsWhen: ownFailsWhen,
      },
      {
        title: "Find existing record",
        "x-advanced": true,
        description: "For push: finds out whether a request arrived whose response was lost",
      },
    ),
  ),
  update: Type.Optional(
    Strict(
      {
        request: {
          ...RequestTemplate,
          description:
            "For push: corrects a record that was sent, such as the tracking number of a shipment; {{existing.externalId}} is its " +
            "ID there. Default: PUT with the record. It may be repeated",
        },
        failsWhen: ownFailsWhen,
      },
      { title: "Update existing record", "x-advanced": true },
    ),
  ),
  resendPolicy: Type.Optional(
    OneOf(["on_change", "never"], {
      title: "Resend policy",
      "x-advanced": true,
      description:
        "For push: whether a later execution sends an order again when its content has changed. Default: on_change; " +
        "never for orders.export, orders.recall and fulfillments.push, unless they use PUT or PATCH",
    }),
  ),
  resultPath: Type.Optional(
    Path("Result path", "For call: path of the result in the response; default: the whole response", "data"),
  ),
  idempotent: Type.Optional(
    Type.Boolean({
      title: "Idempotent",
      "x-advanced": true,
      description: "For call: it may be repeated; default: true for GET",
    }),
  ),
});
export type TaskDefinition = Static<typeof TaskDefinition>;
