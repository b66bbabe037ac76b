import type { EventType } from "../events/event-catalogue.ts";
import { eventCatalogue } from "../events/event-catalogue.ts";
import { exampleOf } from "../events/event-examples.ts";
import { scopeOfEvent } from "../events/event-families.ts";
import { eventSchemas, nameOfEvent } from "./openapi-unions.ts";

/** Group of the requests that the hub sends. */
export const deliveryTag = "Webhook deliveries";

type Json = Record<string, unknown>;

/** The requests that the hub sends to webhooks: one for each event type. */
export function describeWebhook(type: EventType): Json {
  const { summary } = eventCatalogue[type];
  const description = `${summary}. Takes the scope \`${scopeOfEvent(type)}\`.`;
  const content = { "application/json": { schema: eventSchemas[nameOfEvent(type)], example: exampleOf(type) } };
  const responses = {
    "2XX": { description: "The delivery was accepted; after any other response it is sent again" },
    "4XX": { description: "Sent again later; after 410 the webhook is disabled" },
  };
  return {
    post: {
      operationId: `event.${type}`,
      summary: shortened(summary),
      description,
      tags: [deliveryTag],
      requestBody: { required: true, content },
      responses,
    },
  };
}

/** Summaries are menu entries; the description has the rest. */
const shortened = (summary: string): string => summary.replace(/(?: \(|[;:] ).*$/, "");
