import type { TObject, TSchema } from "typebox";
import { nearestName } from "../core/nearest.ts";
import type { Route } from "../route.ts";

/** Arguments of a tool: those of the path, the query and the body of its route, in one object. */
export type Arguments = Readonly<Record<string, unknown>>;

type InnerRequest = { method: string; path: string; headers: Record<string, string>; body?: string };

/** Sends a request of the caller to the API in this process: authentication, scopes, limits, masking and audit apply as over HTTP. */
export type SendRequest = (request: InnerRequest) => Promise<{ status: number; body: unknown }>;

/** A rejected call. The model reads the problem, which names the field, the rule and what is allowed. */
export class ToolProblem extends Error {
  readonly problem: Readonly<Record<string, unknown>>;

  constructor(problem: Readonly<Record<string, unknown>>) {
    super(String(problem.title ?? problem.code));
    this.problem = problem;
  }
}

export function invalidArgument(name: string, code: string, message: string, allowed?: readonly string[]): ToolProblem {
  return new ToolProblem({
    code: "validation_failed",
    title: "The tool call has invalid arguments",
    errors: [{ pointer: `/${name}`, code, message, ...(allowed ? { allowed } : {}) }],
  });
}

type Place = "path" | "query" | "body";

/** Where each argument of a route is sent, with its schema. */
export function placesOf(route: Route): Map<string, { place: Place; schema: TSchema; isRequired: boolean }> {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  const text = (name: string): TSchema => ({
    type: "string",
    description: route.ids?.[name] && `ID of the ${route.ids[name]}`,
  });
  const fieldsOf = (place: Place, given: TSchema | undefined) =>
    Object.entries((given as TObject | undefined)?.properties ?? {}).map(([name, schema]) => {
      const isRequired = ((given as TObject).required ?? []).includes(name) && !("default" in schema);
      return [name, { place, schema, isRequired }] as const;
    });
  return new Map([
    ...fieldsOf("query", route.query),
    ...fieldsOf("body", route.body),
    ...inPath.map((name) => [name, { place: "path" as const, schema: text(name), isRequired: true }] as const),
  ]);
}

/** Members in one order, so that equal arguments have equal digests. */
export function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

export async function callRoute(
  send: SendRequest,
  prefix: string,
  route: Route,
  args: Arguments,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const places = placesOf(route);
  const [query, body] = [new URLSearchParams(), new Map<string, unknown>()];
  const path = new Map<string, string>();
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined) continue;
    const place = places.get(name)?.place;
    if (place === undefined) throw unknownArgument(name, [...places.keys()]);
    if (place === "body") body.set(name, value);
    else if (place === "path") path.set(name, pathSegment(name, value));
    else for (const one of [value].flat()) query.append(name, typeof one === "string" ? one : JSON.stringify(one));
  }
  const filled = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (!path.has(name)) throw invalidArgument(name, "required", `${name} is required.`);
    return path.get(name)!;
  });
  const search = query.size === 0 ? "" : `?${query.toString()}`;
  const response = await send({
    method: route.method,
    path: `${prefix}${filled}${search}`,
    headers,
    ...(route.body ? { body: stableJson(Object.fromEntries(body)) } : {}),
  });
  if (response.status >= 400) throw new ToolProblem(toProblem(response.body));
  return response.body;
}

function pathSegment(name: string, value: unknown): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw invalidArgument(name, "type", `${name} is a text.`);
  return encodeURIComponent(value);
}

export function unknownArgument(name: string, known: readonly string[]): ToolProblem {
  const meant = nearestName(name, [...known]);
  const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
  return invalidArgument(name, "unknown_field", `There is no argument ${name}.${hint}`, known);
}

/** Without the links and codes of HTTP, which a model has no use for. */
function toProblem(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null)
    return { code: "internal_error", title: "The hub returned no problem" };
  const { type: _link, instance: _path, status: _status, ...problem } = body as Record<string, unknown>;
  return problem;
}
