import { createExtensionPoint } from "../core/extension-point.ts";
import type { Carrier } from "./seam/carrier.ts";

export const carrierPlugins = createExtensionPoint<Carrier>();
