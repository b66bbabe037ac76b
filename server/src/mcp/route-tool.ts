import { createHash } from "node:crypto";
import type { Route } from "../route.ts";
import { makeConfirmToken, readConfirmToken } from "./confirm-token.ts";
import type { Arguments } from "./route-call.ts";
import { callRoute, invalidArgument, placesOf, unknownArgument } from "./route-call.ts";
import { pickFields } from "./shrink-answer.ts";
import type { Caller, Tool } from "./tool.ts";
import type { JsonSchema } from "./tool-schema.ts";
import { toModelSchema } from "./tool-schema.ts";

/** Calls another route of the API for the same caller. */
export type CallByName = (route: string, args: Arguments) => Promise<Record<string, unknown>>;

/** What a change would do. `version`: of the record that was shown; the change requires that it is still the same. */
type Effect = { effect: unknown; version?: number };

/** A tool that is made of a route. */
export type ToolSpec = {
  /** Name of the route; the tool has the same name with underscores. */
  route: string;
  description: string;
  /** Arguments of the route that the tool has; default: all. */
  takes?: readonly string[];
  /** Replaces schemas that are too long for a model, and adds arguments that `present` reads. */
  schemas?: Readonly<Record<string, JsonSchema>>;
  /** Sent with every call. */
  sends?: Arguments;
  /** Fields of the answer, or of each record of its `data`, that a model needs; default: all. */
  keeps?: readonly string[];
  /** What the model gets instead of the answer. */
  present?(answer: Record<string, unknown>, args: Arguments): unknown;
  /** A change that needs a confirmation: what it would do. */
  preview?(call: CallByName, args: Arguments): Promise<Effect>;
  /** A change that needs the token of a preflight. */
  isPreflighted?: boolean;
  /** The change cannot be taken back in the hub. */
  isDestructive?: boolean;
};

const confirmSchema = {
  type: "string",
  description:
    "Token of the first call, which changes nothing and answers the effect. Same arguments, within 5 minutes.",
};

/** `routes` by name, under the prefix of the API. */
export function createRouteTool(spec: ToolSpec, routes: ReadonlyMap<string, Route>, prefix: string): Tool {
  const route = getRoute(routes, spec.route);
  const name = spec.route.replaceAll(".", "_");
  const places = placesOf(route);
  const own = Object.keys(spec.schemas ?? {}).filter((argument) => !places.has(argument));
  const taken = [...(spec.takes ?? places.keys()), ...own];
  const allowed = [...taken, ...(spec.preview ? ["confirm"] : [])];
  const isRead = !spec.preview && !spec.isPreflighted;

  async function call(caller: Caller, given: Arguments): Promise<unknown> {
    for (const argument of Object.keys(given))
      if (!allowed.includes(argument)) throw unknownArgument(argument, allowed);
    const { confirm, ...args } = given;
    if (spec.preview && confirm === undefined) return await describeEffect(caller, spec.preview, args);
    const headers = writeHeaders(caller, args, confirm);
    const sent = Object.fromEntries(Object.entries(args).filter(([argument]) => !own.includes(argument)));
    const answer = await callRoute(caller.send, prefix, route, { ...sent, ...spec.sends }, headers);
    return present(answer as Record<string, unknown>, args);
  }

  async function describeEffect(caller: Caller, preview: NonNullable<ToolSpec["preview"]>, args: Arguments) {
    const byName: CallByName = async (other, its) =>
      (await callRoute(caller.send, prefix, getRoute(routes, other), its)) as Record<string, unknown>;
    const { effect, ...version } = await preview(byName, args);
    const token = makeConfirmToken(caller, { tool: name, args, ...version });
    const next = `Nothing has changed yet. Show the effect to the user; if they agree, call ${name} again with the same arguments and confirm.`;
    return { done: false, effect, ...token, next };
  }

  /** A repeated call with the same token gets the first answer instead of a second change. */
  function writeHeaders(caller: Caller, args: Arguments, confirm: unknown): Record<string, string> {
    if (isRead) return {};
    const version = spec.preview && readConfirmToken(caller, { tool: name, args }, confirm);
    const token = spec.preview ? confirm : args.preflight_token;
    if (typeof token !== "string")
      throw invalidArgument(
        "preflight_token",
        "preflight_required",
        "Call operations_preflight first and pass its token.",
      );
    return {
      ...(version === undefined ? {} : { "if-match": `"${version}"` }),
      "idempotency-key": `mcp-${createHash("sha256").update(token).digest("base64url")}`,
    };
  }

  function present(answer: Record<string, unknown>, args: Arguments): unknown {
    if (spec.present) return spec.present(answer, args);
    const { keeps } = spec;
    if (!keeps) return answer;
    const { data } = answer;
    return Array.isArray(data)
      ? { ...answer, data: data.map((record) => pickFields(record, keeps)) }
      : pickFields(answer, keeps);
  }

  return {
    name,
    title: route.summary,
    description: spec.description,
    scope: route.scope === "public" ? "any" : route.scope,
    inputSchema: {
      type: "object",
      properties: {
        ...Object.fromEntries(
          taken.map((argument) => [argument, spec.schemas?.[argument] ?? toModelSchema(places.get(argument)!.schema)]),
        ),
        ...(spec.preview ? { confirm: confirmSchema } : {}),
      },
      required: [
        ...taken.filter((argument) => places.get(argument)?.isRequired),
        ...(spec.isPreflighted ? ["preflight_token"] : []),
      ],
      additionalProperties: false,
    },
    annotations: {
      readOnlyHint: isRead,
      destructiveHint: spec.isDestructive ?? false,
      idempotentHint: true,
      openWorldHint: false,
    },
    call,
  };
}

function getRoute(routes: ReadonlyMap<string, Route>, name: string): Route {
  const route = routes.get(name);
  if (!route) throw new Error(`there is no route ${name}`);
  return route;
}
