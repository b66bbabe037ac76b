import { dataSchemaOf, EventEnvelope } from "../events/event-envelope.ts";
import type { EventType } from "../events/event-catalogue.ts";
import { eventCatalogue } from "../events/event-catalogue.ts";
import { exampleOf } from "../events/event-examples.ts";
import { scopeOfEvent } from "../events/event-families.ts";

type Json = Record<string, unknown>;

/** The requests that the hub sends to webhooks: one for each event type. */
export function describeWebhook(type: EventType): Json {
  const { summary } = eventCatalogue[type];
  const own = { type: "object", properties: { type: { const: type }, data: dataSchemaOf(type) } };
  const schema = { allOf: [EventEnvelope, own] };
  const description = `Takes the scope \`${scopeOfEvent(type)}\`.`;
  const content = { "application/json": { schema, example: exampleOf(type) } };
  const responses = { "2XX": { description: "The delivery was accepted; after any other response it is sent again" } };
  return { post: { summary, description, requestBody: { required: true, content }, responses } };
}
