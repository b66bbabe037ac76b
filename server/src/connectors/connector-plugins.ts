import { createExtensionPoint } from "../core/extension-point.ts";
import type { Connector } from "./connector.ts";

export const connectorPlugins = createExtensionPoint<Connector>();
