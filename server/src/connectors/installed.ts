import type { Connector } from "./connector.ts";
import { demo } from "./demo/demo.ts";

export const installedConnectors: readonly Connector[] = [demo];

export function findConnector(name: string): Connector | undefined {
  return installedConnectors.find((connector) => connector.name === name);
}
