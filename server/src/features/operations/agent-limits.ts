import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { RunRequest } from "./operations.schemas.ts";

/** An agent key runs only what a preflight has shown: orders that changed since then are not run. */
export function requireAgentPreflight(ctx: Ctx, request: RunRequest): RunRequest {
  if (!ctx.principal.agent) return request;
  if (request.preflight_token === undefined) {
    const message = "With an agent key, a run requires the preflight_token of a preflight.";
    throw badField("/preflight_token", "preflight_required", message);
  }
  if (request.on_drift === "run") {
    const message = "With an agent key, orders that changed since the preflight are skipped or rejected.";
    throw badField("/on_drift", "not_allowed", message, { allowed: ["skip", "reject"] });
  }
  return { ...request, on_drift: request.on_drift ?? "reject" };
}

/** Also for retries and undos, which are runs. */
export function requireAgentOrderLimit({ principal }: Ctx, count: number): void {
  const max = principal.agent?.maxOrdersPerRun;
  if (max === undefined || count <= max) return;
  const message = `This agent key may have at most ${max} orders in a run; these are ${count}. Select fewer orders.`;
  throw new HubError("too_many_orders", message, { extra: { matched: count, max } });
}

/** A task that is run again counts as a run. Only a list of orders says how many there are: an import may change any number. */
export function requireAgentTaskLimit(ctx: Ctx, { orderIds }: Record<string, unknown>): void {
  if (!ctx.principal.agent) return;
  if (!Array.isArray(orderIds) || orderIds.length === 0) {
    const how = "Ask a user to retry it in the console";
    const message = `The task does not name its orders, so this agent key cannot retry it. ${how}.`;
    throw new HubError("agent_key_restricted", message, { extra: { how } });
  }
  requireAgentOrderLimit(ctx, orderIds.length);
}
