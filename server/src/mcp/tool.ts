import type { Principal } from "../core/actor.ts";
import type { Scope } from "../core/scopes.ts";
import { hasScope } from "../core/scopes.ts";
import type { World } from "../context.ts";
import type { Arguments, SendRequest } from "./route-call.ts";
import type { JsonSchema } from "./tool-schema.ts";

/** The caller of a tool, and how the tool reaches the API on the caller's behalf. */
export type Caller = Pick<World, "secrets" | "clock"> & { principal: Principal; send: SendRequest };

export type Tool = {
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema & { type: "object" };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
  scope: Scope | "any";
  call(caller: Caller, args: Arguments): Promise<unknown>;
};

/** Tools that the caller has no scope for are not listed, so that a model does not plan with them. */
export function toolsFor(tools: readonly Tool[], { scopes }: Principal): Tool[] {
  return tools.filter(({ scope }) => scope === "any" || hasScope(scopes, scope));
}
