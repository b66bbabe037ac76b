import type { TSchema } from "typebox";
import { ConditionShape } from "../core/condition-shape.ts";
import { dataSchemaOf, EventEnvelope } from "../events/event-envelope.ts";
import type { EventType } from "../events/event-catalogue.ts";
import { eventCatalogue } from "../events/event-catalogue.ts";
import { eventTypes } from "../events/event-families.ts";
import { actionCatalog } from "../features/operations/operations.ts";
import { OnErrorName } from "../features/operations/operations.schemas.ts";

type Json = Record<string, unknown>;
type Schemas = Record<string, Json>;

const pascalCase = (name: string): string =>
  name
    .split(/[._-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");

const nameOfAction = (type: string): string => `${pascalCase(type)}Action`;
export const nameOfEvent = (type: EventType): string => `${pascalCase(type)}Event`;

/** Each action of the catalog as a request names it: its type and its params. */
export const actionSchemas: Schemas = Object.fromEntries(
  actionCatalog.map(({ type, title, description, params, example }) => [
    nameOfAction(type),
    {
      type: "object",
      title,
      description,
      required: needsParams(params) ? ["type", "params"] : ["type"],
      properties: {
        type: { type: "string", const: type },
        params,
        when: ConditionShape,
        on_error: OnErrorName,
      },
      additionalProperties: false,
      examples: [{ type, params: example }],
    },
  ]),
);

function needsParams(params: TSchema): boolean {
  const { required = [] } = params as { required?: string[] };
  return required.length > 0;
}

const { type: _type, data: _data, ...shared } = EventEnvelope.properties;

/** Members that do not depend on the type of an event. */
export const EventBase: Json = { type: "object", required: Object.keys(shared), properties: shared };

/** Each event type with its data. */
export const eventSchemas: Schemas = Object.fromEntries(
  eventTypes.map((type) => [
    nameOfEvent(type),
    {
      type: "object",
      description: eventCatalogue[type].summary,
      allOf: [
        EventBase,
        {
          type: "object",
          required: ["type", "data"],
          properties: { type: { type: "string", const: type }, data: dataSchemaOf(type) },
        },
      ],
    },
  ]),
);

/**
 * Records whose shape depends on their `type`. The hub validates them by code that reports mistakes precisely; the document shows
 * them as discriminated unions, so that clients are typed.
 */
export const unions: Schemas = {
  PipelineAction: unionOf(
    actionSchemas,
    actionCatalog.map(({ type }) => [type, nameOfAction(type)]),
    "A step of a pipeline: an action, its params, and when to apply it. GET /operations/actions describes each action",
  ),
  Event: unionOf(
    eventSchemas,
    eventTypes.map((type) => [type, nameOfEvent(type)]),
    "An event; `type` determines its `data`. A newer hub may send further types: ignore unknown ones",
  ),
};

function unionOf(schemas: Schemas, names: (readonly [string, string])[], description: string): Json {
  const mapping = Object.fromEntries(names.map(([type, name]) => [type, `#/components/schemas/${name}`]));
  return { description, oneOf: Object.values(schemas), discriminator: { propertyName: "type", mapping } };
}
