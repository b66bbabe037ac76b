import type { Connector } from "./connector.ts";
import { connectorPlugins } from "./connector-plugins.ts";
import { csv } from "./csv/csv-bridge.ts";
import { demo } from "./demo/demo.ts";
import { hub } from "./hub/hub-tasks.ts";
import { rest } from "./rest/rest.ts";
import { shopify } from "./shopify/shopify.ts";
import { smtp } from "./smtp/smtp.ts";
import { woocommerce } from "./woocommerce/woocommerce.ts";

export const installedConnectors: readonly Connector[] = [
  demo,
  rest,
  shopify,
  woocommerce,
  csv,
  smtp,
  hub,
  ...connectorPlugins.parts(),
];

export function findConnector(name: string): Connector | undefined {
  return installedConnectors.find((connector) => connector.name === name);
}
