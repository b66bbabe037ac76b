import type { Principal } from "../core/actor.ts";
import { nearestName } from "../core/nearest.ts";
import { hasScope } from "../core/scopes.ts";
import type { Route } from "../route.ts";
import type { Arguments } from "./route-call.ts";
import { callRoute, invalidArgument, placesOf, unknownArgument } from "./route-call.ts";
import type { Tool } from "./tool.ts";
import { toModelSchema } from "./tool-schema.ts";

const hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const maxFound = 10;

/** The rest of the API for reading: two tools instead of one for each route, which would fill the context of a model. */
export function createApiTools(routes: readonly Route[], prefix: string): Tool[] {
  // Files and streams are not for models.
  const readable = routes.filter(
    ({ method, answerType, scope }) => method === "GET" && answerType === undefined && scope !== "public",
  );
  const mayRead = ({ scope }: Route, { scopes }: Principal): boolean =>
    scope === "any" || hasScope(scopes, scope as Exclude<Route["scope"], "public" | "any">);

  const search: Tool = {
    name: "api_search",
    title: "Search the API",
    description:
      "Finds read operations of the API that have no tool of their own, such as carriers, rates, bridges, schedules, automations, " +
      "webhooks, pickups, invoices or reports. Answers their names and arguments for api_get.",
    inputSchema: {
      type: "object",
      properties: { query: { type: "string", description: "Words, such as: carrier accounts" } },
      required: ["query"],
      additionalProperties: false,
    },
    annotations: hints,
    scope: "any",
    async call({ principal }, { query, ...rest }) {
      refuseOthers(rest, ["query"]);
      if (typeof query !== "string" || query.trim() === "")
        throw invalidArgument("query", "required", "query is a text.");
      const words = query.toLowerCase().split(/\W+/).filter(Boolean);
      const found = readable
        .filter((route) => mayRead(route, principal))
        .map((route) => ({ route, score: scoreOf(route, words) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, maxFound);
      return { operations: found.map(({ route }) => describe(route)) };
    },
  };

  const get: Tool = {
    name: "api_get",
    title: "Call a read operation of the API",
    description: "Calls a read operation by the name that api_search found. Changes are made by the other tools only.",
    inputSchema: {
      type: "object",
      properties: {
        operation: { type: "string", description: "Name of the operation, such as carrierAccounts.list" },
        arguments: { type: "object", description: "Arguments of the path and the query, by name" },
      },
      required: ["operation"],
      additionalProperties: false,
    },
    annotations: hints,
    scope: "any",
    async call({ principal, send }, { operation, arguments: args = {}, ...rest }) {
      refuseOthers(rest, ["operation", "arguments"]);
      const mine = readable.filter((route) => mayRead(route, principal));
      const route = mine.find(({ name }) => name === operation);
      if (!route) throw unknownOperation(String(operation), mine);
      if (typeof args !== "object" || args === null || Array.isArray(args))
        throw invalidArgument("arguments", "type", "arguments is an object.");
      return await callRoute(send, prefix, route, args as Arguments);
    },
  };
  return [search, get];
}

function refuseOthers(rest: Arguments, known: readonly string[]): void {
  for (const name of Object.keys(rest)) throw unknownArgument(name, known);
}

function unknownOperation(given: string, known: readonly Route[]): Error {
  const meant = nearestName(
    given,
    known.map(({ name }) => name),
  );
  const hint = meant === undefined ? "Use api_search." : `Did you mean ${meant}?`;
  return invalidArgument("operation", "unknown_operation", `There is no read operation of this name for you. ${hint}`);
}

/** Words in the name count most. */
function scoreOf({ name, summary, path, description = "" }: Route, words: readonly string[]): number {
  const [named, told, more] = [`${name} ${path}`.toLowerCase(), summary.toLowerCase(), description.toLowerCase()];
  const singular = (word: string): string => word.replace(/s$/, "");
  return words.reduce((sum, word) => {
    const part = singular(word);
    return sum + (named.includes(part) ? 4 : 0) + (told.includes(part) ? 2 : 0) + (more.includes(part) ? 1 : 0);
  }, 0);
}

function describe(route: Route) {
  const args = [...placesOf(route)].map(([name, { schema, isRequired }]) => {
    const { description, enum: values, type } = toModelSchema(schema);
    return [
      name,
      { type, ...(values ? { enum: values } : {}), description, ...(isRequired ? { required: true } : {}) },
    ];
  });
  return { operation: route.name, summary: route.summary, arguments: Object.fromEntries(args) };
}
