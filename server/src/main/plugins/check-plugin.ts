import { isDeepStrictEqual } from "node:util";
import { carrierProblems } from "../../carriers/check-carrier.ts";
import { connectorProblems } from "../../connectors/check-connector.ts";
import { presetProblems } from "../../connectors/csv/check-preset.ts";
import { exampleProblems, schemaProblems } from "../../core/check-schema.ts";
import { nearestName } from "../../core/nearest.ts";
import { scopes } from "../../core/scopes.ts";
import { isPlain } from "../../core/strict-json.ts";
import { orderStatuses } from "../../features/orders/orders.states.ts";
import type { PluginAction } from "../../features/operations/plugin-action.ts";
import { exampleOutcome } from "../../features/transformations/language/transform-example.ts";
import type { TransformDefinition } from "../../features/transformations/language/transform.ts";
import type { Plugin } from "./plugin-parts.ts";
import { partKinds, pluginApi } from "./plugin-parts.ts";

const actionGroups = ["workflow", "organize", "routing", "shipping", "fulfillment", "payment", "integration"];
/** The plug-in, or all reasons why it cannot be used. */
export function checkPlugin(given: unknown): { plugin: Plugin } | { problems: string[] } {
  if (!isPlain(given)) return { problems: ["it exports no `plugin`: export const plugin = definePlugin({ ... })"] };
  const problems = [...apiProblems(given.api), ...memberProblems(given)];
  const { namespace } = given;
  if (typeof namespace !== "string" || !/^[a-z][a-z0-9-]{1,19}$/.test(namespace)) {
    problems.push("namespace must have 2 to 20 small letters, digits and hyphens, and begin with a letter");
  }
  if (problems.length > 0) return { problems };
  const plugin = given as Plugin;
  if (partKinds.every((kind) => (plugin[kind] ?? []).length === 0)) {
    return { problems: [`it has no parts: add ${partKinds.join(", ")}`] };
  }
  const examine = examinerFor(plugin.namespace);
  const wrong = [
    ...examine("connector", plugin.connectors, (one) => one.name, ["title", "description"], connectorProblems),
    ...examine("carrier", plugin.carriers, (one) => one.name, ["title", "description"], carrierProblems),
    ...examine("action", plugin.actions, (one) => one.type, ["title", "description"], actionProblems),
    ...examine("transform", plugin.transforms, (one) => one.name, ["text"], transformProblems),
    ...examine("CSV preset", plugin.csvPresets, (one) => one.name, ["title"], presetProblems),
  ];
  return wrong.length > 0 ? { problems: wrong } : { plugin };
}

/** Collects the problems of the parts of one kind, each with the name of its part. */
function examinerFor(namespace: string) {
  return <Part extends object>(
    kind: string,
    parts: readonly Part[] = [],
    nameOf: (part: Part) => unknown,
    texts: (keyof Part & string)[],
    find: (part: Part) => string[],
  ): string[] =>
    parts.flatMap((part) => {
      const name = nameOf(part);
      const found = texts.flatMap((text) => textProblem(text, part[text]));
      const misnamed = nameProblem(namespace, name);
      if (misnamed !== undefined) found.push(misnamed);
      try {
        found.push(...find(part));
      } catch (error) {
        found.push(`it cannot be checked: ${(error as Error).message}`);
      }
      return found.map((problem) => `${kind} ${String(name)}: ${problem}`);
    });
}

function textProblem(name: string, text: unknown): string[] {
  return typeof text === "string" && text.trim() !== "" ? [] : [`it needs a ${name}`];
}

function apiProblems(api: unknown): string[] {
  const version = typeof api === "string" ? /^(\d{1,4})\.(\d{1,4})$/.exec(api) : null;
  if (!version) return [`api must be the version of the plug-in API, such as "${pluginApi}"`];
  const [major, minor] = pluginApi.split(".").map(Number) as [number, number];
  const [wantedMajor, wantedMinor] = [Number(version[1]), Number(version[2])];
  if (wantedMajor === major && wantedMinor <= minor) return [];
  const remedy = wantedMajor < major ? "Install a newer version of the plug-in." : "Upgrade the hub.";
  return [`it is written for version ${api as string} of the plug-in API, and this hub has ${pluginApi}. ${remedy}`];
}

/** A misspelt member would otherwise be ignored, and its parts with it. */
function memberProblems(given: Record<string, unknown>): string[] {
  const known = ["api", "namespace", ...partKinds];
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  const lists = partKinds.filter((kind) => {
    const list = given[kind];
    return list !== undefined && !(Array.isArray(list) && list.every(isPlain));
  });
  return [
    ...unknown.map((name) => {
      const meant = nearestName(name, known);
      return `a plug-in has no ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    }),
    ...lists.map((kind) => `${kind} must be a list of objects`),
  ];
}

function nameProblem(namespace: string, name: unknown): string | undefined {
  if (typeof name === "string" && name.length <= 64 && name.startsWith(`${namespace}.`)) {
    const rest = name.slice(namespace.length + 1);
    if (/^[a-z][a-z0-9_-]*$/.test(rest)) return undefined;
  }
  return `its name must be ${namespace}. and then small letters, digits, hyphens and underscores; at most 64 characters`;
}

function actionProblems(action: PluginAction): string[] {
  const problems = schemaProblems("params", action.params);
  if (problems.length === 0) problems.push(...exampleProblems("example", action.params, action.example ?? {}));
  if (!actionGroups.includes(action.group)) problems.push(`group must be one of ${actionGroups.join(", ")}`);
  const unknown = (action.statuses ?? []).filter((status) => !orderStatuses.includes(status));
  if (unknown.length > 0) problems.push(`${unknown.join(", ")} are no statuses; there are ${orderStatuses.join(", ")}`);
  if (action.scope !== undefined && !scopes.includes(action.scope)) problems.push(`there is no scope ${action.scope}`);
  if (typeof action.apply !== "function") problems.push("apply must be a function");
  else if (action.apply.constructor.name === "AsyncFunction") problems.push("apply must not be async");
  return problems;
}

function transformProblems(transform: TransformDefinition): string[] {
  const problems = schemaProblems("params", transform.params);
  if (typeof transform.compile !== "function" || typeof transform.findMistakes !== "function")
    problems.push("make it with textTransform, numberTransform, listTransform or defineTransform");
  if (!isPlain(transform.example)) problems.push("it needs an example with from and to");
  if (problems.length > 0) return problems;
  const { params = {}, from, to, data } = transform.example;
  problems.push(...exampleProblems("example.params", transform.params, params));
  // Data of paths is read by the compiler of a whole mapping.
  if (problems.length > 0 || data !== undefined) return problems;
  const found = exampleOutcome(transform);
  if (!isDeepStrictEqual(found, to))
    problems.push(
      `its example says that ${JSON.stringify(from)} becomes ${JSON.stringify(to)}, but it becomes ${JSON.stringify(found)}`,
    );
  return problems;
}
