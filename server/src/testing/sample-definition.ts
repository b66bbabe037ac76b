import { installedDefinitions } from "../connectors/rest/definitions/installed-definitions.ts";
import type { RestDefinition } from "../connectors/rest/definitions/rest-definition.ts";
import { afterFile } from "./after-file.ts";

/** A definition with each kind of value to fill in, for tests that add it to the installed ones. */
const sampleDefinition: RestDefinition = {
  name: "sample",
  title: "Sample shop",
  description: "A shop of the tests",
  docs: "docs/rest-connector.md",
  requiredScopes: "Read orders.",
  variables: [
    { name: "shopUrl", label: "Shop URL", example: "https://shop.example.com", format: "url" },
    { name: "store", label: "Store", example: "s1", pattern: "[a-z0-9]{1,20}" },
    { name: "channel", label: "Channel", example: "eu", default: "" },
    { name: "days", label: "Days", example: "30", default: 30, format: "number" },
  ],
  credentials: [
    { name: "token", label: "Token", secret: true },
    { name: "headers.x-api-key", label: "API key", secret: true },
    { name: "webhookSecret", label: "Webhook secret", secret: true, isOptional: true },
  ],
  settings: {
    baseUrl: "{{settings.shopUrl}}/stores/{{settings.store}}",
    auth: { kind: "header", paramName: "X-Token" },
    testPath: "/me",
    headers: { "x-channel": "{{settings.channel}}" },
    variables: { fixed: "f" },
    tasks: [
      {
        name: "orders.import",
        mode: "pull",
        request: { path: "/orders", query: { days: "{{settings.days}}", fixed: "{{settings.fixed}}" } },
      },
    ],
  },
  transformations: [
    { taskName: "orders.import", direction: "inbound", mappings: [{ source: "no", target: "number" }] },
  ],
  schedules: [{ taskName: "orders.import", cron: "*/15 * * * *" }],
};

/** Adds the sample to the installed definitions for the time of the test file. */
export function installSampleDefinition(): void {
  const definitions = installedDefinitions as RestDefinition[];
  definitions.push(sampleDefinition);
  afterFile(() => definitions.splice(definitions.indexOf(sampleDefinition), 1));
}
