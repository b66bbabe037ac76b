import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
export const Texts = Type.Record(Type.String({ maxLength: 200 }), Type.String({ maxLength: 2000 }));
export const Path = (title: string, description: string, example: string) =>
  Type.String({ title, maxLength: 200, description, examples: [example] });

export const RequestTemplate = Strict(
  {
    method: Type.Optional(OneOf(methods, { title: "Method", description: "Default: GET to read, POST to send" })),
    path: Type.String({
      title: "Path",
      pattern: "^/",
      maxLength: 1000,
      description:
        "Appended to the base URL; {{input.name}}, {{record.name}} and {{settings.name}} are filled in, URL-encoded. " +
        "In pulls also {{since}}, {{page.cursor}}, {{page.number}}, {{page.offset}} and {{page.size}}",
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
    bodyFormat: Type.Optional(
      OneOf(["json", "form"], {
        title: "Body format",
        "x-advanced": true,
        default: "json",
        description: "form: an object of texts and numbers, sent as application/x-www-form-urlencoded",
      }),
    ),
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

export const ownFailsWhen = Type.Optional({
  ...FailsWhen,
  description: "For the response to this request; default: that of the task",
});
