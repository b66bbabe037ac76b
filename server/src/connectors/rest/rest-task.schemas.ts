import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { Detail, Pagination, UpdatedSince } from "./rest-pull.schemas.ts";
import { FailsWhen, ownFailsWhen, Path, RequestTemplate } from "./rest-request.schemas.ts";

/**
 * The input that templates name as {{input...}} is not known, so anything is allowed. One object for all tasks: compiled schemas
 * are cached by object, so a new one for each reading of the settings would never be freed.
 */
export const Anything = Type.Object({});

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
  updatedSince: Type.Optional(UpdatedSince),
  details: Type.Optional(
    Type.Array(Detail, {
      title: "Details",
      "x-advanced": true,
      maxItems: 5,
      description: "For pull: further requests for each record, for systems whose list is incomplete",
    }),
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
        recordsPath: Type.Optional(
          Path(
            "Records path",
            "With match: path of the list in the response; default: the response itself",
            "shipments",
          ),
        ),
        match: Type.Optional(
          Strict(
            {
              path: Path("Path", "Path of the compared value in a record of the list", "tracking_number"),
              value: Type.String({
                title: "Value",
                minLength: 1,
                maxLength: 500,
                examples: ["{{record.shipments[0].trackingNumber}}"],
              }),
            },
            {
              title: "Match",
              description:
                "If the response is a list that cannot be filtered, such as all shipments of an order: the record with this value",
            },
          ),
        ),
        externalIdPath: Path(
          "External ID path",
          "Path of the ID in the response, or in the matched record; no value there means that the record was not sent yet",
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
