import { pathToFileURL } from "node:url";
import { carrierPlugins } from "../../carriers/carrier-plugins.ts";
import { connectorPlugins } from "../../connectors/connector-plugins.ts";
import { presetPlugins } from "../../connectors/csv/preset-plugins.ts";
import type { ExtensionPoint, PluginOrigin } from "../../core/extension-point.ts";
import { actionPlugins } from "../../features/operations/action-plugins.ts";
import { transformPlugins } from "../../features/transformations/language/transform-plugins.ts";
import { ConfigError } from "../config.ts";
import { checkPlugin } from "./check-plugin.ts";
import type { PluginPackage } from "./find-plugins.ts";
import { findPlugins, PluginProblem } from "./find-plugins.ts";
import { restrictPluginImports } from "./plugin-imports.ts";
import type { Plugin } from "./plugin-parts.ts";

/**
 * Loads the plug-ins of HUB_PLUGINS into the catalogs. Every process of the hub calls it before it imports the features: catalogs are
 * complete once their modules are loaded. Reports all problems at once.
 */
export async function loadPlugins(entries: readonly string[]): Promise<PluginOrigin[]> {
  if (entries.length === 0) return [];
  const problems: string[] = [];
  const packages = entries.flatMap((entry) => {
    try {
      return findPlugins(entry);
    } catch (error) {
      if (!(error instanceof PluginProblem)) throw error;
      problems.push(`HUB_PLUGINS: ${error.message}`);
      return [];
    }
  });
  restrictPluginImports();
  const loaded: PluginOrigin[] = [];
  for (const one of packages) {
    const origin = { name: one.name, version: one.version };
    const found = loaded.some(({ name }) => name === one.name)
      ? ["another plug-in has this name"]
      : await loadPlugin(one, origin);
    problems.push(...found.map((problem) => `${one.name} ${one.version} (${one.folder}): ${problem}`));
    loaded.push(origin);
  }
  if (problems.length > 0) throw new ConfigError(["a plug-in cannot be used.", ...problems].join("\n"));
  return loaded;
}

/** Adds the parts of a plug-in; returns the reasons why it cannot. */
async function loadPlugin({ entry }: PluginPackage, origin: PluginOrigin): Promise<string[]> {
  let given: unknown;
  try {
    const module = (await import(pathToFileURL(entry).href)) as { plugin?: unknown };
    given = module.plugin;
  } catch (error) {
    return [`it cannot be imported: ${(error as Error).message}`];
  }
  const checked = checkPlugin(given);
  return "problems" in checked ? checked.problems : addParts(checked.plugin, origin);
}

function addParts(plugin: Plugin, origin: PluginOrigin): string[] {
  return [
    ...addTo(connectorPlugins, "connector", plugin.connectors, (one) => one.name, origin),
    ...addTo(carrierPlugins, "carrier", plugin.carriers, (one) => one.name, origin),
    ...addTo(actionPlugins, "action", plugin.actions, (one) => one.type, origin),
    ...addTo(transformPlugins, "transform", plugin.transforms, (one) => one.name, origin),
    ...addTo(presetPlugins, "CSV preset", plugin.csvPresets, (one) => one.name, origin),
  ];
}

function addTo<Part>(
  point: ExtensionPoint<Part>,
  kind: string,
  parts: readonly Part[] = [],
  nameOf: (part: Part) => string,
  origin: PluginOrigin,
): string[] {
  return parts.flatMap((part) => {
    const name = nameOf(part);
    const other = point.originOf(name);
    if (other) return [`${kind} ${name}: ${other.name} has one with this name already`];
    point.add(name, part, origin);
    return [];
  });
}
