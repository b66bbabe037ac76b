import { createExtensionPoint } from "../../core/extension-point.ts";
import type { PluginAction } from "./plugin-action.ts";

export const actionPlugins = createExtensionPoint<PluginAction>();
