import { HubError } from "../../core/errors.ts";
import type { Scope } from "../../core/scopes.ts";
import { hasScope } from "../../core/scopes.ts";
import type { Ctx } from "../../context.ts";

/** For what tells about data of executions, beyond the scope that its route asks for. `what`: as in "A replay". */
export function requireSight(ctx: Ctx, what: string, scopes: readonly Scope[]): void {
  const granted = ctx.principal.scopes;
  const required = scopes.filter((scope) => !hasScope(granted, scope));
  if (required.length === 0) return;
  const message = `${what} tells about data of executions, and who is in them: it needs ${required.join(" and ")}.`;
  throw new HubError("insufficient_scope", message, { extra: { required, granted: [...granted] } });
}
