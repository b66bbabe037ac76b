import { nearestName } from "../../server/src/core/nearest.ts";
import { usageError } from "./exit.ts";
import type { OperationField } from "./operation.ts";
import { splitPair, valueOf } from "./values.ts";

type Schema = {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
};
/** An action as the hub describes it. */
export type KnownAction = { type: string; params_schema: Schema };
type Action = { type: string; params?: Record<string, unknown> };

/** `add_tags:tags=vip,checked` or `set_priority:priority=high`; params are separated by commas before a name. */
export function parseAction(typed: string, known: readonly KnownAction[]): Action {
  const colon = typed.indexOf(":");
  const type = colon === -1 ? typed : typed.slice(0, colon);
  const action = known.find((one) => one.type === type);
  if (!action) {
    const meant = nearestName(
      type,
      known.map((one) => one.type),
    );
    const hint = meant === undefined ? "hub operations actions list shows them." : `Did you mean ${meant}?`;
    throw usageError(`--action: there is no action "${type}". ${hint}`);
  }
  if (colon === -1) return { type };
  const pairs = typed.slice(colon + 1).split(/,(?=[a-z_]+=)/);
  const params = pairs.map((pair): [string, unknown] => {
    const [name, text] = splitPair(pair, "--action: a param");
    return [name, paramOf(action, name, text)];
  });
  return { type, params: Object.fromEntries(params) };
}

function paramOf({ type, params_schema: { properties = {} } }: KnownAction, name: string, text: string): unknown {
  const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (schema) return valueOf(text, fieldOf(name, schema), `${type}.${name}`);
  const meant = nearestName(name, Object.keys(properties));
  const hint = meant === undefined ? `It has ${Object.keys(properties).join(", ")}.` : `Did you mean ${meant}?`;
  throw usageError(`--action: ${type} has no param "${name}". ${hint}`);
}

function fieldOf(name: string, schema: Schema): OperationField {
  const alternatives = schema.anyOf ?? [schema];
  const types = alternatives.flatMap(({ type }) => type ?? []).filter((type) => type !== "null");
  if (types[0] === "array") return { ...fieldOf(name, schema.items ?? {}), isList: true };
  const words = alternatives.flatMap((one) => one.enum ?? []).filter((word) => typeof word === "string");
  return { name, type: typeOf(types), ...(words.length > 0 && types.length === 1 ? { values: words } : {}) };
}

function typeOf(types: string[]): OperationField["type"] {
  if (types.includes("string")) return "string";
  if (types.some((type) => type === "integer" || type === "number")) return "number";
  return types[0] === "boolean" ? "boolean" : "json";
}
