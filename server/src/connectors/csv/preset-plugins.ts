import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import { createExtensionPoint } from "../../core/extension-point.ts";

export const presetPlugins = createExtensionPoint<SheetPreset>();
