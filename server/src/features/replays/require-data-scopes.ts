import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";

/** Scopes beyond the one of the route, for responses that contain data of executions. `what`: for the message, such as "A replay". */
export function requireDataScopes(ctx: Ctx, what: string, scopes: readonly Scope[]): void {
  const granted = ctx.principal.scopes;
  const required = scopes.filter((scope) => !hasScope(granted, scope));
  if (required.length === 0) return;
  const message = `${what} shows data of executions, including personal data. It requires ${required.join(" and ")}.`;
  throw new HubError("insufficient_scope", message, { extra: { required, granted: [...granted] } });
}
