import type { Carrier } from "../../carriers/seam/carrier.ts";
import type { Connector } from "../../connectors/connector.ts";
import type { SheetPreset } from "../../core/csv/csv-columns.ts";
import type { PluginAction } from "../../features/operations/plugin-action.ts";
import type { TransformDefinition } from "../../features/transformations/language/transform.ts";

/**
 * The version of what plug-ins and the hub agree on. The second number counts additions; a plug-in for 1.2 needs a hub with 1.2 or
 * later. The first one changes when plug-ins have to be changed.
 */
export const pluginApi = "1.0";

export type Plugin = {
  /** The version of the plug-in API that it is written for, such as "1.0". */
  api: string;
  /** The beginning of all its names: `acme` of `acme.shop`. The hub's own names have no dot, so that they never collide. */
  namespace: string;
  connectors?: readonly Connector[];
  carriers?: readonly Carrier[];
  actions?: readonly PluginAction[];
  transforms?: readonly TransformDefinition[];
  /** File formats of orders. */
  csvPresets?: readonly SheetPreset[];
};

export const partKinds = ["connectors", "carriers", "actions", "transforms", "csvPresets"] as const;
