import { createExtensionPoint } from "../../../core/extension-point.ts";
import type { TransformDefinition } from "./transform.ts";

export const transformPlugins = createExtensionPoint<TransformDefinition>();
