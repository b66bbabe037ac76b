import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { ownFailsWhen, Path, RequestTemplate } from "./rest-request.schemas.ts";

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
    hasNextPath: Type.Optional(
      Path(
        "Has next path",
        "Path of a boolean in the response that is false on the last page; without a value there, the other rules apply",
        "data.orders.pageInfo.hasNextPage",
      ),
    ),
  },
  { title: "Pagination", examples: [{ kind: "cursor", param: "after", nextCursorPath: "meta.next" }] },
);
export type Pagination = Static<typeof Pagination>;

const sinceFormats = ["iso", "unix", "unix_ms", "datetime", "date"] as const;

export const UpdatedSince = Strict(
  {
    param: Type.Optional(
      Type.String({
        title: "Parameter",
        minLength: 1,
        maxLength: 100,
        description: "Query parameter with the time. Not needed if the request names {{since}}",
      }),
    ),
    format: Type.Optional(
      OneOf(sinceFormats, {
        title: "Format",
        default: "iso",
        description:
          "iso: 2026-01-31T08:30:00.000Z, unix: seconds, unix_ms: milliseconds, datetime: 2026-01-31 08:30:00, " +
          "date: 2026-01-31; all in UTC",
      }),
    ),
    initial: Type.Optional(
      Type.String({
        title: "First import",
        pattern: "^(\\d{1,4}d|\\d{4}-\\d{2}-\\d{2}(T[0-9:.]+Z)?)$",
        description:
          "Where the first import starts: a number of days before it, such as 30d, or a time. Default: the first import reads " +
          "all records, without {{since}}",
        examples: ["30d", "2026-01-01"],
      }),
    ),
  },
  {
    title: "Changed since",
    description:
      "For pull: limits the response to records changed since a time, in a query parameter or wherever the request names {{since}}",
    examples: [{ param: "updated_since" }],
  },
);
export type UpdatedSince = Static<typeof UpdatedSince>;

export const Detail = Strict(
  {
    request: {
      ...RequestTemplate,
      description: "{{record...}} is the record of the list, such as {{record.id}}",
    },
    recordPath: Type.Optional(
      Path("Record path", "Path of the value in the response; default: the whole response", "payload.OrderItems"),
    ),
    mergeAs: Type.Optional(
      Type.String({
        title: "Merge as",
        minLength: 1,
        maxLength: 100,
        description:
          "The member of the record that becomes the value. Default: the value is an object, and its members are added to the record",
        examples: ["lines"],
      }),
    ),
    pagination: Type.Optional({
      ...Pagination,
      description: "If the value is a list that comes in pages: the pages are joined",
    }),
    failsWhen: ownFailsWhen,
  },
  {
    title: "Detail",
    description: "A further request for each record of a pull, whose response is added to the record",
    examples: [{ request: { path: "/orders/{{record.id}}/products" }, mergeAs: "products" }],
  },
);
export type Detail = Static<typeof Detail>;
